"""The rows of one company: locked for a change, with its key and its log; and for a decision, with addresses decrypted."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import text
from sqlmodel import Session, SQLModel, col, or_, select

from agreements import facts
from agreements.store import lookup
from agreements.store.ledger.stored_ledger import LedgerSubject
from agreements.store.lookup import NamedRow, text_chunks, text_key
from agreements.store.record_context import RecordContext
from agreements.store.tables.company_records import CompanyEntry, CompanyRecord
from agreements.vault import DataKey, Vault, WrappedKey, place

_DOMAINS_LOCK = 0x446F6D61696E  # Any number that no other advisory lock has: "Domain" in ASCII.


class CompanyRefused(Exception):
    """The change of a company is not allowed; `reason` is one word, for which the portal has a sentence."""

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(reason)


def find(session: Session, company_id: str) -> CompanyRecord:
    """The company. Raises LookupError."""
    company = session.get(CompanyRecord, text_key(company_id))  # An empty id must find no company.
    if company is None:
        raise LookupError("no such company")
    return company


def names(session: Session, company_ids: Collection[str]) -> dict[str, str]:
    """The names of these companies, by id."""
    query, found = select(CompanyRecord.id, CompanyRecord.name), dict[str, str]()
    for chunk in text_chunks(company_ids):
        found.update(session.exec(query.where(col(CompanyRecord.id).in_(chunk))).all())
    return found


def locked(session: Session, company_id: str) -> CompanyRecord:
    """The company, locked against changes by others until the transaction ends. Call it first. Raises LookupError."""
    company = lookup.locked(session, CompanyRecord, col(CompanyRecord.id) == text_key(company_id))
    if company is None:
        raise LookupError("no such company")
    return company


def lock_domains(session: Session) -> None:
    """Keep other companies from getting a domain before the transaction ends. Call it before any other lock."""
    # A row lock is not enough: the domain that two companies want has no row yet. SQLite has one writer.
    if session.get_bind().dialect.name != "sqlite":
        session.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _DOMAINS_LOCK})


def domain_entries(
    session: Session, company_id: str, domain: str, *, excluded: bool, at: datetime
) -> Sequence[CompanyEntry]:
    """The company's entries of that very domain that run at `at` or later; earlier releases could make more than one."""
    query = select(CompanyEntry).where(
        col(CompanyEntry.company_id) == text_key(company_id),
        col(CompanyEntry.domain) == text_key(domain),
        col(CompanyEntry.excluded).is_(excluded),
        or_(col(CompanyEntry.until).is_(None), col(CompanyEntry.until) > at),
    )
    return session.exec(query.order_by(col(CompanyEntry.id))).all()


def is_over(company: CompanyRecord, at: datetime) -> bool:
    """Whether the company's agreement has ended by then."""
    return company.ended_at is not None and company.ended_at <= at


def subject(vault: Vault, company: CompanyRecord) -> LedgerSubject:
    """The company as the subject of a change in the log."""
    return LedgerSubject("company", company.id, company_key(vault, company))


def log(
    context: RecordContext, company: CompanyRecord, kind: str, rows: Sequence[SQLModel], details: Mapping[str, object]
) -> None:
    """Write the entry about the company, as the last step of a transaction (see `RecordContext.append`)."""
    context.log(kind, subject(context.vault, company), rows=rows, details=details)


class CompanyRow(NamedTuple):
    """The columns of a company that a decision needs."""

    id: str
    name: str
    agreement: str
    version: str
    signed_at: datetime
    countersigned_at: datetime | None
    ended_at: datetime | None
    domains: str | None
    wrapped_key: bytes
    ring_key_id: str


def fact(
    vault: Vault, company: CompanyRecord | CompanyRow, entries: Iterable[CompanyEntry | NamedRow], *, party: str | None
) -> facts.Company:
    """The company as a decision knows it, with these of its entries and that party."""
    entry_facts = [(row.excluded, entry_fact(vault, company, row)) for row in entries]
    countersigned_at = company.countersigned_at or company.signed_at  # `rosters` also shows companies that wait.
    return facts.Company(
        name=company.name,
        agreement=company.agreement,
        version=company.version,
        party=party,
        # In force from the later of the two: a paper may be signed long before it is countersigned.
        signed_at=max(company.signed_at, countersigned_at),
        ended_at=company.ended_at,
        domains=company.domains,
        covers=tuple(entry for excluded, entry in entry_facts if not excluded),
        excludes=tuple(entry for excluded, entry in entry_facts if excluded),
        record=company.id,  # The verdict names it, and `ledger verify` follows it.
    )


def entry_fact(vault: Vault, company: CompanyRecord | CompanyRow, row: CompanyEntry | NamedRow) -> facts.Entry:
    """The entry as a decision knows it, its address opened. Raises DecryptionFailed."""
    return facts.Entry(
        domain=row.domain,
        subdomains=row.subdomains,
        email=address(vault, company, row),
        account_id=row.account_id,
        since=row.since,
        until=row.until,
        record=row.id,
    )


def address(vault: Vault, company: CompanyRecord | CompanyRow, row: CompanyEntry | NamedRow) -> str | None:
    """The address that the entry names, opened; None when it names something else. Raises DecryptionFailed."""
    if row.email is None:
        return None
    return vault.decrypt(company_key(vault, company), row.email, place("company_entry", "email", row.id)).decode()


def company_key(vault: Vault, company: CompanyRecord | CompanyRow) -> DataKey:
    """The company's opened data key. Raises DecryptionFailed when the row was changed or the ring lost its key."""
    return vault.unwrap(WrappedKey(company.ring_key_id, company.wrapped_key), "company", company.id)
