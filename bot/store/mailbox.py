"""A mailbox, for any kind of subject that is judged: many are claimed at once, a run holds each, the newest state wins.

A subject's row counts what came in (`latest`) and what the last finished run covered. It has to be judged from `due_at`
on; what comes in while a run holds it (`bot.store.leases`) has it due again when that run ends.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from types import MappingProxyType
from typing import Any, ClassVar, Final, Generic, TypeVar

from sqlalchemy import (
    Boolean,
    CheckConstraint,
    ColumnElement,
    Index,
    Update,
    and_,
    bindparam,
    case,
    func,
    or_,
    select,
    true,
    update,
)
from sqlmodel import Session

from agreements.store.tables.columns import Moment
from bot.job_queue import Engine, QueueName
from bot.store.leases import Lease, LeasedRow, Leases, lease_indexes
from bot.store.retry_policy import RetryDelay, retry_delay
from bot.store.statements import change, run

# Subjects queued in one transaction: each takes about 2 ms of processor, and SQLite has one writer, for whom a
# delivery that comes in waits.
BATCH_SUBJECTS: Final = 10

# A subject about which nothing has come in yet.
NEW_ROW: Final[Mapping[str, Any]] = MappingProxyType({"latest": 0, "queued": 0, "urgent": False, "attempts": 0})
_ANY_TIME: Final = datetime.min.replace(tzinfo=UTC)

_Item = TypeVar("_Item")


def lots(items: Sequence[_Item], size: int = BATCH_SUBJECTS) -> Iterator[Sequence[_Item]]:
    """The items in lots of that size, for a transaction each."""
    return (items[start : start + size] for start in range(0, len(items), size))


def earliest(time: datetime | None, other: datetime | None) -> datetime | None:
    """The first of two moments, of which none may be."""
    return min((moment for moment in (time, other) if moment is not None), default=None)


class MailboxRow(LeasedRow):
    """The columns of a mailbox."""

    latest: int = 0
    queued: int = 0  # Read by the release before alone, which stored a job for each subject.


def mailbox_rules(name: str) -> tuple[CheckConstraint | Index, ...]:
    """The indexes and rules of a table that holds mailboxes."""
    return (CheckConstraint("queued IN (0, 1, 2)", name=f"{name}_queued_known"), *lease_indexes(name))


Subject = TypeVar("Subject")
R = TypeVar("R", bound=MailboxRow)


@dataclass(frozen=True, slots=True)
class Claim(Lease[R], Generic[Subject, R]):
    """The right of one run to judge the `subject` of a row, up to and including `latest`."""

    subject: Subject
    latest: int


C = TypeVar("C", bound=Claim[Any, Any])


class Mailbox(Leases[R, C], Generic[Subject, R, C]):
    """The mailboxes of one kind of subject: what comes in is counted, and a run finishes them or gives them up.

    A subject is an id, or a tuple of them: the columns `keys`. The column `covered` says what the last finished run covered.
    `claim_type` is C.
    """

    claim_type: ClassVar[type[Any]]
    covered: ClassVar[str]

    def __init__(self) -> None:
        super().__init__()
        held = self._rows
        here = [held.c[name] == bindparam(f"key_{name}") for name in self.keys]
        self._lock: Update = update(held).where(*here).values(latest=held.c.latest).returning(held)
        self._done = self._finishing(here)
        due_at = bindparam("new_due_at", type_=Moment())
        # News never moves the moment back: a subject that is due already stays due.
        is_first = or_(held.c.due_at.is_(None), held.c.due_at > due_at)
        self._count: Update = (
            update(held)
            .where(*here)
            .values(
                latest=held.c.latest + 1,
                due_at=case((is_first, due_at), else_=held.c.due_at),
                urgent=or_(held.c.urgent, bindparam("is_urgent", type_=Boolean)),
            )
            .returning(held.c.latest)
        )

    def _finishing(self, here: Sequence[ColumnElement[bool]]) -> Update:
        rows, at, again_at = self._rows, bindparam("at", type_=Moment()), bindparam("again_at", type_=Moment())
        news = func.coalesce(rows.c.due_at, at)  # Only what came in during the run has set it: a claim clears `due_at`.
        earlier = case((again_at < news, again_at), else_=news)
        due_at = case((rows.c.latest > bindparam("covered"), earlier), else_=again_at)
        done = {name: bindparam(f"new_{name}", type_=rows.c[name].type) for name in self.covering(0, _ANY_TIME)}
        return (
            update(rows)
            # A run whose lease ended, and which another overtook, changes nothing.
            .where(*here, rows.c.lease_by == bindparam("holder"))
            .values(attempts=0, **self.free_from(due_at), **done)
            .returning(rows.c.due_at, rows.c.urgent)
        )

    def unfinished(self) -> ColumnElement[bool]:
        """The condition for rows about which something came in since they were judged."""
        rows = self._rows
        return rows.c[self.covered] < rows.c.latest

    def claimed(self) -> Mapping[str, Any]:
        """A judged subject that is judged again gets a new number."""
        latest = self._rows.c.latest
        # The run's results are kept under it.
        return {"latest": case((self.unfinished(), latest), else_=latest + 1), "queued": 0}

    def claim_of(self, row: R, holder: str) -> C:
        key = tuple(self.key(row).values())
        # The row is as it was before `claimed` changed it.
        latest = row.latest if getattr(row, self.covered) < row.latest else row.latest + 1
        claim: C = self.claim_type(row, holder, self.subject(key), latest)
        return claim

    def lock(self, session: Session, subject: Subject | C) -> R | None:
        """The row, locked until the transaction ends."""
        # By a write, which locks it on SQLite, too.
        row: R | None = run(session, self._lock, self._bound(subject)).one_or_none()  # type: ignore[assignment]  # it has the columns of one
        return row

    def finish(
        self, session: Session, engine: Engine, claim: C, *, at: datetime, again_at: datetime | None = None
    ) -> bool:
        """The subject is judged; it is due again if something came in meanwhile, or at `again_at`.

        False when the claim had run out and another run took over: then nothing changes.
        """
        # `again_at`: what was in doubt may be known by then.
        values = {"covered": claim.latest, "at": at, "again_at": again_at, "holder": claim.holder}
        covering = {f"new_{name}": value for name, value in self.covering(claim.latest, at).items()}
        row = run(session, self._done, {**self._bound(claim), **values, **covering}).one_or_none()
        if row is None:
            return False
        # A row that is due later needs no job now: the regular look queues one.
        if row.due_at is not None and row.due_at <= at:
            self._store_job(session, engine, urgent=row.urgent)
        self.finished(session, claim)
        return True

    def finished(self, session: Session, claim: C) -> None:
        """Further writes once a claim is finished."""

    def covering(self, latest: int, at: datetime) -> dict[str, Any]:  # noqa: ARG002 - some remember when
        """The columns of a row once all up to `latest` is judged."""
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
        """The subject could not be judged: it is tried again after a growing delay, or after just that of `wait`.

        False when the claim had run out and another run took over: then nothing changes.
        """
        row = self._held(session, claim)
        if row is None:
            return False
        self.given_up(session, claim, why)
        attempts = row.attempts if wait is not None else row.attempts + 1  # With `wait` nothing was tried in vain.
        if wait is not None:
            delay = wait.delay
        elif row.urgent:
            # Something urgent came in while the claim was held: it has not failed yet.
            delay = timedelta(0)
        else:
            delay = retry_delay(attempts)
        # A row that only waited for its turn stays urgent: the person still waits for it.
        urgent = row.urgent or (wait is not None and claim.row.urgent)
        free = self.free_from(at + delay) | {"lease_until": None if wait is None else at + delay}
        change(session, self.model, self._key(claim), attempts=attempts, urgent=urgent, **free)
        if not delay:
            self._store_job(session, engine, urgent=urgent)
        return True

    def given_up(self, session: Session, claim: C, why: str) -> None:
        """Further writes once a claim is given up; `why` is a reason without personal data."""

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
        values = {"new_due_at": engine.now() + delay, "is_urgent": queue == "now"}
        latest = run(session, self._count, {**self._bound(subject), **values}).scalar_one_or_none()
        if latest is not None and delay <= timedelta(0):  # What is due later is found by the look each second.
            self._store_job(session, engine, urgent=queue == "now")
        return int(latest or 0)

    def wake(self, session: Session, engine: Engine, *, limit: int, of: ColumnElement[bool] | None = None) -> int:
        """Make up to `limit` rows that were put off, of those that match `of`, due now: what they need is there again.

        Gives the number of rows; 0 once none is left.
        """
        held, now = self._rows, engine.now()
        is_waiting = and_(held.c.lease_by.is_(None), held.c.due_at > now, self.unfinished())
        query = select(held).where(is_waiting, true() if of is None else of).order_by(held.c.due_at).limit(limit)
        # Rows that runs have locked are skipped: waiting for several of them could end in a deadlock.
        rows = run(session, query.with_for_update(skip_locked=True)).all()
        for row in rows:
            change(session, self.model, self.key(row), due_at=now, urgent=True)
        if rows:
            self._store_job(session, engine, urgent=True)
        return len(rows)

    def is_idle(self, at: datetime) -> ColumnElement[bool]:
        """True where all that came in is judged, and no run holds the row."""
        return and_(~self.unfinished(), self.is_free(at))

    def subject(self, ids: tuple[Any, ...]) -> Any:
        """The subject with these ids."""
        return ids[0]

    def _key(self, subject: Subject | C) -> dict[str, int | str]:
        found = subject.subject if isinstance(subject, Claim) else subject
        return dict(zip(self.keys, found if isinstance(found, tuple) else (found,), strict=True))

    def _bound(self, subject: Subject | C) -> dict[str, int | str]:
        return {f"key_{name}": value for name, value in self._key(subject).items()}

    def _held(self, session: Session, claim: C) -> R | None:
        row = self.lock(session, claim)
        return row if row is not None and row.lease_by == claim.holder else None
