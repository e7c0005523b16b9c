"""Who looks after a company's agreement, and when."""

from datetime import datetime

from sqlalchemy import ColumnElement
from sqlmodel import Session, col, or_, select

from agreements.store.company_records import CompanyManager
from agreements.store.keys import account_key


def manages(session: Session, account_id: int, company_id: str, *, at: datetime) -> bool:
    """Whether that account looks after that company at `at`; an empty company id is nobody's."""
    query = select(CompanyManager.id).where(
        col(CompanyManager.account_id) == account_key(account_id),
        col(CompanyManager.company_id) == company_id,
        *_in_office(at),
    )
    return bool(company_id) and session.exec(query).first() is not None


def companies_of(session: Session, account_id: int, *, at: datetime) -> tuple[str, ...]:
    """Ids of the companies that the account looks after at `at`, sorted."""
    query = select(CompanyManager.company_id).where(
        col(CompanyManager.account_id) == account_key(account_id), *_in_office(at)
    )
    return tuple(sorted(set(session.exec(query))))


def _in_office(at: datetime) -> tuple[ColumnElement[bool], ColumnElement[bool]]:
    return col(CompanyManager.since) <= at, or_(col(CompanyManager.until).is_(None), col(CompanyManager.until) > at)
