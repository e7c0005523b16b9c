"""A company's annual review of its agreement: when it is due, which managers are reminded, and which reviews are overdue."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import ColumnElement
from sqlmodel import Session, col, func, or_, select

from agreements.store.companies import company_rows
from agreements.store.companies.company_rows import CompanyRefused
from agreements.store.record_context import RecordContext
from agreements.store.tables.company_records import CompanyRecord

RENEWAL_PERIOD = timedelta(days=365)
"""The time from a countersignature or a review to the next review."""

# The last on the day itself.
REMINDERS_BEFORE_END = (timedelta(days=60), timedelta(days=30), timedelta(days=7), timedelta(0))
"""The times before the day of the review at which its managers are written to."""

OVERDUE_AFTER = timedelta(days=30)
"""The time after that day when administrators are told. The agreement stays in force all the same."""


@dataclass(frozen=True, slots=True)
class DueRenewal:
    """A company (`company_id`, `name`) to be reviewed until `renew_by`, whose managers get the reminder of `before` now."""

    company_id: str
    name: str
    renew_by: datetime
    before: timedelta


def reminder(
    end: datetime, reminded_at: datetime | None, spans: Sequence[timedelta], *, at: datetime
) -> timedelta | None:
    """The reminder before `end` that is due at `at`, or None; of several that were missed the last, none twice."""
    nearest = min((span for span in spans if at >= end - span), default=None)
    # A reminder at a time to come is none: the log does not cover `reminded_at`, so it may have been forged.
    if nearest is None or (reminded_at is not None and end - nearest <= reminded_at <= at):
        return None
    return nearest


def due(session: Session, *, at: datetime) -> tuple[DueRenewal, ...]:
    """The companies in force whose managers are to be told now, by name."""
    query = select(CompanyRecord).where(*_in_force(at), col(CompanyRecord.renew_by) <= at + max(REMINDERS_BEFORE_END))
    found = []
    for row in session.exec(query.order_by(func.lower(CompanyRecord.name), col(CompanyRecord.id))):
        assert row.renew_by is not None
        span = reminder(row.renew_by, row.reminded_at, REMINDERS_BEFORE_END, at=at)
        if span is not None:
            found.append(DueRenewal(row.id, row.name, row.renew_by, span))
    return tuple(found)


def reminded(session: Session, company_id: str, *, at: datetime) -> None:
    """Note that the company's managers were written to at `at`. Raises LookupError."""
    company = company_rows.locked(session, company_id)
    company.reminded_at = at


def renew(context: RecordContext, company_id: str) -> datetime:
    """Note that a manager reviewed everything; the day of the next review.

    Raises LookupError, and CompanyRefused: `not-in-force`, or `early` before the first reminder.
    """
    at = context.at
    company = company_rows.locked(context.session, company_id)
    if company.countersigned_at is None or company_rows.is_over(company, at):
        raise CompanyRefused("not-in-force")
    if not may_renew(company.renew_by, at):
        raise CompanyRefused("early")
    # An early review loses no time; a late one counts from now.
    company.renew_by = max(company.renew_by or at, at) + RENEWAL_PERIOD
    company_rows.log(context, company, "company.renewed", [company], {"renew_by": company.renew_by})
    return company.renew_by


def may_renew(renew_by: datetime | None, at: datetime) -> bool:
    """Whether it may be reviewed now: from the first reminder on, and always where no day was ever set."""
    return renew_by is None or at >= renew_by - max(REMINDERS_BEFORE_END)


def overdue(session: Session, *, at: datetime) -> tuple[tuple[str, str, datetime], ...]:
    """Id, name and day of the companies in force that were not reviewed in time, the longest overdue first."""
    query = select(CompanyRecord.id, CompanyRecord.name, CompanyRecord.renew_by).where(
        *_in_force(at), col(CompanyRecord.renew_by) <= at - OVERDUE_AFTER
    )
    ordered = query.order_by(col(CompanyRecord.renew_by), col(CompanyRecord.id))
    return tuple((key, name, day) for key, name, day in session.exec(ordered) if day is not None)


def _in_force(at: datetime) -> tuple[ColumnElement[bool], ColumnElement[bool]]:
    return col(CompanyRecord.countersigned_at) <= at, or_(
        col(CompanyRecord.ended_at).is_(None), col(CompanyRecord.ended_at) > at
    )
