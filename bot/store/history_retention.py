"""Deletion by age, in lots that hold locks for a moment only: deliveries that are done, old closed pull requests."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, Final

from sqlalchemy import and_, exists, func, or_, tuple_, update
from sqlalchemy.orm import aliased
from sqlmodel import Session, SQLModel, col, select

from bot.store.license_checks import LICENSE_CHECKS, LicenseCheck
from bot.store.pulls.heads import HeadRow
from bot.store.pulls.paused_items import PausedItem
from bot.store.pulls.review_mailbox import REVIEWS
from bot.store.pulls.stored_facts import StoredFacts
from bot.store.pulls.why_questions import QuestionRecord
from bot.store.records import (
    DeliveryRecord,
    FirstSeen,
    Participant,
    PublishedItemRow,
    PullRecord,
    PushRecord,
    VerdictRecord,
)
from bot.store.statements import delete_rows, table

DONE_RETENTION: Final = timedelta(days=30)  # GitHub delivers one again for three days, and a known GUID is no news.
FAILED_RETENTION: Final = timedelta(days=90)  # An operator may want to look at it.
# After the last event of a closed pull request; GitHub keeps check runs for as long.
CLOSED_RETENTION: Final = timedelta(days=400)

# All that an open pull request is judged by stays, and so does evidence: overrides, and all that the log names.
_HISTORY: Final[tuple[type[SQLModel], ...]] = (
    StoredFacts,
    QuestionRecord,
    PausedItem,
    Participant,
    FirstSeen,
    PushRecord,
    VerdictRecord,
    HeadRow,
)


def deliveries(session: Session, *, at: datetime, most: int) -> int:
    """Delete deliveries that are old enough, the oldest first; how many, at most `most`."""
    deleted = 0
    for state, kept in (("done", DONE_RETENTION), ("failed", FAILED_RETENTION)):
        old = select(DeliveryRecord.guid).where(DeliveryRecord.state == state, DeliveryRecord.received_at < at - kept)
        lot = old.order_by(col(DeliveryRecord.received_at)).limit(most - deleted)
        deleted += delete_rows(session, DeliveryRecord, col(DeliveryRecord.guid).in_(lot))
        if deleted >= most:
            break
    return deleted


def closed_pulls(session: Session, *, after: int, at: datetime, most: int) -> tuple[list[int], int | None]:
    """Those of the next `most` pull requests after that id whose history may go, and the last id; None at the end."""
    ids = list(
        session.exec(select(PullRecord.id).where(col(PullRecord.id) > after).order_by(col(PullRecord.id)).limit(most))
    )
    if not ids:
        return [], None
    due = select(PullRecord.id).where(col(PullRecord.id).in_(ids), *_is_over(at), _has_history())
    return [found for found in session.exec(due) if found is not None], ids[-1]


def forget_history(session: Session, pull_ids: Sequence[int], *, at: datetime) -> int:
    """Delete what is kept of these pull requests, as far as it still may go; gives the number of rows."""
    # A write first: it locks them on both databases, and nothing can come in for them until the transaction ends.
    lock = (
        update(PullRecord)
        .where(col(PullRecord.id).in_(sorted(pull_ids)), *_is_over(at))
        .values(latest=PullRecord.latest)
    )
    ids = list(session.scalars(lock.returning(col(PullRecord.id)), execution_options={"synchronize_session": False}))
    # First the licence checks, which are found by heads that go below.
    mine = select(HeadRow.repository_id, HeadRow.head_sha).where(col(HeadRow.pull_id).in_(ids))
    deleted = delete_rows(
        session,
        LicenseCheck,
        tuple_(col(LicenseCheck.repository_id), col(LicenseCheck.head_sha)).in_(mine),
        LICENSE_CHECKS.is_idle(at),
    )
    for model in _HISTORY:
        deleted += delete_rows(session, model, table(model).c.pull_id.in_(ids))
    # Our comment's row stays: there is one comment also if the pull request is ever opened again.
    return deleted + delete_rows(
        session, PublishedItemRow, col(PublishedItemRow.pull_id).in_(ids), col(PublishedItemRow.kind) != "comment"
    )


def _is_over(at: datetime) -> tuple[Any, ...]:
    other = aliased(PullRecord)
    shared = exists().where(  # An open pull request shows a check run that this one keeps.
        and_(
            col(HeadRow.pull_id) == col(PullRecord.id),
            col(other.repository_id) == col(HeadRow.repository_id),
            col(other.head_sha) == col(HeadRow.head_sha),
            col(other.open),
        )
    )
    before = at - CLOSED_RETENTION
    quiet = and_(
        func.coalesce(col(PullRecord.updated_at), col(PullRecord.evaluated_at)) < before,
        or_(col(PullRecord.evaluated_at).is_(None), col(PullRecord.evaluated_at) < before),
    )
    return (
        col(PullRecord.open).is_(False),
        REVIEWS.is_idle(at),
        col(PullRecord.evaluated) >= col(PullRecord.latest),
        quiet,
        ~shared,
    )


def _has_history() -> Any:
    found = [exists().where(table(model).c.pull_id == col(PullRecord.id)) for model in _HISTORY]
    return or_(
        *found,
        exists().where(col(PublishedItemRow.pull_id) == col(PullRecord.id), col(PublishedItemRow.kind) != "comment"),
    )
