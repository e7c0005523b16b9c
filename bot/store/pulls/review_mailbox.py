"""The mailbox of each pull request: at most one job waits and one runs, and the newest state wins."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from sqlalchemy import ColumnElement, and_, or_, update
from sqlmodel import Session, col, select

from bot.job_queue import Engine, QueueName
from bot.store import mailbox
from bot.store.mailbox import Mailbox
from bot.store.records import Delivery, Pull


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewClaim(mailbox.Claim):
    """The right of one job to review a pull request, and what is known of that."""

    pull_id: int
    installation_id: int
    repository_id: int
    owner_id: int
    owner: str
    name: str
    number: int
    head_sha: str  # as last seen; "" before the first look
    evaluated: int  # what the last finished review covered
    urgent: bool = False  # whether somebody waits for this review


class ReviewMailbox(Mailbox[int, Pull, ReviewClaim]):
    """The subjects are pull requests, by their row ids. `urgent` says where a job of the next review belongs."""

    model = Pull
    keys = ("id",)
    covered = "evaluated"
    job = "review"

    def subject(self, row: Pull) -> int:
        """See Mailbox."""
        assert row.id is not None
        return row.id

    def claim(self, row: Pull, holder: str) -> ReviewClaim:
        """Whoever waits for it now waits for this review."""
        assert row.id is not None
        urgent, row.urgent = row.urgent, False
        return ReviewClaim(
            ids=(row.id,),
            pull_id=row.id,
            holder=holder,
            latest=row.latest,
            installation_id=row.installation_id,
            repository_id=row.repository_id,
            owner_id=row.owner_id,
            owner=row.owner,
            name=row.name,
            number=row.number,
            head_sha=row.head_sha,
            evaluated=row.evaluated,
            attempts=row.attempts,
            urgent=urgent,
        )

    def queue_of(self, row: Pull) -> QueueName:
        """See Mailbox."""
        return "now" if row.urgent else "later"

    def waiting(self, queued: int, queue: QueueName) -> dict[str, Any]:
        """See Mailbox."""
        return {"queued": queued, "urgent": True} if queue == "now" else {"queued": queued}

    def cover(self, row: Pull, latest: int, at: datetime) -> None:
        """See Mailbox."""
        row.evaluated, row.evaluated_at = latest, at

    def finish(
        self, session: Session, engine: Engine, claim: ReviewClaim, *, at: datetime, again_at: datetime | None = None
    ) -> bool:
        """The review is published: its deliveries are done, too."""
        is_ours = super().finish(session, engine, claim, at=at, again_at=again_at)
        if is_ours:
            session.execute(update(Delivery).where(*_answered(claim)).values(state="done", error=None))
        return is_ours

    def give_up(
        self,
        session: Session,
        engine: Engine,
        claim: ReviewClaim,
        why: str,
        *,
        at: datetime,
        wait: mailbox.Wait | None = None,
    ) -> bool:
        """Its deliveries remember why, in one line without personal data."""
        is_ours = super().give_up(session, engine, claim, why, at=at, wait=wait)
        if is_ours:
            failed = {"attempts": col(Delivery.attempts) + 1, "error": one_line(why)}
            session.execute(update(Delivery).where(*_answered(claim)).values(**failed))
        return is_ours

    def stale(self, session: Session, *, at: datetime) -> list[int]:
        """Those that no job waits for and none holds, with something new or due again: what a sweep queues."""
        is_due = and_(self.is_idle(at), col(Pull.open), col(Pull.due_at) <= at)
        return _ids(session.scalars(select(Pull.id).where(or_(self.is_stale(at), is_due))))


REVIEWS: Final = ReviewMailbox()


def of_installation(number: int) -> ColumnElement[bool]:
    """The pull requests that are reached through that installation."""
    return col(Pull.installation_id) == number


def enqueue_review(
    session: Session, engine: Engine, pull_id: int, *, queue: QueueName = "later", delay: timedelta = timedelta(0)
) -> int:
    """Have a known pull request reviewed again: its new sequence; for an unknown id nothing happens, and it is 0."""
    return REVIEWS.enqueue(session, engine, pull_id, queue=queue, delay=delay)


def hasten(session: Session, owner_id: int, *, at: datetime) -> None:
    """What that owner's pull requests are in doubt about may be known now: those that wait to be looked at again are due."""
    waiting = (col(Pull.owner_id) == owner_id, col(Pull.open), col(Pull.attempts) == 0, col(Pull.due_at) > at)
    session.execute(update(Pull).where(*waiting).values(due_at=at).execution_options(synchronize_session=False))


def get(session: Session, pull_id: int) -> Pull | None:
    """The pull request with that row id."""
    return session.get(Pull, pull_id)


def find(session: Session, repository_id: int, number: int) -> Pull | None:
    """The pull request with that number in that repository."""
    return session.exec(select(Pull).where(Pull.repository_id == repository_id, Pull.number == number)).one_or_none()


def by_head(session: Session, repository_id: int, head_sha: str) -> list[int]:
    """Row ids of the repository's open pull requests whose head was last seen at that commit."""
    query = select(Pull.id).where(Pull.repository_id == repository_id, Pull.head_sha == head_sha, col(Pull.open))
    return _ids(session.scalars(query)) if head_sha else []


def one_line(error: str) -> str:
    """A message fit for a row: one line of at most 200 characters."""
    return " ".join(error.split())[:200]


def _answered(claim: ReviewClaim) -> tuple[ColumnElement[bool], ...]:
    """The deliveries that the claim answers."""
    return (
        col(Delivery.pull_id) == claim.pull_id,
        col(Delivery.sequence) <= claim.latest,
        col(Delivery.state) == "received",
    )


def _ids(found: Iterable[int | None]) -> list[int]:
    return sorted(number for number in found if number is not None)
