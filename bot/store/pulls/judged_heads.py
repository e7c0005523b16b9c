"""Which heads of the open pull requests have a verdict: what a sweep compares with GitHub's list."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import and_, exists, select
from sqlmodel import Session, col

from bot.store.pulls.review_mailbox import REVIEWS
from bot.store.records import PullRecord, VerdictRecord


@dataclass(frozen=True, slots=True)
class KnownPull:
    """A pull request that we know to be open; `judged` is its head if that has a verdict, "" otherwise.

    `is_pending`: a review of it waits or runs.
    """

    id: int
    number: int
    judged: str
    is_pending: bool


def of(session: Session, repository_ids: Sequence[int], *, at: datetime) -> Mapping[tuple[int, int], KnownPull]:
    """Every open pull request of these repositories, by repository id and number."""
    has_verdict = exists().where(
        and_(col(VerdictRecord.pull_id) == col(PullRecord.id), col(VerdictRecord.head_sha) == col(PullRecord.head_sha))
    )
    columns = (col(PullRecord.id), col(PullRecord.repository_id), col(PullRecord.number), col(PullRecord.head_sha))
    query = select(*columns, has_verdict, REVIEWS.is_idle(at))
    rows = session.execute(query.where(col(PullRecord.repository_id).in_(repository_ids), col(PullRecord.open)))
    return {
        (repository_id, number): KnownPull(pull_id, number, head_sha if judged else "", not is_idle)
        for pull_id, repository_id, number, head_sha, judged, is_idle in rows
    }
