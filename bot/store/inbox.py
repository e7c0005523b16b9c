"""The inbox: a delivery is stored once, together with the job that will handle it, before it is acknowledged."""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from operator import itemgetter
from typing import Any, Final, Literal, get_args

from sqlalchemy import bindparam, func, or_, update
from sqlmodel import Session, col, select

from agreements.facts import Account
from bot.job_queue import Engine, Job, QueueName
from bot.store.pulls import posts, pushes, review_mailbox
from bot.store.pulls.posts import PullRequestIdentity
from bot.store.records import DeliveryRecord, PullRecord
from bot.store.statements import Upsert, run, table

_STORE: Final = Upsert(
    DeliveryRecord,
    lambda insert: insert.on_conflict_do_nothing(index_elements=["guid"]).returning(table(DeliveryRecord).c.guid),
)
_PLACE: Final = update(table(DeliveryRecord)).where(table(DeliveryRecord).c.guid == bindparam("key"))

BUTTON_ACTION: Final = "requested_action"
"""The action of a delivery that a button at our check run caused."""
State = Literal["received", "done", "failed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewDelivery:
    """A delivery that needs work: GitHub's `guid`, `event` and `action`, the `ids` to store, whether it is `urgent`.

    `pull` is the pull request that it is about, `after` the head that `sender` pushed there in place of `before`;
    `is_no_news` as of a `Post`.
    """

    guid: str
    event: str
    action: str = ""
    pull: PullRequestIdentity | None = None
    sender: Account | None = None
    after: str | None = None
    before: str = ""
    ids: dict[str, Any]
    urgent: bool = True
    is_no_news: Callable[[str, bool], bool] | None = None


def store(session: Session, arrivals: Sequence[ReviewDelivery], *, at: datetime) -> list[bool]:
    """Store deliveries; for each whether it is new, or had failed and is received again: then it has to be queued."""
    # GitHub may send one delivery twice in a moment: of equal ones the first counts.
    first = {arrival.guid: place for place, arrival in reversed(list(enumerate(arrivals)))}
    rows = [
        {
            "guid": guid,
            "event": arrivals[place].event,
            "action": arrivals[place].action,
            "received_at": at,
            "state": "received",
            "attempts": 0,
            "ids": arrivals[place].ids,
        }
        for guid, place in sorted(first.items())  # In one order everywhere, against deadlocks.
    ]
    stored = set(run(session, _STORE, rows).scalars()) if rows else set()
    known = sorted(first.keys() - stored)
    if known:
        failed = (col(DeliveryRecord.guid).in_(known), col(DeliveryRecord.state) == "failed")
        # GitHub sent a delivery again that was given up: all its tries begin anew.
        again = update(DeliveryRecord).where(*failed).values(state="received", error=None, attempts=0)
        stored.update(session.scalars(again.returning(col(DeliveryRecord.guid))))
    return [first[arrival.guid] == place and arrival.guid in stored for place, arrival in enumerate(arrivals)]


def lock(session: Session, arrivals: Sequence[ReviewDelivery]) -> None:
    """Lock their pull requests until the transaction ends, before they are queued in several steps."""
    # Locked at once and in one order: one by one, two processes could wait for each other.
    posts.lock(session, [arrival.pull for arrival in arrivals if arrival.pull is not None])


def queue(session: Session, engine: Engine, arrivals: Sequence[ReviewDelivery]) -> None:
    """Queue the jobs of stored deliveries, one after the other: a review of the pull request, or one of its own."""
    about = [(arrival, _post(arrival, arrival.pull)) for arrival in arrivals if arrival.pull is not None]
    posted = posts.post_all(session, engine, [post for _, post in about])
    # A delivery that was no news has no number.
    placed = [(arrival, receipt) for (arrival, _), receipt in zip(about, posted, strict=True) if receipt is not None]
    reviewed = {arrival.guid for arrival, _ in placed}
    for arrival in arrivals:
        if arrival.guid not in reviewed:
            # A delivery that is no news is done at once: GitHub is asked nothing.
            waits_in: QueueName = "now" if arrival.urgent or arrival.pull is not None else "later"
            engine.enqueue(session, Job("event", (arrival.guid,), waits_in))
    if placed:
        rows = [
            {"key": arrival.guid, "pull_id": receipt.pull_id, "sequence": receipt.sequence}
            for arrival, receipt in placed
        ]
        run(session, _PLACE, sorted(rows, key=itemgetter("key")))
    pushes.record_all(
        session,
        [
            pushes.HeadPush(receipt.pull_id, arrival.sender, arrival.after, arrival.before, receipt.sequence)
            for arrival, receipt in placed
            if arrival.sender is not None and arrival.after
        ],
    )


def _post(arrival: ReviewDelivery, pull: PullRequestIdentity) -> posts.Post:
    return posts.Post(
        pull=pull,
        queue="now" if arrival.urgent else "later",
        after=arrival.after if arrival.sender else None,
        is_no_news=arrival.is_no_news,
    )


def ids(session: Session, guid: str, *, also_done: bool = False) -> dict[str, Any] | None:
    """The typed event of a delivery that waits, as it was stored; None when it is unknown or (unless asked) done."""
    delivery = session.get(DeliveryRecord, guid)
    return delivery.ids if delivery is not None and (also_done or delivery.state == "received") else None


def commanded(session: Session, repository_id: int, number: int, *, since: datetime) -> bool:
    """True when a command for that pull request came in after that moment, by a comment or by our button."""
    query = (
        select(DeliveryRecord.guid)
        .join(PullRecord, col(PullRecord.id) == col(DeliveryRecord.pull_id))
        .where(
            PullRecord.repository_id == repository_id,
            PullRecord.number == number,
            or_(col(DeliveryRecord.event) == "issue_comment", col(DeliveryRecord.action) == BUTTON_ACTION),
            DeliveryRecord.received_at > since,
        )
    )
    return session.exec(query.limit(1)).first() is not None


def arrived(session: Session, guids: Collection[str]) -> frozenset[str]:
    """The deliveries among these that came in after all."""
    return frozenset(session.exec(select(DeliveryRecord.guid).where(col(DeliveryRecord.guid).in_(tuple(guids)))))


def came(session: Session, events: Collection[str], *, since: datetime) -> bool:
    """True when a delivery of one of these events came in after that moment."""
    query = select(DeliveryRecord.guid).where(
        col(DeliveryRecord.state).in_(get_args(State)),  # Any: the index is by state.
        DeliveryRecord.received_at > since,
        col(DeliveryRecord.event).in_(tuple(events)),
    )
    return session.exec(query.limit(1)).first() is not None


def waiting_since(session: Session, pull_id: int) -> datetime | None:
    """The moment when the oldest delivery about that pull request came in that was not acted on; None without one."""
    waiting = select(func.min(DeliveryRecord.received_at)).where(
        DeliveryRecord.pull_id == pull_id, DeliveryRecord.state == "received"
    )
    return session.exec(waiting).one()


def last_error(session: Session, pull_id: int) -> str | None:
    """The reason why the newest waiting delivery about that pull request could not be acted on; None if not known."""
    waiting = select(DeliveryRecord.error).where(
        DeliveryRecord.pull_id == pull_id, DeliveryRecord.state == "received", col(DeliveryRecord.error).is_not(None)
    )
    return session.exec(waiting.order_by(col(DeliveryRecord.sequence).desc()).limit(1)).first()


def done(session: Session, guid: str) -> None:
    """Mark the delivery as done."""
    session.execute(update(DeliveryRecord).where(col(DeliveryRecord.guid) == guid).values(state="done", error=None))


def tried(session: Session, guid: str, error: str) -> int:
    """Note a failed try, with a line that says why, without personal data; gives the number of tries, 0 if unknown."""
    counted = (
        update(DeliveryRecord)
        .where(col(DeliveryRecord.guid) == guid)
        .values(attempts=col(DeliveryRecord.attempts) + 1, error=review_mailbox.one_line(error))
        .returning(col(DeliveryRecord.attempts))
    )
    return session.execute(counted).scalar_one_or_none() or 0


def postponed(session: Session) -> list[str]:
    """Deliveries about no single pull request that were tried in vain and wait for their next try."""
    waiting = (DeliveryRecord.state == "received", col(DeliveryRecord.pull_id).is_(None), DeliveryRecord.attempts > 0)
    return list(session.exec(select(DeliveryRecord.guid).where(*waiting).order_by(col(DeliveryRecord.received_at))))


def failed(session: Session, guid: str) -> None:
    """Mark the delivery as failed: it is not tried again by itself, and its last error stays with it."""
    session.execute(update(DeliveryRecord).where(col(DeliveryRecord.guid) == guid).values(state="failed"))


def listed(session: Session, state: State | None = None) -> Iterator[DeliveryRecord]:
    """Deliveries, oldest first, one at a time."""
    query = select(DeliveryRecord).order_by(col(DeliveryRecord.received_at), col(DeliveryRecord.guid))
    if state is not None:
        query = query.where(DeliveryRecord.state == state)
    yield from session.exec(query.execution_options(yield_per=500))  # Not all at once: there may be many.


@dataclass(frozen=True, slots=True)
class Backlog:
    """Deliveries that were not acted on: those `waiting`, since the `oldest` came in, and those given up, `failed`."""

    waiting: int
    failed: int
    oldest: datetime | None


def backlog(session: Session) -> Backlog:
    """The deliveries that are left to do."""
    query = select(DeliveryRecord.state, func.count(), func.min(DeliveryRecord.received_at))
    rows = session.exec(
        query.where(col(DeliveryRecord.state).in_(["received", "failed"])).group_by(col(DeliveryRecord.state))
    )
    found = {state: (count, oldest) for state, count, oldest in rows}
    waiting, oldest = found.get("received", (0, None))
    return Backlog(waiting, found.get("failed", (0, None))[0], oldest)
