"""The check run of a head: pull requests with the same head share one, kept by the first of them that came."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from sqlalchemy import and_, bindparam, exists, select
from sqlmodel import Field, Session, SQLModel, col

from agreements.facts import Conclusion
from agreements.store.tables.columns import BigId
from bot.store.pulls import published_item_rows
from bot.store.pulls.review_mailbox import REVIEWS
from bot.store.records import PullRecord, VerdictRecord
from bot.store.statements import Upsert, read, run, table


# GitHub ties a check run to a commit, not to a pull request: of two runs of one name on one head one would speak for
# both pull requests.
class HeadRow(SQLModel, table=True):
    """One head of one repository, and the pull request whose published item stands for its run."""

    __tablename__ = "head"

    repository_id: int = Field(primary_key=True, sa_type=BigId, sa_column_kwargs={"autoincrement": False})
    head_sha: str = Field(primary_key=True)
    pull_id: int = Field(sa_type=BigId, foreign_key="pull.id", index=True)


_head, _pull = table(HeadRow).c, table(PullRecord).c
# The first insert wins: two processes may judge pull requests of one head at the same time.
_KEEP: Final = Upsert(HeadRow, lambda insert: insert.on_conflict_do_nothing().returning(_head.pull_id))
_KEPT: Final = (
    select(_pull.id, _pull.number)
    .join(table(HeadRow), _head.pull_id == _pull.id)
    .where(_head.repository_id == bindparam("repository"), _head.head_sha == bindparam("head"))
)
_last = table(VerdictRecord).alias()
_newest = (  # Two verdicts may be of one moment: the row that was added later counts.
    select(_last.c.id)
    .where(_last.c.pull_id == _pull.id)
    .order_by(_last.c.judged_at.desc(), _last.c.id.desc())
    .limit(1)
    .scalar_subquery()
)
_said = table(VerdictRecord).c
_OTHERS: Final = (
    select(_pull.number, _pull.attempts, _said.head_sha, _said.conclusion)
    # Also those without any verdict: the shared run stays in progress until they have one.
    .join_from(table(PullRecord), table(VerdictRecord), _said.id == _newest, isouter=True)
    .where(_pull.repository_id == bindparam("repository"), _pull.head_sha == bindparam("head"), _pull.open)
    .where(_pull.id != bindparam("own"))
    .order_by(_pull.number)
)


@dataclass(frozen=True, slots=True)
class CheckRunOwner:
    """The pull request that keeps the run of a head: its row id `pull_id`, and its `number`."""

    pull_id: int
    number: int


@dataclass(frozen=True, slots=True)
class Sibling:
    """The open pull request `number` with the same head, and its `conclusion` there; None while that is not known."""

    number: int
    conclusion: Conclusion | None


def keep(session: Session, repository_id: int, head_sha: str, pull_id: int, number: int) -> CheckRunOwner:
    """Make this pull request, of that `number`, the keeper of the head's run, unless another is; the keeper."""
    row = {"repository_id": repository_id, "head_sha": head_sha, "pull_id": pull_id}
    is_ours = run(session, _KEEP, row).first() is not None
    # An insert that met another row returns none: that row names the keeper.
    found = CheckRunOwner(pull_id, number) if is_ours else kept(session, repository_id, head_sha)
    assert found is not None
    return found


def kept(session: Session, repository_id: int, head_sha: str) -> CheckRunOwner | None:
    """The pull request that keeps the check run of that head, if there is one."""
    row = run(session, _KEPT, {"repository": repository_id, "head": head_sha}).one_or_none()
    return None if row is None else CheckRunOwner(row.id, row.number)


def siblings(session: Session, repository_id: int, head_sha: str, pull_id: int) -> tuple[Sibling, ...]:
    """The other open pull requests with that head, by number."""
    found = run(session, _OTHERS, {"repository": repository_id, "head": head_sha, "own": pull_id})
    return tuple(
        # A verdict on an earlier head says nothing of this one; nor does one that a later review could not renew.
        Sibling(pull.number, Conclusion(pull.conclusion) if pull.head_sha == head_sha and not pull.attempts else None)
        for pull in found
    )


def write_anew(session: Session, pull_id: int) -> None:
    """Have all of ours on that pull request written anew at its next review, also when it shows the same."""
    published_item_rows.forget_digests(session, pull_id)
    pull = read(session, PullRecord, id=pull_id)
    # The check run belongs to the keeper, which may be another pull request.
    keeper = kept(session, pull.repository_id, pull.head_sha) if pull else None
    if keeper is not None and keeper.pull_id != pull_id:
        published_item_rows.forget_digests(session, keeper.pull_id)


@dataclass(frozen=True, slots=True)
class KnownPull:
    """An open pull request, by row `id` and `number`.

    `judged` is its head if that has a verdict, "" otherwise; `is_pending`: a review of it waits or runs.
    """

    id: int
    number: int
    judged: str
    is_pending: bool


def open_pulls(session: Session, repository_ids: Sequence[int], *, at: datetime) -> Mapping[tuple[int, int], KnownPull]:
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
