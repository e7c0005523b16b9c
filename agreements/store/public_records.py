"""The public part of the records: logins with a signature in force, and companies' domains; nothing else leaves."""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import ColumnElement, func
from sqlalchemy import select as select_columns
from sqlalchemy.orm import Mapped
from sqlmodel import Session, col, or_, select

from agreements.store.companies import company_agreements
from agreements.store.ledger import backdated
from agreements.store.lookup import text_key
from agreements.store.people.signatures import TextKey, party, personal
from agreements.store.tables.company_records import CompanyEntry, CompanyRecord
from agreements.store.tables.ledger_records import LedgerEntry
from agreements.store.tables.records import PartyRecord, PersonRecord, SignatureRecord, Withdrawal

_TABLES = (PersonRecord, SignatureRecord, Withdrawal, CompanyRecord, CompanyEntry, PartyRecord)
_ROWS_AT_ONCE = 1000
NEVER = datetime(1970, 1, 1, tzinfo=UTC)
"""The time of the last change before anything was recorded."""


@dataclass(frozen=True, slots=True)
class PublicList:
    """The public content: (login, account id) pairs (`individuals`), `domains`, and when either may last have changed (`updated`)."""

    individuals: tuple[tuple[str, int], ...]
    domains: tuple[str, ...]
    updated: datetime


def listing(session: Session, *, accepted: Collection[TextKey], at: datetime) -> PublicList:
    """The people and domains in force at `at`, by texts of the catalog (`accepted`); always in one order."""
    return PublicList(tuple(individuals(session, at)), domains(session, accepted, at), updated(session, at))


def individuals(
    session: Session, at: datetime, *, begins: str = "", part: slice = slice(None)
) -> Iterator[tuple[str, int]]:
    """Login and account id of each person, or of those whose login `begins` so, in the order of the list, a part at a time.

    Restricted people, and those erased since they signed, are left out. `part`: which of them.
    """
    signed = (
        select(SignatureRecord.id)
        .join(Withdrawal, isouter=True)
        .where(col(SignatureRecord.person_id) == col(PersonRecord.id))
        .where(col(SignatureRecord.signed_at) <= at, _open_at(col(Withdrawal.at), at), personal())
        .where(party().is_not(None))  # An agreement with an unknown party counts for no one.
        .where(
            or_(_open_at(col(PersonRecord.erased_at), at), col(PersonRecord.erased_at) < col(SignatureRecord.signed_at))
        )
        .correlate(PersonRecord)
    )
    name: Any = func.lower(PersonRecord.login)
    # By their bytes, as every other list: a database's own order depends on its locale.
    order = name if session.get_bind().dialect.name == "sqlite" else name.collate("C")
    query = (
        select(PersonRecord.login, PersonRecord.account_id)
        .where(_open_at(col(PersonRecord.restricted_at), at), signed.exists())
        .order_by(order, col(PersonRecord.account_id))
    )
    if begins:
        query = query.where(col(PersonRecord.login).istartswith(text_key(begins), autoescape=True))
    query = query.slice(part.start or 0, part.stop) if part.stop else query
    rows: Iterable[tuple[str, int]] = session.exec(query.execution_options(yield_per=_ROWS_AT_ONCE))
    yield from rows


def newest_change(session: Session) -> int:
    """The number of the newest log entry about a row that a public list is made from; -1 before the first."""
    # Rows begin with their table's name: see `agreements.ledger.rows_text`.
    named = (col(LedgerEntry.rows).contains(f'["{table.__tablename__}"', autoescape=True) for table in _TABLES)
    query = select(LedgerEntry.number).where(or_(*named)).order_by(col(LedgerEntry.number).desc()).limit(1)
    found = session.exec(query).first()
    return -1 if found is None else found


def domains(session: Session, accepted: Collection[TextKey], at: datetime) -> tuple[str, ...]:
    """The domains of companies in force at `at`, sorted."""
    query = (
        select(CompanyEntry.company_id, CompanyEntry.domain, CompanyEntry.excluded)
        .join(CompanyRecord)
        .where(
            col(CompanyEntry.kind) == "domain",
            or_(col(CompanyEntry.since).is_(None), col(CompanyEntry.since) <= at),
            _open_at(col(CompanyEntry.until), at),
            *_in_force(at),
        )
    )
    missing = company_agreements.without_text(session, accepted=accepted) | company_agreements.without_party(session)
    rows = [row for row in session.exec(query) if row[0] not in missing]
    # A domain that its own company also excludes covers no one.
    named = {(company_id, domain) for company_id, domain, out in rows if not out}
    excluded = {(company_id, domain) for company_id, domain, out in rows if out}
    return tuple(sorted({domain for _, domain in named - excluded if domain}))


def left_out(session: Session, accepted: Collection[TextKey], at: datetime) -> int:
    """The number of companies in force that are not listed because the catalog (`accepted`) lacks the text they signed."""
    missing = company_agreements.without_text(session, accepted=accepted)
    running = session.exec(select(CompanyRecord.id).where(*_in_force(at))).all()
    return len(missing.intersection(running))


def updated(session: Session, at: datetime) -> datetime:
    """The latest moment up to `at` at which a public record began, ended, was renamed, or came in late."""
    moments = (
        PersonRecord.login_since,
        PersonRecord.restricted_at,
        PersonRecord.erased_at,
        SignatureRecord.signed_at,
        Withdrawal.at,
        CompanyRecord.signed_at,
        CompanyRecord.countersigned_at,
        CompanyRecord.ended_at,
        CompanyEntry.added_at,
        CompanyEntry.since,
        CompanyEntry.until,
        PartyRecord.at,
    )
    # An end to come has not changed the list yet.
    latest = [select(func.max(moment)).where(col(moment) <= at).scalar_subquery() for moment in moments]
    came_in = select(func.max(LedgerEntry.at)).where(backdated.recorded(), col(LedgerEntry.at) <= at)
    found = session.execute(select_columns(*latest, came_in.scalar_subquery())).one()
    return max(filter(None, found), default=NEVER)


def _in_force(at: datetime) -> tuple[ColumnElement[bool], ...]:
    """Says of a CompanyRecord that its agreement is in force."""
    return (
        col(CompanyRecord.signed_at) <= at,
        col(CompanyRecord.countersigned_at) <= at,
        _open_at(col(CompanyRecord.ended_at), at),
    )


def _open_at(ends: Mapped[Any], at: datetime) -> ColumnElement[bool]:
    return or_(ends.is_(None), ends > at)
