"""A mailbox, for any kind of subject that is judged: at most one job waits and one runs, and the newest state wins.

A subject's row counts what came in (`latest`) and what the last finished run covered. One run at a time holds it by a
lease; a run whose lease ended and whose subject was taken over changes nothing any more.
"""

import secrets
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import Any, ClassVar, Final, Generic, TypeVar

from sqlalchemy import Boolean, ColumnElement, Update, and_, bindparam, case, false, or_, select, true, update
from sqlmodel import Field, Session, SQLModel, col

from agreements.store.tables.columns import Moment
from bot.job_queue import Engine, Job, QueueName
from bot.store.retry_policy import MAX_CLOCK_SKEW, MAX_QUICK_RETRIES, SLOW_RETRY, RetryDelay, retry_delay
from bot.store.statements import change, read, run, table

LEASE: Final = timedelta(minutes=10)
"""How long one run may hold a subject without a sign of life; a crashed one is taken up under its own id before that."""

BATCH_SUBJECTS: Final = 10
"""Subjects queued in one transaction: it takes about 2 ms of processor for each, and SQLite has one writer, for whom a
delivery that comes in waits."""

WAITS_IN: Final[dict[QueueName, int]] = {"later": 1, "now": 2}
"""What `queued` says of a job that waits in that queue."""

_FREE: Final[Mapping[str, None]] = MappingProxyType({"lease_by": None, "lease_until": None})

_Item = TypeVar("_Item")


def lots(items: Sequence[_Item], size: int = BATCH_SUBJECTS) -> Iterator[Sequence[_Item]]:
    """The items in lots of that size, for a transaction each."""
    return (items[start : start + size] for start in range(0, len(items), size))


class MailboxRow(SQLModel):
    """The columns of a mailbox. `queued` says where a job waits: 0 nowhere, 1 in `later`, 2 in `now`.

    `lease_by` is the run that holds it, as job id and a word of that very run; `due_at` when a sweep looks at it.
    """

    latest: int = 0
    queued: int = 0
    lease_by: str | None = None
    lease_until: datetime | None = Field(default=None, sa_type=Moment)
    attempts: int = 0
    due_at: datetime | None = Field(default=None, sa_type=Moment)


Subject = TypeVar("Subject")
R = TypeVar("R", bound=MailboxRow)


@dataclass(frozen=True, slots=True)
class Claim(Generic[Subject, R]):
    """The right of one run to judge a subject, up to and including `latest`; `row` is as it was just before."""

    subject: Subject
    row: R
    holder: str  # the job and a word of this very run: a run that was overtaken has another

    @property
    def latest(self) -> int:
        """What came in last by then."""
        return self.row.latest


C = TypeVar("C", bound=Claim[Any, Any])


class Mailbox(Generic[Subject, R, C]):
    """The mailboxes of one kind of subject: how a run claims one, holds, finishes or gives it up.

    A subject is an id, or a tuple of them. `model` holds a row for each: its columns `keys` are those ids, which the
    `job` that judges one has, too. The column `covered` says what the last finished run covered. `claim` is a C.
    """

    model: ClassVar[type[Any]]
    claim: ClassVar[type[Any]]
    keys: ClassVar[tuple[str, ...]]
    covered: ClassVar[str]
    job: ClassVar[str]
    claimed: ClassVar[Mapping[str, Any]] = MappingProxyType({})
    """What else a row says once it is claimed."""

    def __init__(self) -> None:
        held = table(self.model)
        here = [held.c[name] == bindparam(f"key_{name}") for name in self.keys]
        self._lock: Update = update(held).where(*here).values(queued=held.c.queued).returning(held)
        # What comes in takes the place of a look that was to come by time alone; a delayed job is that look itself.
        waits = or_(bindparam("is_delayed", type_=Boolean), held.c[self.covered] < held.c.latest)
        due_at = case((waits, held.c.due_at), else_=None)
        self._count: Update = (
            update(held)
            .where(*here)
            .values(latest=held.c.latest + 1, due_at=due_at)
            .returning(held.c.latest, held.c.queued)
        )

    def queue_of(self, row: R) -> QueueName:  # noqa: ARG002 - for kinds of which some are urgent
        """Where the next job belongs."""
        return "later"

    def lock(self, session: Session, subject: Subject | C) -> R | None:
        """The row, nobody else's until the transaction ends: a write locks it on both databases, also on SQLite."""
        key = {f"key_{name}": value for name, value in self._key(subject).items()}
        row: R | None = run(session, self._lock, key).one_or_none()  # type: ignore[assignment]  # it has the columns of one
        return row

    def begin(self, session: Session, subject: Subject, job_id: str, *, at: datetime, lease: timedelta) -> C | None:
        """Take the subject for one job until `at + lease`; None when another holds it or nothing is new.

        A lease that ends later than one taken now holds nobody off: a clock that was ahead wrote it.
        The same job may take it again: after a crash it is run with the same id.
        """
        row = self.lock(session, subject)
        if row is None:
            return None
        now: dict[str, Any] = {"queued": 0}  # this job was what waited; whoever holds the subject queues the next one
        is_free = (row.lease_by or "").partition("/")[0] == job_id or not _is_leased(row, at, lease)
        claim: C | None = None
        if is_free and getattr(row, self.covered) < row.latest:
            holder = f"{job_id}/{secrets.token_hex(4)}"
            claim = self.claim(subject, row, holder)
            now |= {"lease_by": holder, "lease_until": at + lease, "due_at": None, **self.claimed}
        elif is_free:
            now |= _FREE
        change(session, self.model, self._key(subject), **now)
        return claim

    def hold(self, session: Session, claim: C, *, at: datetime, lease: timedelta) -> bool:
        """Keep the subject for half a `lease` at least; False when the claim had run out and another run took over.

        Only read while more than half of it is left.
        """
        row: R | None = read(session, self.model, **self._key(claim))
        if row is None or row.lease_by != claim.holder:
            return False
        if row.lease_until is not None and row.lease_until - at > lease / 2:
            return True
        if self._held(session, claim) is None:
            return False
        change(session, self.model, self._key(claim), lease_until=at + lease)
        return True

    def finish(
        self, session: Session, engine: Engine, claim: C, *, at: datetime, again_at: datetime | None = None
    ) -> bool:
        """The subject is judged; queued again if something came in meanwhile.

        `again_at` is when a sweep looks again although nothing came in: what was in doubt may be known by then.
        False when the claim had run out and another run took over: then nothing changes.
        """
        row = self._held(session, claim)
        if row is None:
            return False
        done = {"attempts": 0, "due_at": again_at, **_FREE, **self.covering(claim.latest, at)}
        change(session, self.model, self._key(claim), **done)
        if row.latest > claim.latest:
            self._queue(session, engine, claim, row.queued, self.queue_of(row))
        self.finished(session, claim)
        return True

    def finished(self, session: Session, claim: C) -> None:
        """What else is written down once a claim was finished."""

    def covering(self, latest: int, at: datetime) -> dict[str, Any]:  # noqa: ARG002 - some remember when
        """What the row says once all up to `latest` is judged."""
        return {self.covered: latest}

    def give_up(
        self,
        session: Session,
        engine: Engine,
        claim: C,
        why: str,
        *,
        at: datetime,
        wait: RetryDelay | None = None,
    ) -> bool:
        """The subject could not be judged: tried again after a growing delay, after many failures by a sweep.

        What is urgent is not made to wait. A job that waits for an hour would hold back what comes in.
        With `wait` nothing was tried in vain, so no failure is counted: it is tried again after just that.
        False when the claim had run out and another run took over: then nothing changes.
        """
        row = self._held(session, claim)
        if row is None:
            return False
        self.given_up(session, claim, why)
        if wait is not None:
            change(session, self.model, self._key(claim), due_at=at + wait.delay, **_FREE)
            if not wait.is_woken:
                self._queue(session, engine, claim, row.queued, self.queue_of(row), wait.delay)
            return True
        attempts, queue = row.attempts + 1, self.queue_of(row)
        is_slow = attempts > MAX_QUICK_RETRIES and queue != "now"
        delay = SLOW_RETRY if is_slow else timedelta(0) if queue == "now" else retry_delay(attempts)
        change(session, self.model, self._key(claim), attempts=attempts, due_at=at + delay, **_FREE)
        if not is_slow:
            self._queue(session, engine, claim, row.queued, queue, delay)
        return True

    def given_up(self, session: Session, claim: C, why: str) -> None:
        """What else is written down once a claim was given up, for a reason without personal data."""

    def enqueue(
        self,
        session: Session,
        engine: Engine,
        subject: Subject,
        *,
        queue: QueueName = "later",
        delay: timedelta = timedelta(0),
    ) -> int:
        """Have a known subject judged again: its new sequence; for an unknown one nothing happens, and it is 0."""
        key = {f"key_{name}": value for name, value in self._key(subject).items()}
        row = run(session, self._count, {**key, "is_delayed": delay > timedelta(0)}).one_or_none()
        if row is None:
            return 0
        self._queue(session, engine, subject, row.queued, queue, delay)
        return int(row.latest)

    def wake(self, session: Session, engine: Engine, *, limit: int, of: ColumnElement[bool] | None = None) -> int:
        """Queue what was given up and waits for its moment, at most `limit`, of those rows: what it needs is there again.

        How many; 0 once none is left. A row that another transaction has is left to that one: what is read of it here
        would be old, and a job that has begun meanwhile would count as waiting, for ever.
        """
        held = table(self.model)
        is_waiting = and_(held.c.lease_by.is_(None), held.c.due_at.is_not(None), held.c[self.covered] < held.c.latest)
        query = select(held).where(is_waiting, true() if of is None else of).order_by(held.c.due_at).limit(limit)
        rows = run(session, query.with_for_update(skip_locked=True)).all()
        for row in rows:
            key = {name: getattr(row, name) for name in self.keys}
            change(session, self.model, key, due_at=None)
            subject: Any = tuple(key.values())
            self._queue(session, engine, subject, row.queued, "now")
        return len(rows)

    def queued(self, session: Session) -> list[tuple[int | str, ...]]:
        """The ids of those that a job waits for, as their rows say."""
        held = table(self.model)
        ids = [held.c[name] for name in self.keys]
        return [tuple(row) for row in run(session, select(*ids).where(held.c.queued > 0).order_by(*ids))]

    def queue_lost(self, session: Session, engine: Engine, subject: Subject) -> bool:
        """Queue the job that the row says is waiting, and that is not there; False when the row no longer says so."""
        row = self.lock(session, subject)
        if row is None or not row.queued:
            return False
        queue: QueueName = "now" if row.queued == WAITS_IN["now"] else "later"
        self._queue(session, engine, subject, 0, queue)
        return True

    def stale(self, session: Session, *, at: datetime) -> list[Subject]:
        """Those that no job waits for and none holds, with something new or due again: what is to be queued."""
        ids = [col(getattr(self.model, name)) for name in self.keys]
        found = session.execute(select(*ids).where(or_(self.is_stale(at), self.is_due(at))).order_by(*ids))
        subjects: list[Any] = [row[0] if len(ids) == 1 else tuple(row) for row in found]
        return subjects

    def is_due(self, at: datetime) -> ColumnElement[bool]:  # noqa: ARG002 - for kinds that are judged again by time alone
        """Whether it is to be judged again although nothing is new."""
        return false()

    def is_stale(self, at: datetime) -> ColumnElement[bool]:
        """Whether something is new that no job waits for and no run holds."""
        due_at = col(self.model.due_at)
        return and_(
            self.is_idle(at),
            getattr(self.model, self.covered) < col(self.model.latest),
            # The last is what a clock wrote that was ahead.
            or_(due_at.is_(None), due_at <= at, due_at > at + SLOW_RETRY + MAX_CLOCK_SKEW),
        )

    def is_idle(self, at: datetime) -> ColumnElement[bool]:
        """Whether no job waits for it and no run holds it."""
        model = self.model
        until = col(model.lease_until)
        is_free = or_(col(model.lease_by).is_(None), until <= at, until > at + LEASE + MAX_CLOCK_SKEW)
        return and_(col(model.queued) == 0, is_free)

    def waiting(self, queued: int, queue: QueueName) -> dict[str, Any]:  # noqa: ARG002 - some remember what is urgent
        """What the row says once a job waits."""
        return {"queued": queued}

    def _key(self, subject: Subject | C) -> dict[str, int | str]:
        return dict(zip(self.keys, _ids(subject), strict=True))

    def _held(self, session: Session, claim: C) -> R | None:
        row = self.lock(session, claim)
        return row if row is not None and row.lease_by == claim.holder else None

    def _queue(
        self,
        session: Session,
        engine: Engine,
        subject: Subject | C,
        queued: int,
        queue: QueueName,
        delay: timedelta = timedelta(0),
    ) -> None:
        """Store a job unless one waits in that queue or a faster one: an urgent one does not wait behind a slow one."""
        if queued < WAITS_IN[queue]:
            engine.enqueue(session, Job(self.job, _ids(subject), queue, delay))
            queued = WAITS_IN[queue]
        change(session, self.model, self._key(subject), **self.waiting(queued, queue))


def _ids(subject: object) -> tuple[int | str, ...]:
    """Of a claim, or of a subject that is one id or several."""
    found = subject.subject if isinstance(subject, Claim) else subject
    return found if isinstance(found, tuple) else (found,)


def _is_leased(row: MailboxRow, at: datetime, lease: timedelta) -> bool:
    return (
        row.lease_by is not None and row.lease_until is not None and at < row.lease_until <= at + lease + MAX_CLOCK_SKEW
    )
