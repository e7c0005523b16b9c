"""The log as it is read in the portal: newest first, filtered, with names, and an entry's details while its key exists."""

from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement
from sqlmodel import Session, col, select

from agreements import ledger
from agreements.ledger import RowChange
from agreements.store.ledger import log_subjects, stored_ledger
from agreements.store.lookup import account_chunks, account_key, from_row, text_chunks, text_key
from agreements.store.people import person_rows
from agreements.store.tables.company_records import CompanyRecord
from agreements.store.tables.ledger_records import LedgerEntry
from agreements.store.tables.records import PersonRecord
from agreements.vault import DecryptionFailed, Vault


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryFilter:
    """The entries wanted: of a `kind`, about `subject_id` or `about_account`, from `since` on, before `until`; None asks for all."""

    kind: str | None = None
    subject_id: str | None = None
    about_account: int | None = None
    since: datetime | None = None
    until: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LogEntry:
    """An entry: `number`, `at`, `kind`, `actor_id` (None: no account), `subject_kind`, `subject_id`, `commitment` and the `rows` it names.

    `details` are None in lists, and when the key that sealed them is gone.
    """

    number: int
    at: datetime
    kind: str
    actor_id: int | None
    subject_kind: str
    subject_id: str
    commitment: str
    rows: tuple[RowChange, ...]
    details: Mapping[str, Any] | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class EntryNames:
    """The people and companies of entries: `logins` by account id, `accounts` by a person's id, names of `companies` by id."""

    logins: Mapping[int, str] = field(default_factory=dict)
    accounts: Mapping[str, int] = field(default_factory=dict)
    companies: Mapping[str, str] = field(default_factory=dict)


def page(session: Session, wanted: EntryFilter, *, skip: int, most: int) -> tuple[LogEntry, ...]:
    """The newest entries that are wanted, after the first `skip` of them."""
    query = select(LedgerEntry).where(*_conditions(session, wanted)).order_by(col(LedgerEntry.number).desc())
    return tuple(_entry(row) for row in session.exec(query.offset(skip).limit(most)))


def names(session: Session, entries: Collection[LogEntry], account_ids: Collection[int] = ()) -> EntryNames:
    """The names of the actors and subjects of those entries, and of further accounts, in two queries."""
    persons = {entry.subject_id for entry in entries if entry.subject_kind == "person"}
    companies = {entry.subject_id for entry in entries if entry.subject_kind == "company"}
    actors = {entry.actor_id for entry in entries if entry.actor_id} | set(account_ids)
    logins: dict[int, str] = {}
    accounts: dict[str, int] = {}
    matching = [
        *(col(PersonRecord.id).in_(chunk) for chunk in text_chunks(persons)),
        *(col(PersonRecord.account_id).in_(chunk) for chunk in account_chunks(actors)),
    ]
    for condition in matching:
        query = select(PersonRecord.id, PersonRecord.account_id, PersonRecord.login, person_rows.are_named()).where(
            condition
        )
        for person_id, account_id, login, has_name in session.exec(query):
            accounts[person_id] = account_id
            if has_name:  # Restricted and erased people have none: it is opened one by one, and that is logged.
                logins[account_id] = login
    found = (
        session.exec(select(CompanyRecord.id, CompanyRecord.name).where(col(CompanyRecord.id).in_(chunk)))
        for chunk in text_chunks(companies)
    )
    return EntryNames(logins, accounts, {company_id: name for rows in found for company_id, name in rows})


def kinds(session: Session) -> tuple[str, ...]:
    """Every kind of entry that there is, sorted."""
    return tuple(sorted(session.exec(select(LedgerEntry.kind).distinct())))


def opened(session: Session, vault: Vault, number: int) -> LogEntry | None:
    """The entry with its details, if its subject's key still opens them; None when there is no such entry."""
    row = session.get(LedgerEntry, number)
    if row is None:
        return None
    subject, details = log_subjects.subject_named(session, vault, row.subject_kind, row.subject_id), None
    if subject is not None:
        with suppress(DecryptionFailed):  # The subject was erased, and has a new key.
            details = stored_ledger.open_details(session, vault, row, subject)
    return _entry(row, details)


def _conditions(session: Session, wanted: EntryFilter) -> list[ColumnElement[bool]]:
    found: list[ColumnElement[bool]] = []
    if wanted.kind:
        found.append(col(LedgerEntry.kind) == wanted.kind)
    if wanted.subject_id:
        found.append(col(LedgerEntry.subject_id) == text_key(wanted.subject_id))
    if wanted.about_account:
        person = session.exec(
            select(PersonRecord.id).where(col(PersonRecord.account_id) == account_key(wanted.about_account))
        ).first()
        # An unknown account has no entries; no condition would show all.
        found.append(col(LedgerEntry.subject_id) == (person or "nobody"))
    if wanted.since:
        found.append(col(LedgerEntry.at) >= wanted.since)
    if wanted.until:
        found.append(col(LedgerEntry.at) < wanted.until)
    return found


def _entry(row: LedgerEntry, details: Mapping[str, Any] | None = None) -> LogEntry:
    return from_row(LogEntry, row, rows=ledger.rows_of(row.rows), details=details)
