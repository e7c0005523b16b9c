"""The address to which a person is written about a company: never one at another company."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import zip_longest

from sqlmodel import Session, col, or_, select

from agreements.domains.canonical_form import canonical_address, domains_over
from agreements.github_server import GitHubServer
from agreements.store.lookup import account_chunks, account_key, byte_chunks, text_chunks, text_key
from agreements.store.people import emails, person_rows, signatures
from agreements.store.record_context import RecordContext
from agreements.store.tables.company_records import CompanyEntry, CompanyRecord
from agreements.store.tables.declarations import EMAIL_INDEX
from agreements.store.tables.records import PersonRecord, Proof, SignatureRecord
from agreements.vault import Vault


def addresses(
    session: Session, vault: Vault, company_id: str, account_ids: Collection[int], *, server: GitHubServer
) -> dict[int, str]:
    """The address for each account's mail about that company ("": about none), for accounts where one fits.

    First the address with which they signed for it, then one at its domains or that it names, then their own choice,
    else the one whose proof lasts longest; the last two never at, or named by, another company. Removed addresses are
    never used.
    """
    return of_companies(session, vault, [company_id], account_ids, server=server)[company_id]


def of_companies(
    session: Session,
    vault: Vault,
    company_ids: Collection[str],
    account_ids: Collection[int],
    *,
    server: GitHubServer,
) -> dict[str, dict[int, str]]:
    """The same about each of several companies, by its id, in as many statements as about one."""
    mine = _proven(session, vault, account_ids)
    proven = {address for proofs in mine.values() for address in proofs}
    holding = list(_holding(session, vault, {address: domains_over(address, server) for address in proven}))
    signed = _signed(session, vault, mine)
    return {company_id: _chosen(company_id, mine, holding, signed) for company_id in company_ids}


def _chosen(
    company_id: str,
    mine: Mapping[int, Mapping[str, bool]],
    holding: Sequence[tuple[str, CompanyEntry]],
    signed: Mapping[int, Mapping[str, str]],
) -> dict[int, str]:
    # A domain that another company held once stays another's; its own is one that it has not given up.
    at_own = {address for address, row in holding if row.company_id == company_id and row.until is None}
    at_others = {address for address, row in holding if row.company_id != company_id} - at_own
    found = {}
    for account_id, proofs in mine.items():
        own = signed.get(account_id, {})
        # An address used to sign for one company is that company's business.
        others = {address for company, address in own.items() if company != company_id}
        choices = (
            [address for address in proofs if address == own.get(company_id)],
            [address for address in proofs if address in at_own],
            [address for address, is_chosen in proofs.items() if is_chosen and address not in at_others],
            [address for address in proofs if address not in at_others | others],
        )
        best = next((some[0] for some in choices if some), None)
        if best is not None:
            found[account_id] = best
    return found


def choose(context: RecordContext, account_id: int, proof_id: str) -> bool:
    """Send e-mails to the address of that proof from now on, where it fits; False when it is not the account's."""
    mine = (col(Proof.id) == text_key(proof_id), col(Proof.account_id) == account_key(account_id))
    person = person_rows.find_locked(context.session, account_id)
    if person is None or context.session.exec(select(Proof.id).where(*mine)).first() is None:
        return False
    if person.letters_to != proof_id:
        person.letters_to = proof_id
        context.log("letters.chosen", account_id, rows=[person])
    return True


def _holding(session: Session, vault: Vault, over: Mapping[str, Sequence[str]]) -> Iterator[tuple[str, CompanyEntry]]:
    """Pairs of an address (given with its domains) and an entry that takes it in or names it, whenever that ran."""
    entries = select(CompanyEntry).where(col(CompanyEntry.excluded).is_(False))
    named = {index: address for address in over for index in vault.blind_indexes(EMAIL_INDEX, address)}
    domains, indexes = text_chunks({domain for some in over.values() for domain in some}), byte_chunks(named)
    for at, by in zip_longest(domains, indexes, fillvalue=()):
        found = or_(col(CompanyEntry.domain).in_(at), col(CompanyEntry.email_index).in_(by))
        for row in session.exec(entries.where(found)):
            # Without subdomains an entry takes in the address's own domain alone.
            takes = (address for address, some in over.items() if row.domain in (some if row.subdomains else some[:1]))
            yield from ((address, row) for address in takes)
            if row.email_index is not None:
                yield named[row.email_index], row


def _proven(session: Session, vault: Vault, account_ids: Collection[int]) -> dict[int, dict[str, bool]]:
    """Each account's addresses, the chosen one first, then those whose proof lasts longest; True for the chosen one."""
    rows: list[tuple[Proof, PersonRecord]] = []
    for chunk in account_chunks(account_ids):
        query = select(Proof, PersonRecord).join(PersonRecord).where(col(Proof.account_id).in_(chunk))
        rows += session.exec(query.order_by(col(Proof.id)))  # of equal proofs always the same one
    rows.sort(key=lambda pair: (pair[0].id == pair[1].letters_to, _lasts(pair[0])), reverse=True)
    found: dict[int, dict[str, bool]] = {}
    for proof, person in rows:
        address = emails.address_of(vault, proof, person)
        if address is not None:  # None: the person was erased.
            found.setdefault(proof.account_id, {}).setdefault(address, proof.id == person.letters_to)
    return dict(sorted(found.items()))


def _signed(session: Session, vault: Vault, account_ids: Collection[int]) -> dict[int, dict[str, str]]:
    """The address with which each account signed, by account and company."""
    found: dict[int, dict[str, str]] = {}
    for chunk in account_chunks(account_ids):
        query = (
            select(CompanyRecord.id, SignatureRecord, PersonRecord)
            .join(SignatureRecord, col(SignatureRecord.id) == col(CompanyRecord.signature_id))
            .join(PersonRecord, col(PersonRecord.id) == col(SignatureRecord.person_id))
        )
        for company_id, row, person in session.exec(query.where(col(SignatureRecord.account_id).in_(chunk))):
            address = canonical_address(signatures.email(vault, person, row))
            if address is not None:
                found.setdefault(row.account_id, {})[company_id] = address
    return found


def _lasts(row: Proof) -> tuple[bool, datetime, datetime]:
    return row.until is None, row.until or row.at, row.at
