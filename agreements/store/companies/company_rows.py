"""One company as a change of it needs it: found, kept from others until the change is done, with its key."""

from sqlalchemy import text
from sqlmodel import Session, col

from agreements.store.ledger.ledger import Subject
from agreements.store.lookup import row_lock
from agreements.store.lookup.keys import text_key
from agreements.store.tables.company_records import Company
from agreements.vault import DataKey, Vault, WrappedKey

_DOMAINS_LOCK = 0x446F6D61696E  # any number that nobody else takes: "Domain"


class CompanyRefused(Exception):
    """A company's change is not allowed; `reason` is one word, for which the portal has a sentence."""

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(reason)


def locked(session: Session, company_id: str) -> Company:
    """The company, which nobody else changes before this transaction ends. Call it first. Raises LookupError."""
    company = row_lock.row(session, Company, col(Company.id) == text_key(company_id))
    if company is None:
        raise LookupError("no such company")
    return company


def lock_domains(session: Session) -> None:
    """Until the transaction ends nobody else's company gets a domain: who holds which can be looked up and decided.

    Call it before anything else is locked. SQLite has one writer anyway, once `locked` has begun to write.
    """
    if session.get_bind().dialect.name != "sqlite":
        session.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _DOMAINS_LOCK})


def data_key(vault: Vault, company: Company) -> DataKey:
    """The company's opened data key. Raises DecryptionFailed when the row was tampered with or the ring lost its key."""
    return vault.unwrap(WrappedKey(company.ring_key_id, company.wrapped_key), "company", company.id)


def subject(vault: Vault, company: Company) -> Subject:
    """The company as a change's subject in the log."""
    return Subject("company", company.id, data_key(vault, company))
