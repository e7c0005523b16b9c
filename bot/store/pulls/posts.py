"""Posts to the mailboxes of pull requests, many at once: what happened is counted, and a review is queued."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Any, Final, Self

from sqlalchemy import Row, bindparam, update
from sqlmodel import Session, col, select

from bot.github.ports import RepositoryPlace
from bot.job_queue import Engine, Job, QueueName
from bot.store.leases import enqueue_once
from bot.store.mailbox import NEW_ROW, earliest
from bot.store.pulls import review_mailbox
from bot.store.records import PullRecord
from bot.store.statements import Upsert, columns, run, table

_FRESH = {
    **NEW_ROW,
    "private": True,  # until GitHub said otherwise: nothing is shown of what was never looked at
    "open": True,
    "head_sha": "",
    "evaluated": 0,
    "attributed": 0,
    "label": "",
    "quiet": False,
    "by_labels": True,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class PullRequestIdentity:
    """Which pull request; the ids are its identity, owner and name are labels of the moment."""

    repository_id: int
    number: int
    installation_id: int
    owner_id: int
    owner: str
    name: str

    @classmethod
    def of(cls, place: RepositoryPlace, number: int, owner_id: int) -> Self:
        """That one, under the repository's present name."""
        return cls(
            repository_id=place.repository_id,
            number=number,
            installation_id=place.installation,
            owner_id=owner_id,
            owner=place.owner,
            name=place.name,
        )

    @property
    def key(self) -> tuple[int, int]:
        """The unique key of a pull request."""
        return self.repository_id, self.number


@dataclass(frozen=True, slots=True, kw_only=True)
class Post:
    """Something that happened to a pull request; `after` is the head that was pushed, or that GitHub shows now.

    Nothing is posted where `is_no_news` says so, of the `label` and `by_labels` of a pull request that is known.
    """

    pull: PullRequestIdentity
    queue: QueueName = "now"
    after: str | None = None
    is_no_news: Callable[[str, bool], bool] | None = None


@dataclass(frozen=True, slots=True)
class PostReceipt:
    """The row id of the pull request, and its new sequence."""

    pull_id: int
    sequence: int


def post(session: Session, engine: Engine, pull: PullRequestIdentity, *, queue: QueueName = "now") -> tuple[int, int]:
    """Queue a review of a pull request to which something happened; gives its row id and the new sequence."""
    (posted,) = post_all(session, engine, [Post(pull=pull, queue=queue)])
    assert posted is not None
    return posted.pull_id, posted.sequence


def post_all(session: Session, engine: Engine, posts: Sequence[Post]) -> list[PostReceipt | None]:
    """The same for many posts, one after the other; None where a post was no news.

    A head that was pushed counts before GitHub can be asked, or another pull request's green would stand for it: those
    that shared the head which was left are judged again.
    """
    if not posts:
        return []
    rows, at = lock(session, [one.pull for one in posts]), engine.now()
    left = Counter[tuple[int, str]]()
    posted: list[PostReceipt | None] = []
    for one in posts:
        row = rows[one.pull.key]
        if one.is_no_news is not None and row.latest and one.is_no_news(row.label, row.by_labels):
            posted.append(None)
            continue
        row.pull = one.pull  # owner and name may have changed
        row.wake(one.queue, at)
        posted.append(PostReceipt(row.id, row.latest))
        if one.after:
            left += _push(row, one.after, rows.values(), at)
    # One job for each queue takes all rows of this transaction.
    for queue in sorted({queue for row in rows.values() for queue in row.woken}):
        enqueue_once(session, engine, Job(review_mailbox.REVIEWS.job, (), queue))
    run(session, _WRITE, [row.values() for row in rows.values()])
    for pull_id, head in _others(session, rows.values(), left):
        for _ in range(left[head]):
            review_mailbox.enqueue_review(session, engine, pull_id, queue="now")
    return posted


def lock(session: Session, pulls: Iterable[PullRequestIdentity]) -> "dict[tuple[int, int], PullRow]":
    """The rows of these by their keys, made where there are none, and locked until the transaction ends.

    In the order of the keys, so that two processes never wait for each other.
    """
    wanted = {pull.key: pull for pull in pulls}
    fresh = [{**asdict(wanted[key]), **_FRESH} for key in sorted(wanted)]
    return {row.pull.key: row for row in map(_pull_row, run(session, _LOCK, fresh))} if fresh else {}


@dataclass(slots=True, kw_only=True)
class PullRow:
    """The columns of a pull request's row that `post_all` reads and changes, until they are written."""

    id: int
    pull: PullRequestIdentity
    latest: int
    due_at: datetime | None
    urgent: bool
    open: bool
    head_sha: str
    label: str
    by_labels: bool
    woken: set[QueueName] = field(default_factory=set)

    def wake(self, queue: QueueName, at: datetime) -> None:
        """Have it reviewed again; see `Mailbox`."""
        self.latest, self.urgent = self.latest + 1, self.urgent or queue == "now"
        self.due_at = earliest(self.due_at, at)
        self.woken.add(queue)

    @property
    def head(self) -> tuple[int, str]:
        """Repository id and SHA."""
        return self.pull.repository_id, self.head_sha

    def values(self) -> dict[str, object]:
        """The values to write."""
        own = ("latest", "due_at", "urgent", "open", "head_sha")
        labels = ("installation_id", "owner_id", "owner", "name")
        now = {name: getattr(self, name) for name in own} | {name: getattr(self.pull, name) for name in labels}
        return {"key": self.id, **now}


_STATE = ("id", "latest", "due_at", "urgent", "open", "head_sha", "label", "by_labels")
_COLUMNS = columns(PullRecord, *PullRequestIdentity.__slots__, *_STATE)
_LOCK: Final = Upsert(  # what is there is locked and stays as it is
    PullRecord,
    lambda insert: insert.on_conflict_do_update(
        index_elements=["repository_id", "number"], set_={"latest": table(PullRecord).c.latest}
    ).returning(*_COLUMNS),
)
_WRITE: Final = update(table(PullRecord)).where(table(PullRecord).c.id == bindparam("key"))


def _push(pushed: PullRow, head_sha: str, rows: Iterable[PullRow], at: datetime) -> "Counter[tuple[int, str]]":
    """Set the pushed head, and wake the others among these that share the head which was left; gives that head, if there was one."""
    before, left = pushed.head, pushed.open and pushed.head_sha not in ("", head_sha)
    pushed.open, pushed.head_sha = True, head_sha
    if not left:
        return Counter()
    for row in rows:
        if row is not pushed and row.open and row.head == before:
            row.wake("now", at)
    return Counter([before])


def _others(
    session: Session, rows: Collection[PullRow], heads: Collection[tuple[int, str]]
) -> list[tuple[int, tuple[int, str]]]:
    """The other pull requests that are open at one of these heads (repository id, SHA), in the order of their ids."""
    if not heads:
        return []
    query = select(PullRecord.id, PullRecord.repository_id, PullRecord.head_sha).where(
        col(PullRecord.head_sha).in_({sha for _, sha in heads}),
        col(PullRecord.id).not_in([row.id for row in rows]),
        col(PullRecord.open),
    )
    found = [
        (pull_id, (repository_id, sha))
        for pull_id, repository_id, sha in session.exec(query.order_by(col(PullRecord.id)))
    ]
    return [(pull_id, head) for pull_id, head in found if pull_id is not None and head in heads]


def _pull_row(found: Row[*tuple[Any, ...]]) -> PullRow:
    values = found._asdict()
    pull = PullRequestIdentity(**{name: values.pop(name) for name in PullRequestIdentity.__slots__})
    return PullRow(pull=pull, **values)
