"""Choices of cover: for whom a person contributes in one pull request, said by that person. Written once; the newest counts."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import Index
from sqlmodel import Field, Session, SQLModel, col, or_, select

from agreements.facts import ChosenCover
from agreements.store.companies import company_agreements
from agreements.store.lookup import account_key, text_key
from agreements.store.record_context import RecordContext
from agreements.store.tables.columns import BigId, Moment
from agreements.store.tables.company_records import CompanyEntry, CompanyRecord
from agreements.store.tables.declarations import declare


class CoverChoice(SQLModel, table=True):
    """One choice of the account `account_id`: the company's agreement or, without `company_id`, the person's own signature."""

    __tablename__ = "cover_choice"
    __table_args__ = (
        # One comment gives one choice, however often GitHub or the queue repeats it: a newer one is not undone.
        Index("ix_cover_choice_comment_id", "comment_id", unique=True),
        declare(logged=True),
    )

    id: str = Field(primary_key=True)
    pull_id: int = Field(sa_type=BigId, foreign_key="pull.id", index=True)
    account_id: int = Field(sa_type=BigId, index=True)
    company_id: str | None = Field(default=None, foreign_key="company.id")
    comment_id: int | None = Field(default=None, sa_type=BigId)  # None: chosen on the page of the pull request.
    at: datetime = Field(sa_type=Moment)


def add(
    context: RecordContext, pull_id: int, company_id: str | None, *, comment_id: int | None = None
) -> CoverChoice | None:
    """Store the choice of the account that makes the change; None when this comment's is stored already."""
    session = context.session
    if comment_id is not None:
        same = select(CoverChoice.id).where(col(CoverChoice.comment_id) == comment_id)
        if session.exec(same).first() is not None:
            return None
    row = CoverChoice(
        id=context.new_id(),
        pull_id=pull_id,
        account_id=context.actor,
        company_id=None if company_id is None else text_key(company_id),
        comment_id=comment_id,
        at=context.at,
    )
    session.add(row)
    session.flush()
    return row


def newest(rows: Sequence[CoverChoice]) -> tuple[ChosenCover, ...]:
    """The choice that counts for each account among these rows, by account."""
    found = {row.account_id: ChosenCover(row.account_id, row.company_id) for row in sorted(rows, key=_age)}
    return tuple(found[account_id] for account_id in sorted(found))


def of_account(session: Session, pull_id: int, account_id: int) -> ChosenCover | None:
    """The account's choice in that pull request; None where it made none."""
    mine = (col(CoverChoice.pull_id) == pull_id, col(CoverChoice.account_id) == account_key(account_id))
    return next(iter(newest(session.exec(select(CoverChoice).where(*mine)).all())), None)


def companies_at(session: Session, domain: str, *, at: datetime) -> dict[str, str | None]:
    """The companies with an agreement in force that name this very domain, with the party of each."""
    # Others than those in force are not public, and the answer to a comment is.
    entry, company = CompanyEntry, CompanyRecord
    named = select(entry.company_id).where(
        col(entry.domain) == text_key(domain),
        col(entry.excluded).is_(False),
        or_(col(entry.since).is_(None), col(entry.since) <= at),
        or_(col(entry.until).is_(None), col(entry.until) > at),
    )
    query = select(company.id).where(
        col(company.id).in_(named),
        col(company.countersigned_at) <= at,
        or_(col(company.ended_at).is_(None), col(company.ended_at) > at),
    )
    found = session.exec(query.order_by(col(company.signed_at).desc(), col(company.id)))
    return {company_id: company_agreements.party(session, company_id) for company_id in found.all()}


def _age(row: CoverChoice) -> tuple[datetime, str]:
    return row.at, row.id
