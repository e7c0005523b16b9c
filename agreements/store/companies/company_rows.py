"""Loads one company for a change: locked until the transaction ends, with its key and its log."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime

from sqlalchemy import text
from sqlmodel import Session, SQLModel, col, select

from agreements.store.companies.company_facts import company_key
from agreements.store.ledger.ledger import LedgerSubject
from agreements.store.lookup import row_lock
from agreements.store.lookup.keys import text_chunks, text_key
from agreements.store.record_context import RecordContext
from agreements.store.tables.company_records import CompanyRecord
from agreements.vault import Vault

_DOMAINS_LOCK = 0x446F6D61696E  # any number that nobody else takes: "Domain"


class CompanyRefused(Exception):
    """A company's change is not allowed; `reason` is one word, for which the portal has a sentence."""

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(reason)


def find(session: Session, company_id: str) -> CompanyRecord:
    """The company. Raises LookupError."""
    company = session.get(CompanyRecord, text_key(company_id))
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
    """The company, which nobody else changes before this transaction ends. Call it first. Raises LookupError."""
    company = row_lock.row(session, CompanyRecord, col(CompanyRecord.id) == text_key(company_id))
    if company is None:
        raise LookupError("no such company")
    return company


def lock_domains(session: Session) -> None:
    """Until the transaction ends nobody else's company gets a domain: who holds which can be looked up and decided.

    Call it before anything else is locked. SQLite has one writer anyway, once `locked` has begun to write.
    """
    if session.get_bind().dialect.name != "sqlite":
        session.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _DOMAINS_LOCK})


def is_over(company: CompanyRecord, at: datetime) -> bool:
    """Whether its agreement has ended by then."""
    return company.ended_at is not None and company.ended_at <= at


def subject(vault: Vault, company: CompanyRecord) -> LedgerSubject:
    """The company as a change's subject in the log."""
    return LedgerSubject("company", company.id, company_key(vault, company))


def log(
    context: RecordContext, company: CompanyRecord, kind: str, rows: Sequence[SQLModel], details: Mapping[str, object]
) -> None:
    """Write the entry about the company; the last thing in a transaction (`ledger.append` says why)."""
    context.log(kind, subject(context.vault, company), rows=rows, details=details)
