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
    """The pull request `number` of `repository_id`, under `installation_id`; `owner_id`, `owner`, `name` may change."""

    repository_id: int
    number: int
    installation_id: int
    owner_id: int
    owner: str
    name: str

    @classmethod
    def of(cls, place: RepositoryPlace, number: int, owner_id: int) -> Self:
        """The identity of that one, under the repository's present name."""
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
    """Something that happened to `pull`, for `queue`; `after` is its head now. Nothing is posted where `is_no_news`."""

    pull: PullRequestIdentity
    queue: QueueName = "now"
    after: str | None = None
    is_no_news: Callable[[str, bool], bool] | None = None  # Asked with the stored `label` and `by_labels`.


@dataclass(frozen=True, slots=True)
class PostReceipt:
    """The row id of the pull request, `pull_id`, and its new `sequence`."""

    pull_id: int
    sequence: int


def post(session: Session, engine: Engine, pull: PullRequestIdentity, *, queue: QueueName = "now") -> tuple[int, int]:
    """Queue a review of a pull request to which something happened; gives its row id and the new sequence."""
    (posted,) = post_all(session, engine, [Post(pull=pull, queue=queue)])
    assert posted is not None
    return posted.pull_id, posted.sequence


def post_all(session: Session, engine: Engine, posts: Sequence[Post]) -> list[PostReceipt | None]:
    """The same for many posts, one after the other; None where a post was no news."""
    if not posts:
        return []
    rows, at = lock(session, [new_post.pull for new_post in posts]), engine.now()
    left = Counter[tuple[int, str]]()
    posted: list[PostReceipt | None] = []
    for new_post in posts:
        row = rows[new_post.pull.key]
        # A pull request that was never heard of has no label to compare: all is news.
        if new_post.is_no_news is not None and row.latest and new_post.is_no_news(row.label, row.by_labels):
            posted.append(None)
            continue
        # Owner and name may have changed. A delivery that comes late may name an installation that is gone: the one that
        # came in its place has a larger id.
        if not row.is_newer(new_post.pull):
            row.pull = new_post.pull
        row.wake(new_post.queue, at)
        posted.append(PostReceipt(row.id, row.latest))
        # Counted before GitHub can be asked: until then another pull request's green would stand for it.
        if new_post.after:
            left += _push(row, new_post.after, rows.values(), at)
    # One job for each queue takes all rows of this transaction.
    for queue in sorted({queue for row in rows.values() for queue in row.woken}):
        enqueue_once(session, engine, Job(review_mailbox.REVIEWS.job, (), queue))
    run(session, _WRITE, [row.values() for row in rows.values()])
    for pull_id, head in _others(session, rows.values(), left):
        for _ in range(left[head]):  # Once for each push, as if the posts had come one by one.
            review_mailbox.enqueue_review(session, engine, pull_id, queue="now")
    return posted


def lock(session: Session, pulls: Iterable[PullRequestIdentity]) -> "dict[tuple[int, int], PullRow]":
    """The rows of these by their keys, made where there are none, and locked until the transaction ends."""
    wanted = {pull.key: pull for pull in pulls}
    # In the order of the keys: two processes that lock the same rows never wait for each other.
    fresh = [{**asdict(wanted[key]), **_FRESH} for key in sorted(wanted)]
    return {row.pull.key: row for row in map(_pull_row, run(session, _LOCK, fresh))} if fresh else {}


@dataclass(slots=True, kw_only=True)
class PullRow:
    """The row `id` of a pull request as `post_all` reads and changes it, until it is written.

    `pull` has its key and labels; `latest`, `due_at`, `urgent`, `open`, `head_sha`, `label` and `by_labels` are
    columns; `woken` are the queues that get a job for it.
    """

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

    def is_newer(self, pull: PullRequestIdentity) -> bool:
        """Whether the row names a newer installation on the same account."""
        return self.pull.owner_id == pull.owner_id and self.pull.installation_id > pull.installation_id

    @property
    def head(self) -> tuple[int, str]:
        """The repository's id and the SHA of the head."""
        return self.pull.repository_id, self.head_sha

    def values(self) -> dict[str, object]:
        """The values that are written to the row."""
        own = ("latest", "due_at", "urgent", "open", "head_sha")
        labels = ("installation_id", "owner_id", "owner", "name")
        now = {name: getattr(self, name) for name in own} | {name: getattr(self.pull, name) for name in labels}
        return {"key": self.id, **now}


_STATE = ("id", "latest", "due_at", "urgent", "open", "head_sha", "label", "by_labels")
_COLUMNS = columns(PullRecord, *PullRequestIdentity.__slots__, *_STATE)
_LOCK: Final = Upsert(  # What is there is locked, as an UPDATE does on SQLite, too, and stays as it is.
    PullRecord,
    lambda insert: insert.on_conflict_do_update(
        index_elements=["repository_id", "number"], set_={"latest": table(PullRecord).c.latest}
    ).returning(*_COLUMNS),
)
_WRITE: Final = update(table(PullRecord)).where(table(PullRecord).c.id == bindparam("key"))


def _push(pushed: PullRow, head_sha: str, rows: Iterable[PullRow], at: datetime) -> "Counter[tuple[int, str]]":
    """Set the pushed head, and wake those that share the head which was left; gives that head, if there was one."""
    before, left = pushed.head, pushed.open and pushed.head_sha not in ("", head_sha)  # "": not known.
    pushed.open, pushed.head_sha = True, head_sha
    if not left:
        return Counter()
    for row in rows:
        # The run that they shared shows the worst verdict of all: without this one it may change.
        if row is not pushed and row.open and row.head == before:
            row.wake("now", at)
    return Counter([before])


def _others(
    session: Session, rows: Collection[PullRow], heads: Collection[tuple[int, str]]
) -> list[tuple[int, tuple[int, str]]]:
    """The other pull requests that are open at one of these heads (repository id, SHA), in the order of their ids."""
    if not heads:
        return []
    # Forks share commits, so the SHA alone may find other repositories' rows: these are left out below.
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
