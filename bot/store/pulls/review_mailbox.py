"""The mailbox of each pull request: at most one job waits and one runs, and the newest state wins."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, and_, func, or_, update
from sqlmodel import Session, col, select

from bot.job_queue import Engine, Job, QueueName
from bot.store import mailbox
from bot.store.records import Delivery, Pull


@dataclass(frozen=True, slots=True, kw_only=True)
class Mailbox:
    """Which pull request; the ids are its identity, owner and name are labels of the moment."""

    repository_id: int
    number: int
    installation_id: int
    owner_id: int
    owner: str
    name: str

    @property
    def key(self) -> tuple[int, int]:
        """What is unique."""
        return self.repository_id, self.number


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """The right of one job to review a pull request, up to and including `latest`."""

    pull_id: int
    job_id: str
    holder: str  # the job and a word of this very run: a run that was overtaken has another
    latest: int
    installation_id: int
    repository_id: int
    owner_id: int
    owner: str
    name: str
    number: int
    head_sha: str  # as last seen; "" before the first look
    evaluated: int  # what the last finished review covered
    attempts: int  # failures since the last success
    urgent: bool = False  # whether somebody waits for this review


def enqueue_review(
    session: Session, engine: Engine, pull_id: int, *, queue: QueueName = "later", delay: timedelta = timedelta(0)
) -> int:
    """Have a known pull request reviewed again: its new sequence; for an unknown id nothing happens, and it is 0."""
    row = session.execute(
        update(Pull)
        .where(col(Pull.id) == pull_id)
        .values(latest=col(Pull.latest) + 1)
        .returning(col(Pull.latest), col(Pull.queued))
    ).one_or_none()
    if row is None:
        return 0
    _queue(session, engine, pull_id, waiting=row.queued, queue=queue, delay=delay)
    return int(row.latest)


def begin(session: Session, pull_id: int, job_id: str, *, at: datetime, lease: timedelta) -> Claim | None:
    """Take the pull request for one job until `at + lease`; None when another holds it or nothing is new.

    The same job may take it again: after a crash it is run with the same id.
    """
    pull = _locked(session, pull_id)
    if pull is None:
        return None
    session.add(pull)
    holder = mailbox.begin(pull, job_id, covered=pull.evaluated, at=at, lease=lease)
    if holder is None:
        return None
    urgent, pull.urgent = pull.urgent, False
    return Claim(
        pull_id=pull_id,
        job_id=job_id,
        holder=holder,
        latest=pull.latest,
        installation_id=pull.installation_id,
        repository_id=pull.repository_id,
        owner_id=pull.owner_id,
        owner=pull.owner,
        name=pull.name,
        number=pull.number,
        head_sha=pull.head_sha,
        evaluated=pull.evaluated,
        attempts=pull.attempts,
        urgent=urgent,
    )


def hold(session: Session, claim: Claim, *, at: datetime, lease: timedelta) -> bool:
    """Keep the pull request until `at + lease`; False when the claim had run out and another job took over."""
    pull = _mine(session, claim)
    if pull is None:
        return False
    pull.lease_until = at + lease
    session.add(pull)
    session.flush()
    return True


def finish(session: Session, engine: Engine, claim: Claim, *, at: datetime, again_at: datetime | None = None) -> bool:
    """The review is published: its deliveries are done; queued again if something came in meanwhile.

    `again_at` is when a sweep looks again although nothing came in: what was in doubt may be known by then.
    False when the claim had run out and another job took over: then nothing changes.
    """
    pull = _mine(session, claim)
    if pull is None:
        return False
    pull.evaluated, pull.evaluated_at, pull.attempts, pull.due_at = claim.latest, at, 0, again_at
    mailbox.release(pull)
    session.add(pull)
    session.flush()
    session.execute(update(Delivery).where(*_covered(claim)).values(state="done", error=None))
    if pull.latest > claim.latest:
        _queue(session, engine, claim.pull_id, waiting=pull.queued, queue="now" if pull.urgent else "later")
    return True


def give_up(session: Session, engine: Engine, claim: Claim, error: str, *, at: datetime) -> bool:
    """The review could not be done: remember why (one line, no personal data) and try again after a growing delay.

    False when the claim had run out and another job took over: then nothing changes.
    """
    pull = _mine(session, claim)
    if pull is None:
        return False
    delay = mailbox.give_up(pull, at=at, is_urgent=pull.urgent)
    session.add(pull)
    session.flush()
    session.execute(
        update(Delivery).where(*_covered(claim)).values(attempts=col(Delivery.attempts) + 1, error=one_line(error))
    )
    if delay is not None:
        _queue(
            session, engine, claim.pull_id, waiting=pull.queued, queue="now" if pull.urgent else "later", delay=delay
        )
    return True


def hasten(session: Session, owner_id: int, *, at: datetime) -> None:
    """What that owner's pull requests are in doubt about may be known now: those that wait to be looked at again are due."""
    waiting = (col(Pull.owner_id) == owner_id, col(Pull.open), col(Pull.attempts) == 0, col(Pull.due_at) > at)
    session.execute(update(Pull).where(*waiting).values(due_at=at).execution_options(synchronize_session=False))


def stale(session: Session, *, at: datetime) -> list[int]:
    """Pull requests that no job waits for and none holds, with something new or due again: what a sweep queues."""
    is_due = and_(mailbox.is_idle(Pull, at=at), col(Pull.open), col(Pull.due_at) <= at)
    query = select(Pull.id).where(or_(mailbox.is_stale(Pull, col(Pull.evaluated), at=at), is_due))
    return _ids(session.scalars(query))


def get(session: Session, pull_id: int) -> Pull | None:
    """The pull request with that row id."""
    return session.get(Pull, pull_id)


def find(session: Session, repository_id: int, number: int) -> Pull | None:
    """The pull request with that number in that repository."""
    return session.exec(select(Pull).where(Pull.repository_id == repository_id, Pull.number == number)).one_or_none()


def by_name(session: Session, owner: str, name: str, *, number: int | None = None) -> list[int]:
    """Row ids of the open pull requests of a repository under its last seen name (any case), or of just that number."""
    wanted = [func.lower(Pull.owner) == owner.lower(), func.lower(Pull.name) == name.lower(), col(Pull.open)]
    if number is not None:
        wanted.append(col(Pull.number) == number)
    return _ids(session.scalars(select(Pull.id).where(*wanted)))


def by_head(session: Session, repository_id: int, head_sha: str) -> list[int]:
    """Row ids of the repository's open pull requests whose head was last seen at that commit."""
    query = select(Pull.id).where(Pull.repository_id == repository_id, Pull.head_sha == head_sha, col(Pull.open))
    return _ids(session.scalars(query)) if head_sha else []


def one_line(error: str) -> str:
    """A message fit for a row: one line of at most 200 characters."""
    return " ".join(error.split())[:200]


def _locked(session: Session, pull_id: int) -> Pull | None:
    return mailbox.lock(session, Pull, col(Pull.id) == pull_id)


def _mine(session: Session, claim: Claim) -> Pull | None:
    pull = _locked(session, claim.pull_id)
    return pull if pull is not None and pull.lease_by == claim.holder else None


def _queue(
    session: Session,
    engine: Engine,
    pull_id: int,
    *,
    waiting: int,
    queue: QueueName,
    delay: timedelta = timedelta(0),
) -> None:
    """Store a job unless one waits in that queue or a faster one; an urgent one does not wait behind a slow one."""
    queued = mailbox.enqueue(session, engine, waiting, Job("review", (pull_id,), queue, delay))
    changed = {"queued": queued, "urgent": True} if queue == "now" else {"queued": queued}
    session.execute(update(Pull).where(col(Pull.id) == pull_id).values(**changed))


def _covered(claim: Claim) -> tuple[ColumnElement[bool], ...]:
    """The deliveries that the claim answers."""
    return (
        col(Delivery.pull_id) == claim.pull_id,
        col(Delivery.sequence) <= claim.latest,
        col(Delivery.state) == "received",
    )


def _ids(found: Iterable[int | None]) -> list[int]:
    return sorted(number for number in found if number is not None)
