"""Finding people and companies for administrators: by account, login, receipt, company name, domain or address."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, and_, func
from sqlalchemy import select as select_columns
from sqlmodel import Session, col, or_, select

from agreements.domains.canonical_form import canonical_address, canonical_domain, domain_of, with_parents
from agreements.domains.masking import masked
from agreements.store.imports.imported import DOUBTFUL
from agreements.store.lookup import account_key, from_row, text_key
from agreements.store.people import emails, person_rows
from agreements.store.people.erasure_requests import ASKED
from agreements.store.tables.company_records import CompanyEntry, CompanyManager, CompanyRecord, DomainClaim, Enrolment
from agreements.store.tables.declarations import EMAIL_INDEX
from agreements.store.tables.records import Erasure, ImportedEntry, PersonRecord, Proof, SignatureRecord
from agreements.vault import Vault

MAX_RESULTS = 50
"""The most results of each kind that are shown; a search finds one more, which tells that there are others."""


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The results of a search: `people` as (account id, login), `companies` as (id, name), and `receipts`."""

    people: tuple[tuple[int, str], ...] = ()
    companies: tuple[tuple[str, str], ...] = ()
    receipts: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.people or self.companies or self.receipts)


@dataclass(frozen=True, slots=True, kw_only=True)
class MaskedAddress:
    """An address that was proven, masked (`shown`, None once its key is gone): `how`, `at` which moment, and `until` when it counts."""

    shown: str | None
    how: str
    at: datetime
    until: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonDetails:
    """An account's records but for signatures and files: the `person`, their `proofs` and `erasure_requests` (moment, state).

    Companies (id, name, since, until): those they manage (`manages`), that name them (`named_by`), that `enrolled` them.
    """

    person: PersonRecord
    proofs: tuple[MaskedAddress, ...]
    manages: tuple[tuple[str, str, datetime, datetime | None], ...]
    named_by: tuple[tuple[str, str, datetime | None, datetime | None], ...]
    enrolled: tuple[tuple[str, str, datetime, datetime], ...]
    erasure_requests: tuple[tuple[datetime, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class DomainHolder:
    """A company (`company_id`, `name`) that holds a `domain` (with `subdomains`) from `since` `until` (None: no end), or `asks` for it."""

    company_id: str
    name: str
    domain: str
    subdomains: bool
    since: datetime | None
    until: datetime | None
    asks: bool


@dataclass(frozen=True, slots=True)
class AdminTotals:
    """Counts: entries (`imported`) and `erasure_requests` that wait to be decided; all `people`, `signatures`, and `companies` in force."""

    imported: int
    erasure_requests: int
    people: int
    signatures: int
    companies: int


def search(session: Session, vault: Vault, text: str) -> SearchResult:
    """All people, companies and receipts that the text may mean."""
    wanted = " ".join(text.split())
    if not wanted:
        return SearchResult()
    if "@" in wanted.removeprefix("@"):  # `@name` is a login, `a@b` an address.
        address = canonical_address(wanted)
        # By its blind index: a part of an address finds nothing.
        return _by_address(session, vault, address) if address else SearchResult()
    receipts = tuple(
        # Receipts are spelled in capitals.
        session.exec(select(SignatureRecord.receipt).where(col(SignatureRecord.receipt) == wanted.upper()))
    )
    return SearchResult(_people(session, wanted.removeprefix("@")), _companies(session, wanted), receipts)


def person_details(session: Session, vault: Vault, account_id: int) -> PersonDetails | None:
    """The records of that account; None when there are none."""
    person = person_rows.find(session, account_id)
    if person is None:
        return None
    requests = select(Erasure.asked_at, Erasure.state).where(col(Erasure.account_id) == person.account_id)
    return PersonDetails(
        person=person,
        proofs=_proofs(session, vault, person),
        manages=_companies_of(session, CompanyManager, person.account_id),
        named_by=_companies_of(session, CompanyEntry, person.account_id, col(CompanyEntry.excluded).is_(False)),
        enrolled=_companies_of(session, Enrolment, person.account_id),
        erasure_requests=tuple(session.exec(requests.order_by(col(Erasure.asked_at).desc())).all()),
    )


def waiting(session: Session, *, at: datetime) -> AdminTotals:
    """Counts for the first page of the administration."""
    counted = {
        "imported": select(func.count()).where(col(ImportedEntry.state) == DOUBTFUL),
        "erasure_requests": select(func.count()).where(col(Erasure.state) == ASKED),
        "people": select(func.count()).select_from(PersonRecord),
        "signatures": select(func.count()).select_from(SignatureRecord),
        "companies": select(func.count()).where(col(CompanyRecord.countersigned_at) <= at),
    }
    query = select_columns(*(count.scalar_subquery().label(name) for name, count in counted.items()))
    return AdminTotals(**session.execute(query).mappings().one())


def company_names(session: Session) -> tuple[tuple[str, str], ...]:
    """Id and name of each company whose request was not turned down, by name."""
    query = select(CompanyRecord.id, CompanyRecord.name).where(col(CompanyRecord.refused_at).is_(None))
    return tuple(session.exec(query.order_by(func.lower(CompanyRecord.name), col(CompanyRecord.id))).all())


def holders(session: Session, domain: str, *, besides: str) -> tuple[DomainHolder, ...]:
    """Other companies that hold or held the domain, one above or one below it, or ask for that very one."""
    name, others = text_key(domain), col(CompanyRecord.id) != text_key(besides)
    near = or_(
        col(CompanyEntry.domain).in_(with_parents(name)), col(CompanyEntry.domain).endswith(f".{name}", autoescape=True)
    )
    held = (
        select(CompanyRecord, CompanyEntry)
        .join(CompanyEntry)
        .where(near, col(CompanyEntry.excluded).is_(False), others)
    )
    asked = select(CompanyRecord, DomainClaim).join(DomainClaim).where(col(DomainClaim.domain) == name, others)
    # A proven claim has an entry, which is found above.
    asked = asked.where(col(DomainClaim.proven_at).is_(None), col(DomainClaim.refused_at).is_(None))
    order = (col(CompanyRecord.name), col(CompanyRecord.id))
    found = [
        _holding(company, row, asks=False) for company, row in session.exec(held.order_by(*order).limit(MAX_RESULTS))
    ]
    asks = [
        _holding(company, row, asks=True) for company, row in session.exec(asked.order_by(*order).limit(MAX_RESULTS))
    ]
    return (*found, *asks)


def address_at(session: Session, vault: Vault, account_id: int, domain: str, *, at: datetime) -> str | None:
    """The first address at that very domain that is proven for the account at `at`, masked."""
    proven = emails.proven(session, vault, [account_id], at).get(account_id, ())
    return next((masked(address) for address in proven if domain_of(address) == domain), None)


def _holding(company: CompanyRecord, row: CompanyEntry | DomainClaim, *, asks: bool) -> DomainHolder:
    entry = row if isinstance(row, CompanyEntry) else None
    return DomainHolder(
        company_id=company.id,
        name=company.name,
        domain=row.domain or "",
        subdomains=row.subdomains,
        since=entry.since or entry.added_at if entry else None,
        # An entry ends with its company, if not before.
        until=company.ended_at if entry is None or entry.until is None else entry.until,
        asks=asks,
    )


def _people(session: Session, wanted: str) -> tuple[tuple[int, str], ...]:
    # Restricted and erased people are found by number only.
    begins = and_(col(PersonRecord.login).istartswith(wanted, autoescape=True), person_rows.are_named())
    is_id = wanted.isascii() and wanted.isdecimal() and 0 < int(wanted) < 2**63  # The end of PostgreSQL's BIGINT.
    by_id = col(PersonRecord.account_id) == account_key(int(wanted)) if is_id else None
    matching = begins if by_id is None else or_(begins, by_id)
    query = select(PersonRecord).where(matching).order_by(func.lower(PersonRecord.login)).limit(MAX_RESULTS + 1)
    return tuple((person.account_id, person_rows.shown_login(person)) for person in session.exec(query))


def _companies(session: Session, wanted: str) -> tuple[tuple[str, str], ...]:
    domain = canonical_domain(wanted)
    matching = [col(CompanyRecord.name).icontains(wanted, autoescape=True)]
    if domain:
        named = select(CompanyEntry.company_id).where(col(CompanyEntry.domain) == text_key(domain))
        claimed = select(DomainClaim.company_id).where(col(DomainClaim.domain) == text_key(domain))
        matching += [col(CompanyRecord.id).in_(named), col(CompanyRecord.id).in_(claimed)]
    query = (
        select(CompanyRecord.id, CompanyRecord.name)
        .where(or_(*matching))
        .order_by(col(CompanyRecord.name))
        .limit(MAX_RESULTS + 1)
    )
    return tuple(session.exec(query).all())


def _by_address(session: Session, vault: Vault, address: str) -> SearchResult:
    indexes = vault.blind_indexes(EMAIL_INDEX, address)
    proven = select(Proof.account_id).where(col(Proof.address_index).in_(indexes))
    found = (
        select(PersonRecord.account_id, PersonRecord.login)
        # A search by address must not undo an erasure.
        .where(col(PersonRecord.account_id).in_(proven), person_rows.are_named())
        .limit(MAX_RESULTS + 1)
    )
    entries = select(CompanyEntry.company_id).where(col(CompanyEntry.email_index).in_(indexes))
    named = (
        select(CompanyRecord.id, CompanyRecord.name)
        .where(col(CompanyRecord.id).in_(entries))
        .order_by(col(CompanyRecord.name))
        .limit(MAX_RESULTS + 1)
    )
    return SearchResult(tuple(session.exec(found).all()), tuple(session.exec(named).all()))


def _proofs(session: Session, vault: Vault, person: PersonRecord) -> tuple[MaskedAddress, ...]:
    rows = session.exec(select(Proof).where(col(Proof.person_id) == person.id).order_by(col(Proof.at).desc())).all()
    # Masked: an administrator recognises an address, and does not collect it.
    shown = {key: masked(address) for key, address in emails.opened(session, vault, [row.id for row in rows]).items()}
    return tuple(from_row(MaskedAddress, row, shown=shown.get(row.id)) for row in rows)


def _companies_of(
    session: Session,
    table: type[CompanyManager] | type[CompanyEntry] | type[Enrolment],
    account_id: int,
    *such: ColumnElement[bool],
) -> tuple[tuple[str, str, Any, Any], ...]:
    end = func.coalesce(Enrolment.ended_at, Enrolment.until) if table is Enrolment else table.until
    query = (
        select(CompanyRecord.id, CompanyRecord.name, table.since, end)
        .join(table, col(table.company_id) == col(CompanyRecord.id))
        .where(col(table.account_id) == account_key(account_id), *such)
        .order_by(col(table.added_at if table is CompanyEntry else table.since).desc())
    )
    return tuple(session.exec(query).all())
