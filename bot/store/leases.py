"""Work on rows that wait until they are due: many are claimed at once, each by one run, which holds it by a lease.

A row is due from `due_at` on, unless a run holds it. A run whose lease ended and whose row another run took over
changes nothing any more. `bot.store.mailbox` is for what is judged, `bot.store.outgoing` for what is sent.
"""

import secrets
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import Any, ClassVar, Final, Generic, TypeVar

from sqlalchemy import (
    ColumnElement,
    Index,
    Select,
    Update,
    and_,
    bindparam,
    case,
    exists,
    false,
    func,
    literal,
    or_,
    select,
    text,
    update,
)
from sqlalchemy import event as events
from sqlalchemy.orm import Session as AnySession
from sqlmodel import Field, Session, SQLModel

from agreements.store.tables.columns import Moment
from bot.job_queue import Engine, Job, QueueName
from bot.store.retry_policy import MAX_CLOCK_SKEW, MAX_QUICK_RETRIES, RETRY_DELAYS, SLOW_RETRY
from bot.store.statements import change, read, run, table

MAX_CLAIMS: Final = 16  # Rows that one job takes at once.
# A lease ends this long after its run's last sign of life. A job that crashed is taken up earlier, under its own id.
LEASE: Final = timedelta(minutes=10)

_STORED_JOBS: Final = "countersign.stored-jobs"


class LeasedRow(SQLModel):
    """The columns of a row that is worked on. `due_at` None: there is nothing to do; `urgent`: a person waits for it.

    `lease_by` is the run that holds it until `lease_until`, as job id and a word of that very run; `attempts` counts
    failures in a row.
    """

    due_at: datetime | None = Field(default=None, sa_type=Moment)
    urgent: bool = False
    lease_by: str | None = None
    lease_until: datetime | None = Field(default=None, sa_type=Moment)  # In a row without a run: put off until then.
    attempts: int = 0


def lease_indexes(name: str) -> tuple[Index, ...]:
    """The indexes of a table of such rows."""
    # Partial: what is done and waits for nothing, which is nearly all, is in neither index.
    found = [(column, text(f"{column} IS NOT NULL")) for column in ("due_at", "lease_by")]
    return tuple(
        Index(f"ix_{name}_{column}", column, sqlite_where=there, postgresql_where=there) for column, there in found
    )


R = TypeVar("R", bound=LeasedRow)


@dataclass(frozen=True, slots=True)
class Lease(Generic[R]):
    """The right of one run, `holder` (job id and a word of the run), to work on a `row`, which is as just before."""

    row: R
    holder: str


C = TypeVar("C", bound=Lease[Any])


class Leases(ABC, Generic[R, C]):
    """The rows of one `model`, by its columns `keys`: how a job, named `job`, claims some, holds them or gives them back.

    Rows that differ in the column `share` take turns. A lot of one queue is worked on by so many `threads`, all lots of it
    by `max_threads`.
    """

    model: ClassVar[type[Any]]
    keys: ClassVar[tuple[str, ...]]
    job: ClassVar[str]
    share: ClassVar[str | None] = None
    # Jobs of `later` get few threads: all share one interpreter, and those of `now` are to be quick.
    threads: ClassVar[Mapping[QueueName, int]] = MappingProxyType({"now": 8, "later": 2})
    max_threads: ClassVar[int] = 24
    max_claims: ClassVar[int] = MAX_CLAIMS

    def __init__(self) -> None:
        rows = self._rows = table(self.model)
        self._queues = tuple(dict.fromkeys((self.queue_of(urgent=True), self.queue_of(urgent=False))))
        self._due: dict[QueueName, Select[Any]] = {name: self._candidates(name) for name in self._queues}
        self._held_before = select(*(rows.c[name] for name in self.keys)).where(self._mine()).with_for_update()
        self._take: Update = (
            update(rows)
            .where(*(rows.c[name] == bindparam(f"key_{name}") for name in self.keys))
            .values(
                {
                    "lease_by": bindparam("by"),
                    "lease_until": bindparam("until", type_=Moment()),
                    "due_at": None,
                    "urgent": False,
                    **self.claimed(),
                }
            )
        )

    def queue_of(self, *, urgent: bool) -> QueueName:
        """The queue of the jobs that take such rows."""
        return "now" if urgent else "later"

    @abstractmethod
    def unfinished(self) -> ColumnElement[bool]:
        """The condition for rows that wait for work."""

    def again(self) -> ColumnElement[bool]:
        """The condition for further rows that are worked on once they are due, though nothing came in."""
        return false()

    def claimed(self) -> Mapping[str, Any]:
        """Further columns of a row that is claimed, with their values."""
        return {}

    @abstractmethod
    def claim_of(self, row: R, holder: str) -> C:
        """The lease of a run on a row that it claimed."""

    def free_from(self, moment: Any) -> dict[str, Any]:
        """The columns of a row that no run holds, and that is due from that moment on."""
        return {"due_at": moment, "lease_by": None, "lease_until": None}

    def claim(
        self, session: Session, engine: Engine, queue: QueueName, job_id: str, *, at: datetime, limit: int | None = None
    ) -> list[C]:
        """Take up to `limit` rows, or `max_claims`, for one job until `at + LEASE`; [] where none is due.

        If there may be more, the next job is stored. The rows that the same job holds come first, then what is urgent;
        a job of `now` takes nothing else.
        """
        asked = {
            "mine": f"{job_id}/%",  # After a crash the job is run with the same id, and takes up what it held.
            "at": at,
            # A lease that ends later was written by a clock that was ahead: it does not count.
            "too_late": at + LEASE + MAX_CLOCK_SKEW,
            "most": limit or self.max_claims,
        }
        # A word of this run: the crashed run of the same job has another, and can change nothing any more.
        holder = f"{job_id}/{secrets.token_hex(4)}"
        if session.connection().dialect.name == "postgresql":
            # Wait for the locks of the killed process that ran this job before: PostgreSQL keeps them until it notices its end.
            run(session, self._held_before, {"mine": asked["mine"]})
        rows: Sequence[Any] = run(session, self._due[queue], asked).all()
        if rows:
            keys = [{f"key_{name}": value for name, value in self.key(row).items()} for row in rows]
            run(session, self._take, [{**key, "by": holder, "until": at + LEASE} for key in keys])
        if len(rows) == asked["most"]:  # Before these are worked on: a slow one does not keep the rest waiting.
            enqueue_once(session, engine, Job(self.job, (), queue))
        return [self.claim_of(row, holder) for row in rows]

    def hold(self, session: Session, lease: C, *, at: datetime) -> bool:
        """Keep the row for half a `LEASE` at least; False when the lease had run out and another run took over."""
        key = self.key(lease.row)
        row: Any = read(session, self.model, **key)
        if row is None or row.lease_by != lease.holder:
            return False
        if row.lease_until is not None and row.lease_until - at > LEASE / 2:  # Most calls write nothing.
            return True
        return self._change_held(session, lease, lease_until=at + LEASE)

    def give_back(self, session: Session, engine: Engine, lease: C, *, at: datetime) -> None:
        """Give up a row without having worked on it: the next job takes it."""
        row = lease.row
        # It keeps its place among those that wait.
        due_at = at if row.due_at is None or row.due_at > at else row.due_at
        if self.release(session, lease, due_at=due_at, urgent=or_(self._rows.c.urgent, literal(row.urgent))):
            self._store_job(session, engine, urgent=row.urgent)

    def release(self, session: Session, lease: C, **values: Any) -> bool:
        """End the lease, and write these values into the row; False when another run took over."""
        return self._change_held(session, lease, lease_by=None, lease_until=None, **values)

    def admit(self, session: Session, ids: Sequence[int | str], *, at: datetime) -> None:
        """Make the row of a job of the release before due: such a job was for one row, which did not say so."""
        here = [self._rows.c[name] == value for name, value in zip(self.keys, ids, strict=True)]
        lost = and_(self.unfinished(), self._rows.c.due_at.is_(None), self.is_free(at))
        run(session, update(self._rows).where(*here, lost).values(due_at=at))

    def is_held_by(self, session: Session, job_id: str) -> bool:
        """Whether that job holds rows, as one does that a crash interrupted."""
        held = self._rows.c.lease_by
        return bool(run(session, select(exists().where(held.is_not(None), held.like(f"{job_id}/%")))).scalar())

    def repair(self, session: Session, engine: Engine, *, at: datetime) -> int:
        """Make rows due that are not finished and that no job would take; gives the number of rows."""
        rows, keys = self._rows.c, [self._rows.c[name] for name in self.keys]
        # Only a row that was put off, or failed many times, may wait longer than the longest of the quick retries.
        is_quick = and_(rows.attempts <= MAX_QUICK_RETRIES, rows.lease_until.is_(None))
        is_ahead = rows.due_at > at + SLOW_RETRY + MAX_CLOCK_SKEW
        lost = or_(  # Its run ended without a word, or a release before, or a clock that was ahead, wrote it.
            rows.due_at.is_(None), is_ahead, and_(is_quick, rows.due_at > at + RETRY_DELAYS[-1] + MAX_CLOCK_SKEW)
        )
        # A row that another transaction has is left to the next look, so that this one never waits for a lock.
        query = select(*keys).where(self.unfinished(), self.is_free(at), lost).with_for_update(skip_locked=True)
        found = run(session, query).all()
        for row in found:
            change(session, self.model, self.key(row), **self.free_from(at))
        self.queue_due(session, engine, at=at)
        return len(found)

    def queue_due(self, session: Session, engine: Engine, *, at: datetime) -> None:
        """Store a job for rows that are due by now: none was stored when they were put off."""
        for queue in self.due(session, at=at):
            enqueue_once(session, engine, Job(self.job, (), queue))

    def due(self, session: Session, *, at: datetime) -> tuple[QueueName, ...]:
        """The queues in which a job would find something."""
        is_due, urgent = self.is_due(at), self._rows.c.urgent
        found = run(session, select(exists().where(is_due, urgent), exists().where(is_due, ~urgent))).one()
        queues = [
            self.queue_of(urgent=urgent) for urgent, is_there in zip((True, False), found, strict=True) if is_there
        ]
        return tuple(dict.fromkeys(queues))

    def depth(self, session: Session, *, at: datetime) -> dict[QueueName, int]:
        """The number of rows that are due, by the queue whose jobs take them."""
        urgent = self._rows.c.urgent
        found = run(session, select(urgent, func.count().label("rows")).where(self.is_due(at)).group_by(urgent))
        depth = dict.fromkeys(self._queues, 0)
        for row in found:
            depth[self.queue_of(urgent=bool(row.urgent))] += int(row.rows)
        return depth

    def is_due(self, at: Any, too_late: Any = None) -> ColumnElement[bool]:
        """True where a job would take the row."""
        due_at = self._rows.c.due_at
        wanted = or_(self.unfinished(), self.again())
        return and_(due_at.is_not(None), due_at <= at, self.is_free(at, too_late), wanted)

    def is_free(self, at: Any, too_late: Any = None) -> ColumnElement[bool]:
        """True where no run holds the row."""
        until = self._rows.c.lease_until
        bound = at + LEASE + MAX_CLOCK_SKEW if too_late is None else too_late
        # A lease that ends after the bound was written by a clock that was ahead.
        return or_(self._rows.c.lease_by.is_(None), until <= at, until > bound)

    def key(self, row: Any) -> dict[str, Any]:
        """The key of the row, by columns."""
        return {name: getattr(row, name) for name in self.keys}

    def place(self, claim: C) -> tuple[Any, ...]:
        """The sort key of its row."""
        # Transactions that lock several rows take them in this order: no deadlock.
        return tuple(self.key(claim.row).values())

    def _candidates(self, queue: QueueName) -> Select[Any]:
        rows, at = self._rows, bindparam("at", type_=Moment())
        turn = [rows.c.urgent, *([rows.c[self.share]] if self.share else [])]
        mine = self._mine()
        due = self.is_due(at, bindparam("too_late", type_=Moment()))
        wanted = or_(mine, and_(due, rows.c.urgent) if queue == "now" else due)
        keys = [rows.c[name] for name in self.keys]
        # Installations, or endpoints, take turns: the first row of each comes before the second of any.
        number = func.row_number().over(partition_by=turn, order_by=[rows.c.due_at, *keys])
        ranked = select(*keys, case((mine, 0), else_=1).label("place"), number.label("turn")).where(wanted).subquery()
        order = (ranked.c.place, rows.c.urgent.desc(), ranked.c.turn, rows.c.due_at, *keys)
        found = select(rows).join(ranked, and_(*(rows.c[name] == ranked.c[name] for name in self.keys)))
        lot = found.where(wanted).order_by(*order).limit(bindparam("most"))
        return lot.with_for_update(of=rows, skip_locked=True)  # Left to the transaction that has them.

    def _mine(self) -> ColumnElement[bool]:
        held = self._rows.c.lease_by
        return and_(held.is_not(None), held.like(bindparam("mine")))

    def _store_job(self, session: Session, engine: Engine, *, urgent: bool) -> None:
        enqueue_once(session, engine, Job(self.job, (), self.queue_of(urgent=urgent)))

    def _change_held(self, session: Session, lease: C, **values: Any) -> bool:
        here = (self._rows.c[name] == value for name, value in self.key(lease.row).items())
        held = update(self._rows).where(*here, self._rows.c.lease_by == lease.holder)
        return run(session, held.values(values)).rowcount > 0


def enqueue_once(session: Session, engine: Engine, job: Job) -> None:
    """Store that job unless this transaction stored it already."""
    stored = session.info.setdefault(_STORED_JOBS, set())  # One job takes all that the transaction made due.
    if job not in stored:
        stored.add(job)
        engine.request(session, job)


def _forget(session: AnySession, *_: object) -> None:
    session.info.pop(_STORED_JOBS, None)


for _end in ("after_commit", "after_soft_rollback"):  # The latter also where a savepoint takes a job back.
    events.listen(Session, _end, _forget)
