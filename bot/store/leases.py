"""Work on rows that wait until they are due: many are claimed at once, each by one run at a time, which holds it by a lease.

A row is due from `due_at` on, unless a run holds it. A run whose lease ended and whose row another run took over changes
nothing any more. What a kind of row is, and what is done with it, is its caller's business.
"""

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final, Generic, TypeVar

from sqlalchemy import (
    ColumnElement,
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
    update,
)
from sqlalchemy import event as events
from sqlalchemy.orm import Session as AnySession
from sqlmodel import Field, Session, SQLModel

from agreements.store.tables.columns import Moment
from bot.job_queue import Engine, Job, QueueName
from bot.store.retry_policy import MAX_CLOCK_SKEW
from bot.store.statements import change, read, run, table

MAX_CLAIMS: Final = 16
"""Rows that one job takes at once."""
LEASE: Final = timedelta(minutes=10)
"""How long one run may hold a row without a sign of life; a crashed one is taken up under its own id before that."""

_STORED_JOBS: Final = "countersign.stored-jobs"


class LeasedRow(SQLModel):
    """The columns of a row that is worked on. `due_at` None: there is nothing to do; `urgent`: somebody waits for it.

    `lease_by` is the run that holds it, as job id and a word of that very run; `attempts` counts failures in a row.
    """

    due_at: datetime | None = Field(default=None, sa_type=Moment)
    urgent: bool = False
    lease_by: str | None = None
    lease_until: datetime | None = Field(default=None, sa_type=Moment)
    attempts: int = 0


R = TypeVar("R", bound=LeasedRow)


@dataclass(frozen=True, slots=True)
class Lease(Generic[R]):
    """The right of one run to work on a row, which is as it was just before; `holder` is the job and a word of this run."""

    row: R
    holder: str


class Leases(Generic[R]):
    """The rows of one model, by its columns `keys`.

    `unfinished` says of which rows something is to be done. Others may be due, too, where `again` holds. Rows that differ
    in `share` take turns. `claimed` is what else a row says once it is claimed.
    """

    def __init__(
        self,
        model: type[SQLModel],
        keys: Sequence[str],
        *,
        unfinished: ColumnElement[bool],
        again: ColumnElement[bool] | None = None,
        share: str | None = None,
        claimed: Mapping[str, Any],
    ) -> None:
        self._model, self._keys = model, tuple(keys)
        self._rows = table(model)
        self._unfinished, self._again = unfinished, false() if again is None else again
        turn = [self._rows.c.urgent, *([self._rows.c[share]] if share else [])]
        self._due: dict[QueueName, Select[Any]] = {name: self._candidates(name, turn) for name in ("now", "later")}
        self._held_before = select(*(self._rows.c[name] for name in self._keys)).where(self._mine()).with_for_update()
        self._take: Update = (
            update(self._rows)
            .where(*(self._rows.c[name] == bindparam(f"key_{name}") for name in self._keys))
            .values(lease_by=bindparam("by"), lease_until=bindparam("until"), due_at=None, urgent=False, **claimed)
        )

    def claim(
        self, session: Session, queue: QueueName, job_id: str, *, at: datetime, limit: int = MAX_CLAIMS
    ) -> list[Lease[R]]:
        """Take up to `limit` rows for one job until `at + LEASE`, in an order that holds up nobody; [] where none is due.

        What the same job holds comes first: after a crash it is run with the same id. Then what is urgent; a job of
        `now` takes nothing else. A row that another transaction has is left to that one. A lease that ends later than one
        taken now holds nobody off: a clock that was ahead wrote it.
        """
        asked = {"mine": f"{job_id}/%", "at": at, "too_late": at + LEASE + MAX_CLOCK_SKEW, "most": limit}
        holder = f"{job_id}/{secrets.token_hex(4)}"
        if session.connection().dialect.name == "postgresql":
            # A process that was killed may have them until the database hears of its end.
            run(session, self._held_before, {"mine": asked["mine"]})
        rows: Sequence[Any] = run(session, self._due[queue], asked).all()
        if rows:
            run(session, self._take, [{**_bound(self.key(row)), "by": holder, "until": at + LEASE} for row in rows])
        return [Lease(row, holder) for row in rows]

    def hold(self, session: Session, lease: Lease[R], *, at: datetime) -> bool:
        """Keep the row for half a `LEASE` at least; False when the lease had run out and another run took over.

        Only read while more than half of it is left.
        """
        key = self.key(lease.row)
        row: Any = read(session, self._model, **key)
        if row is None or row.lease_by != lease.holder:
            return False
        if row.lease_until is not None and row.lease_until - at > LEASE / 2:
            return True
        return self._change_held(session, lease, lease_until=at + LEASE)

    def give_back(self, session: Session, lease: Lease[R], *, at: datetime) -> bool:
        """Nothing was done: it is due as before. False when another run took over."""
        row = lease.row
        due_at = at if row.due_at is None or row.due_at > at else row.due_at
        urgent = or_(self._rows.c.urgent, literal(row.urgent))
        return self._change_held(session, lease, due_at=due_at, urgent=urgent, lease_by=None, lease_until=None)

    def is_held_by(self, session: Session, job_id: str) -> bool:
        """Whether that job holds any: one that a crash interrupted does."""
        held = self._rows.c.lease_by
        return bool(run(session, select(exists().where(held.is_not(None), held.like(f"{job_id}/%")))).scalar())

    def repair(self, session: Session, *, at: datetime, longest: timedelta) -> int:
        """Have those due that are not finished and that nobody would look at, with no moment or one later than `longest`; how many.

        Such a row had a run that ended without a word, was written by a release before, or by a clock that was ahead.
        """
        due_at, keys = self._rows.c.due_at, [self._rows.c[name] for name in self._keys]
        lost = or_(due_at.is_(None), due_at > at + longest + MAX_CLOCK_SKEW)
        # A row that another transaction has is left to the next look: nobody waits for anybody.
        query = select(*keys).where(self._unfinished, self.is_free(at), lost).with_for_update(skip_locked=True)
        found = run(session, query).all()
        for row in found:
            change(session, self._model, self.key(row), due_at=at, lease_by=None, lease_until=None)
        return len(found)

    def due(self, session: Session, *, at: datetime) -> tuple[QueueName, ...]:
        """The queues in which a job would find something."""
        is_due, urgent = self.is_due(at), self._rows.c.urgent
        found = run(session, select(exists().where(is_due, urgent), exists().where(is_due, ~urgent))).one()
        queues: tuple[QueueName, ...] = ("now", "later")
        return tuple(queue for queue, is_there in zip(queues, found, strict=True) if is_there)

    def depth(self, session: Session, *, at: datetime) -> dict[QueueName, int]:
        """How many rows are due, by the queue whose jobs take them."""
        urgent = self._rows.c.urgent
        found = run(session, select(urgent, func.count().label("rows")).where(self.is_due(at)).group_by(urgent))
        counts: dict[bool, int] = {bool(one.urgent): int(one.rows) for one in found}
        return {"now": counts.get(True, 0), "later": counts.get(False, 0)}

    def is_due(self, at: Any, too_late: Any = None) -> ColumnElement[bool]:
        """Whether a job would take it."""
        due_at = self._rows.c.due_at
        wanted = or_(self._unfinished, self._again)
        return and_(due_at.is_not(None), due_at <= at, self.is_free(at, too_late), wanted)

    def is_free(self, at: Any, too_late: Any = None) -> ColumnElement[bool]:
        """Whether no run holds it. `too_late`: a lease that ends after that was written by a clock that was ahead."""
        until = self._rows.c.lease_until
        bound = at + LEASE + MAX_CLOCK_SKEW if too_late is None else too_late
        return or_(self._rows.c.lease_by.is_(None), until <= at, until > bound)

    def key(self, row: Any) -> dict[str, Any]:
        """The row's key."""
        return {name: getattr(row, name) for name in self._keys}

    def _candidates(self, queue: QueueName, turn: Sequence[ColumnElement[Any]]) -> Select[Any]:
        """What is due, one of each share after the other; on PostgreSQL others may have some of it by then."""
        rows, at = self._rows, bindparam("at", type_=Moment())
        mine = self._mine()
        due = self.is_due(at, bindparam("too_late", type_=Moment()))
        wanted = or_(mine, and_(due, rows.c.urgent) if queue == "now" else due)
        keys = [rows.c[name] for name in self._keys]
        number = func.row_number().over(partition_by=turn, order_by=[rows.c.due_at, *keys])
        ranked = select(*keys, case((mine, 0), else_=1).label("place"), number.label("turn")).where(wanted).subquery()
        order = (ranked.c.place, rows.c.urgent.desc(), ranked.c.turn, rows.c.due_at, *keys)
        found = select(rows).join(ranked, and_(*(rows.c[name] == ranked.c[name] for name in self._keys)))
        lot = found.where(wanted).order_by(*order).limit(bindparam("most"))
        return lot.with_for_update(of=rows, skip_locked=True)

    def _mine(self) -> ColumnElement[bool]:
        """Whether a run of the same job holds it."""
        held = self._rows.c.lease_by
        return and_(held.is_not(None), held.like(bindparam("mine")))

    def _change_held(self, session: Session, lease: Lease[R], **values: Any) -> bool:
        here = (self._rows.c[name] == value for name, value in self.key(lease.row).items())
        held = update(self._rows).where(*here, self._rows.c.lease_by == lease.holder)
        return run(session, held.values(values)).rowcount > 0


def enqueue_once(session: Session, engine: Engine, job: Job) -> None:
    """Store that job unless this transaction stored it already: one job takes all that the transaction made due."""
    stored = session.info.setdefault(_STORED_JOBS, set())
    if job not in stored:
        stored.add(job)
        engine.request(session, job)


def _bound(key: Mapping[str, Any]) -> dict[str, Any]:
    return {f"key_{name}": value for name, value in key.items()}


def _forget(session: AnySession, *_: object) -> None:
    session.info.pop(_STORED_JOBS, None)


for _end in ("after_commit", "after_soft_rollback"):  # the latter also where a savepoint takes a job back
    events.listen(Session, _end, _forget)
