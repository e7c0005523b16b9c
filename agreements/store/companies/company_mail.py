"""Where somebody is written to about a company: never at an address of another company."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime

from sqlmodel import Session, col, select

from agreements.domains.domains import canonical_address, domains_over
from agreements.github_server import GitHubServer
from agreements.store.lookup.keys import account_chunks, account_key, text_chunks, text_key
from agreements.store.people import emails, signatures
from agreements.store.record_context import RecordContext
from agreements.store.tables.company_records import CompanyEntry, CompanyRecord
from agreements.store.tables.records import PersonRecord, Proof, SignatureRecord
from agreements.vault import Vault


def addresses(
    session: Session, vault: Vault, company_id: str, account_ids: Collection[int], *, server: GitHubServer
) -> dict[int, str]:
    """Where each account is written to about that company; one without a fitting address is left out.

    First the address with which they signed for it, then one at its domains or that it names, then their own choice, else the one
    whose proof lasts longest. An address at a domain of another company, or that one names, is none of these last two.
    A proof may have lapsed; an address that its owner removed is not used. "" stands for no company.
    """
    mine = _proven(session, vault, account_ids)
    proven = {address for proofs in mine.values() for address in proofs}
    at_own, at_others = _holders(session, vault, {one: domains_over(one, server) for one in proven}, company_id)
    signed = _signed(session, vault, mine)
    found = {}
    for account_id, proofs in mine.items():
        own = signed.get(account_id, {})
        others = {address for company, address in own.items() if company != company_id}
        choices = (
            [one for one in proofs if one == own.get(company_id)],
            [one for one in proofs if one in at_own],
            [one for one, is_chosen in proofs.items() if is_chosen and one not in at_others],
            [one for one in proofs if one not in at_others | others],
        )
        best = next((some[0] for some in choices if some), None)
        if best is not None:
            found[account_id] = best
    return found


def choose(context: RecordContext, account_id: int, proof_id: str) -> bool:
    """From now on e-mails go to the address of that proof, where it fits; False when it is not the account's."""
    mine = (col(Proof.id) == text_key(proof_id), col(Proof.account_id) == account_key(account_id))
    person = context.session.exec(select(PersonRecord).join(Proof).where(*mine)).one_or_none()
    if person is None:
        return False
    if person.letters_to != proof_id:
        person.letters_to = proof_id
        context.log("letters.chosen", account_id, rows=[person])
    return True


def _holders(
    session: Session, vault: Vault, over: Mapping[str, Sequence[str]], company_id: str
) -> tuple[set[str], set[str]]:
    """Those of the addresses at the company's domains, or that it names; and those of others that are not its own.

    What others held once is theirs for good; its own is what the company has not given up.
    """
    holding = list(_holding(session, vault, over))
    own = {one for one, row in holding if row.company_id == company_id and row.until is None}
    return own, {one for one, row in holding if row.company_id != company_id} - own


def _holding(session: Session, vault: Vault, over: Mapping[str, Sequence[str]]) -> Iterator[tuple[str, CompanyEntry]]:
    """Each address, given with the domains over it, with each entry that takes it in by those or names it, of whatever time."""
    entries = select(CompanyEntry).where(col(CompanyEntry.excluded).is_(False))
    for chunk in text_chunks({domain for some in over.values() for domain in some}):
        for row in session.exec(entries.where(col(CompanyEntry.domain).in_(chunk))):
            takes = (one for one, some in over.items() if row.domain in (some if row.subdomains else some[:1]))
            yield from ((one, row) for one in takes)
    for one in over:
        indexes = vault.blind_indexes(emails.EMAIL_INDEX, one)
        yield from ((one, row) for row in session.exec(entries.where(col(CompanyEntry.email_index).in_(indexes))))


def _proven(session: Session, vault: Vault, account_ids: Collection[int]) -> dict[int, dict[str, bool]]:
    """Each account's addresses, the chosen one first, then those whose proof lasts longest; and which is chosen."""
    rows: list[tuple[Proof, bool]] = []
    for chunk in account_chunks(account_ids):
        query = select(Proof, PersonRecord.letters_to).join(PersonRecord).where(col(Proof.account_id).in_(chunk))
        rows += [(proof, proof.id == chosen) for proof, chosen in session.exec(query.order_by(col(Proof.id)))]
    rows.sort(key=lambda one: (one[1], _lasts(one[0])), reverse=True)
    opened = emails.opened(session, vault, [proof.id for proof, _ in rows])
    found: dict[int, dict[str, bool]] = {}
    for proof, is_chosen in rows:
        if proof.id in opened:
            found.setdefault(proof.account_id, {}).setdefault(opened[proof.id], is_chosen)
    return dict(sorted(found.items()))


def _signed(session: Session, vault: Vault, account_ids: Collection[int]) -> dict[int, dict[str, str]]:
    """With which address each account signed for which companies."""
    found: dict[int, dict[str, str]] = {}
    for chunk in account_chunks(account_ids):
        query = select(CompanyRecord.id, SignatureRecord).join(
            SignatureRecord, col(SignatureRecord.id) == col(CompanyRecord.signature_id)
        )
        for company_id, row in session.exec(query.where(col(SignatureRecord.account_id).in_(chunk))):
            seen = signatures.opened(session, vault, row)
            address = canonical_address(seen.draft.email) if seen else None
            if address is not None:
                found.setdefault(row.account_id, {})[company_id] = address
    return found


def _lasts(row: Proof) -> tuple[bool, datetime, datetime]:
    return row.until is None, row.until or row.at, row.at
