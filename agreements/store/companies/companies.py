"""Corporate agreements and the people and domains they name; a decision reads only the companies that touch its people."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any, Literal, NamedTuple

from sqlalchemy import and_, false, func, true
from sqlalchemy import select as select_columns
from sqlmodel import Session, SQLModel, col, or_, select

from agreements import facts
from agreements.cla.party import canonical_party
from agreements.domains.domains import approvable, canonical_domain, with_parents
from agreements.store import lookup
from agreements.store.companies.company_rows import (
    CompanyRow,
    EntryRow,
    SignedRow,
    company_key,
    fact,
)
from agreements.store.lookup import (
    Question,
    account_key,
    canonical_key,
    keys_of_people,
    text_chunks,
    text_key,
)
from agreements.store.people.signatures import TextKey, made_elsewhere
from agreements.store.record_context import RecordContext
from agreements.store.tables.company_records import CompanyEntry, CompanyRecord
from agreements.store.tables.declarations import EMAIL_INDEX, table_of
from agreements.store.tables.records import RECORDED, PartyRecord, SignatureRecord
from agreements.vault import Vault, place


class DomainRefused(Exception):
    """A company may not hold this domain; `reason` is one of `agreements.domains.domains.approvable`'s, or `taken`."""

    def __init__(self, domain: str, reason: str) -> None:
        self.reason = reason
        super().__init__(f"{domain}: {reason}")


@dataclass(frozen=True, slots=True, kw_only=True)
class CompanyDraft:
    """A corporate agreement (`name`, `agreement`, `version`) signed at `signed_at`; until `countersigned_at` is set it covers no one.

    `party` is its other side, None where it is not known (it counts nowhere); `signature_id` is the evidence, None for
    an import. `ended_at`: when it ends; `domains`: the mode that the company chose, None for the rulebook's.
    """

    name: str
    agreement: str
    version: str
    party: str | None
    signed_at: datetime
    signature_id: str | None = None
    countersigned_at: datetime | None = None
    ended_at: datetime | None = None
    domains: Literal["linked", "enrolled"] | None = None


class CompanyAgreement(NamedTuple):
    """A `company`; `text_missing`: the catalog lacks the text it signed, so it covers no one; `party`: None while not known."""

    company: CompanyRecord
    text_missing: bool
    party: str | None


def add(context: RecordContext, draft: CompanyDraft, company_id: str = "") -> CompanyRecord:
    """Store the company with its own data key, under that id or a new one. Raises ValueError for a blank value."""
    session, company_id = context.session, text_key(company_id or context.new_id())
    _, wrapped = context.vault.new_data_key("company", company_id)
    row = CompanyRecord(
        id=company_id,
        name=text_key(draft.name),
        agreement=text_key(draft.agreement),
        version=text_key(draft.version),
        signed_at=draft.signed_at,
        countersigned_at=draft.countersigned_at,
        ended_at=draft.ended_at,
        domains=draft.domains,
        wrapped_key=wrapped.sealed,
        ring_key_id=wrapped.ring_key_id,
        signature_id=draft.signature_id,
    )
    session.add(row)
    session.flush()
    # With a signature, the signature's party is the company's.
    if draft.signature_id is None and draft.party is not None:
        session.add(_party(row, draft.party))
        session.flush()
    return row


def party_rows(session: Session, company: CompanyRecord) -> list[SQLModel]:
    """The row that names the party of a company without a signature, for the log; empty where the signature does."""
    return [*session.exec(select(PartyRecord).where(col(PartyRecord.company_id) == company.id))]


def _party(company: CompanyRecord, party: str) -> PartyRecord:
    return PartyRecord(
        id=f"company-{company.id}",
        company_id=company.id,
        party=canonical_party(text_key(party)),
        how=RECORDED,
        at=company.signed_at,
    )


def party(session: Session, company_id: str) -> str | None:
    """The party with which that company's agreement was made; None while it is not known."""
    query = _with_party(select_columns(_PARTY).select_from(CompanyRecord)).where(col(CompanyRecord.id) == company_id)
    found: str | None = session.execute(query).scalar_one_or_none()
    return found


def with_agreement(
    session: Session, company_ids: Collection[str], *, accepted: Collection[TextKey]
) -> dict[str, CompanyAgreement]:
    """These companies and how they signed, by id, without unknown ids. `accepted`: the texts of the catalog."""
    query = _with_party(select_columns(CompanyRecord, *_SIGNED).select_from(CompanyRecord))
    texts, found = set(accepted), dict[str, CompanyAgreement]()
    for chunk in text_chunks(company_ids):
        for company, *columns in session.execute(query.where(col(CompanyRecord.id).in_(chunk))):
            signed = SignedRow(*columns)
            found[company.id] = CompanyAgreement(company, not _counts(company, signed, texts), signed.party)
    return found


def without_party(session: Session) -> frozenset[str]:
    """The companies that cover no one because their agreement's party is not known."""
    query = _with_party(select_columns(col(CompanyRecord.id)).select_from(CompanyRecord)).where(_PARTY.is_(None))
    return frozenset(session.scalars(query))


def add_entry(
    context: RecordContext, company: CompanyRecord, entry: facts.Entry, *, excluded: bool = False
) -> CompanyEntry:
    """Name a person or a domain, or exclude them. Raises as `new_entry`."""
    row = new_entry(context, company, entry, excluded=excluded)
    context.session.add(row)
    context.session.flush()
    return row


def new_entry(
    context: RecordContext, company: CompanyRecord, entry: facts.Entry, *, excluded: bool = False
) -> CompanyEntry:
    """The row, not yet stored, that names a person or a domain, or excludes them.

    Raises ValueError unless the entry has exactly one valid key, DomainRefused for a domain that it may not hold.
    """
    kind, vault = _kind(entry), context.vault
    domain = None if entry.domain is None else _entry_domain(context, company, entry, excluded=excluded)
    entry_id, sealed, index = text_key(context.new_id()), None, None
    if entry.email is not None:
        address = canonical_key(entry.email)  # One spelling: an entry typed in capitals must cover, too.
        # Managers see it: the company's key, not the person's.
        sealed = vault.encrypt(company_key(vault, company), address.encode(), place("company_entry", "email", entry_id))
        index = vault.blind_index(EMAIL_INDEX, address)
    return CompanyEntry(
        id=entry_id,
        company_id=company.id,
        kind=kind,
        excluded=excluded,
        domain=domain,
        subdomains=entry.subdomains,
        email=sealed,
        email_index=index,
        account_id=entry.account_id,
        since=entry.since,
        until=entry.until,
        added_at=context.at,
        added_by=context.by,
    )


_KEYS: Mapping[str, Any] = {
    "accounts": col(CompanyEntry.account_id),
    "addresses": col(CompanyEntry.email_index),
    "domains": col(CompanyEntry.domain),
}

PARTY_OF_COMPANY: Any = table_of(PartyRecord).alias("party_of_company")
"""The alias under which `question` reads the party of a company without a signature."""

_PARTY = func.coalesce(col(SignatureRecord.party), col(PartyRecord.party), PARTY_OF_COMPANY.c.party)
"""The party of a company's agreement: in its signature, or found out later for the signature or the company."""

_ENTRY = [getattr(CompanyEntry, name) for name in EntryRow._fields]
_COMPANY = [getattr(CompanyRecord, name) for name in CompanyRow._fields]
_SIGNED = [SignatureRecord.language, SignatureRecord.source_sha256, SignatureRecord.identity_proof, _PARTY]
"""The columns of `SignedRow`."""


@cache
# Made once for each database: to put it together takes as long as to ask it.
def question(dialect: str, *kinds: str) -> Question:
    """The look-up by these kinds of `keys` at once, each by its index."""
    named = or_(*(lookup.among(dialect, _KEYS[kind], kind) for kind in kinds))
    wanted = (*_ENTRY, *_COMPANY, *_SIGNED)
    joined = _with_party(select_columns(*wanted).select_from(CompanyEntry).join(CompanyRecord))
    # An agreement that waits covers no one.
    asked: Question = joined.where(named, col(CompanyRecord.countersigned_at).is_not(None))
    return asked


def _with_party(query: Any) -> Any:
    no_signature = col(CompanyRecord.signature_id).is_(None)
    return (
        query.join(SignatureRecord, col(SignatureRecord.id) == col(CompanyRecord.signature_id), isouter=True)
        .join(PartyRecord, col(PartyRecord.signature_id) == col(SignatureRecord.id), isouter=True)
        # The table of parties is joined twice: by the signature, and by a company that has none.
        .join(
            PARTY_OF_COMPANY,
            and_(PARTY_OF_COMPANY.c.company_id == col(CompanyRecord.id), no_signature),
            isouter=True,
        )
    )


def answer(
    vault: Vault, rows: Iterable[Sequence[Any]], *, accepted: Collection[TextKey] | None
) -> tuple[facts.Company, ...]:
    """The companies in rows of `question`, by name, each with just these entries.

    Only those whose text counts (in the catalog, `accepted`, or made elsewhere) and whose party is known; None: all.
    """
    found: dict[str, tuple[CompanyRow, str | None, dict[str, EntryRow]]] = {}
    texts = None if accepted is None else set(accepted)
    for row in rows:
        entry, (company, signed) = EntryRow(*row[: len(_ENTRY)]), _signed(row[len(_ENTRY) :])
        # To a decision, None would be the rulebook's own party.
        if texts is None or (signed.party is not None and _counts(company, signed, texts)):
            found.setdefault(company.id, (company, signed.party, {}))[2][entry.id] = entry
    by_name = sorted(found.values(), key=lambda one: (one[0].name, one[0].id))
    return tuple(fact(vault, company, _sorted(entries), party=party) for company, party, entries in by_name)


def without_text(session: Session, *, accepted: Collection[TextKey]) -> frozenset[str]:
    """The companies that cover no one because the catalog (`accepted`) lacks the text they signed."""
    query = _with_party(select_columns(*_COMPANY, *_SIGNED).select_from(CompanyRecord))
    query = query.where(col(CompanyRecord.signature_id).is_not(None))
    texts, rows = set(accepted), map(_signed, session.execute(query))
    return frozenset(company.id for company, signed in rows if not _counts(company, signed, texts))


def _signed(row: Sequence[Any]) -> tuple[CompanyRow, SignedRow]:
    return CompanyRow(*row[: len(_COMPANY)]), SignedRow(*row[len(_COMPANY) :])


def _sorted(entries: Mapping[str, EntryRow]) -> list[EntryRow]:
    return sorted(entries.values(), key=lambda row: (row.kind, row.domain or "", row.account_id or 0, row.id))


def _counts(company: CompanyRow | CompanyRecord, signed: SignedRow, texts: set[TextKey]) -> bool:
    language, sha256, proof, _ = signed
    if language is None or sha256 is None or proof is None:
        return company.signature_id is None  # An imported company counts by its version, once countersigned.
    return (company.agreement, company.version, language, sha256) in texts or made_elsewhere(sha256, proof)


def relevant(
    session: Session,
    vault: Vault,
    account_ids: Collection[int],
    addresses: Collection[str],
    *,
    accepted: Collection[TextKey] | None,
) -> tuple[facts.Company, ...]:
    """The countersigned companies that name or exclude any of the accounts or addresses, with just those entries.

    `accepted` as in `answer`. Invalid addresses are ignored; None among the keys raises ValueError.
    """
    # By account id, blind index, and the domain and those above it: never by a scan of all entries.
    lots = keys_of_people(vault, account_ids, addresses, kind=EMAIL_INDEX)
    asked = ((question(lookup.dialect(session), *lot), lot) for lot in lots)
    rows = (row for query, lot in asked for row in lookup.rows(session, query, lot))
    return answer(vault, rows, accepted=accepted)


def _entry_domain(context: RecordContext, company: CompanyRecord, entry: facts.Entry, *, excluded: bool) -> str:
    domain = canonical_domain(text_key(entry.domain))
    if domain is None:
        raise ValueError("an entry needs a valid domain")
    if excluded:  # An exclusion takes cover away, so any domain may be excluded.
        return domain
    since = entry.since or context.at
    return allowed_domain(context.session, company, domain, since, subdomains=entry.subdomains)


def allowed_domain(session: Session, company: CompanyRecord, domain: str, since: datetime, *, subdomains: bool) -> str:
    """The domain in its one spelling, if the company may hold it from then on. Raises DomainRefused."""
    reason, name = approvable(domain), canonical_domain(domain)
    if reason is not None or name is None:
        raise DomainRefused(domain, reason or "invalid")
    if taken(session, company, name, since, subdomains=subdomains):
        raise DomainRefused(name, "taken")
    return name


def taken(
    session: Session,
    company: CompanyRecord | None,
    domain: str,
    since: datetime,
    *,
    subdomains: bool,
    with_whom: str | None = None,
) -> bool:
    """Whether another company holds, from then on, the domain, one above that takes it in, or one below.

    `company` None: a company not yet stored, whose agreement is made with the party `with_whom`.
    """
    whom = with_whom if company is None else party(session, company.id)
    above = col(CompanyEntry.domain).in_(with_parents(domain))
    below = col(CompanyEntry.domain).endswith(f".{domain}") if subdomains else false()
    # With another party the same employer has another record: its domains are free here.
    of_party = or_(_PARTY.is_(None), whom == _PARTY) if whom is not None else true()
    query: Any = (
        _with_party(select(CompanyEntry).join(CompanyRecord))
        .where(of_party)
        .where(
            or_(above, below),
            col(CompanyEntry.company_id) != (company.id if company else ""),
            col(CompanyEntry.excluded).is_(False),
            or_(col(CompanyEntry.until).is_(None), col(CompanyEntry.until) > since),
            or_(col(CompanyRecord.ended_at).is_(None), col(CompanyRecord.ended_at) > since),
            col(CompanyRecord.refused_at).is_(None),  # a refused request held nothing
        )
    )
    # `above` also finds domains whose companies left subdomains out: those hold only themselves.
    return any(
        held.subdomains or held.domain == domain or (held.domain or "").endswith(f".{domain}")
        for held in session.exec(query)
    )


def _kind(entry: facts.Entry) -> str:
    keys = {"domain": entry.domain, "email": entry.email, "account": entry.account_id}
    named = [kind for kind, key in keys.items() if key is not None]
    if len(named) != 1:
        raise ValueError("an entry names exactly one domain, address or account")
    if entry.account_id is not None:
        account_key(entry.account_id)
    return named[0]
