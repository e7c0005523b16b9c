"""A mailbox, for any kind of subject that is judged: at most one job waits and one runs, and the newest state wins.

A subject's row counts what came in (`latest`) and what the last finished run covered. One run at a time holds it by a
lease; a run whose lease ended and whose subject was taken over changes nothing any more. Every function is given a row
that `lock` has locked in the caller's transaction.
"""

import secrets
from datetime import datetime, timedelta
from typing import Any, Final, Protocol, TypeVar

from sqlalchemy import ColumnElement, and_, or_, update
from sqlmodel import Session, SQLModel, col, select

from bot.job_queue import Engine, Job, QueueName

RETRY_DELAYS: Final = (timedelta(seconds=5), timedelta(seconds=15), timedelta(seconds=60), timedelta(minutes=5))
"""How long a subject waits after its first, second, third and every later failure."""
MAX_QUICK_RETRIES: Final = 12
"""After so many failures in a row it is tried each `SLOW_RETRY`: what is refused for an hour will not be allowed in a minute."""
SLOW_RETRY: Final = timedelta(hours=1)

WAITS_IN: Final[dict[QueueName, int]] = {"later": 1, "now": 2}
"""What `queued` says of a job that waits in that queue."""


class Row(Protocol):
    """The columns of a mailbox. `queued` says where a job waits: 0 nowhere, 1 in `later`, 2 in `now`.

    `lease_by` is the run that holds it, as job id and a word of that very run; `due_at` when a sweep looks at it.
    """

    latest: int
    queued: int
    lease_by: str | None
    lease_until: datetime | None
    attempts: int
    due_at: datetime | None


R = TypeVar("R", bound=SQLModel)


def lock(session: Session, model: type[R], *identity: ColumnElement[bool]) -> R | None:
    """The row, nobody else's until the transaction ends: a write locks it on both databases, also on SQLite."""
    queued = model.__table__.c.queued  # type: ignore[attr-defined]  # SQLModel does not declare what SQLAlchemy adds
    session.execute(update(model).where(*identity).values(queued=queued), execution_options=_BLIND)
    return session.exec(select(model).where(*identity).execution_options(populate_existing=True)).one_or_none()


def begin(row: Row, job_id: str, *, covered: int, at: datetime, lease: timedelta) -> str | None:
    """Take the subject for one job until `at + lease`: who holds it now. None when another does, or nothing is new.

    `covered` is what the last finished run covered. The same job may take it again: after a crash it has the same id.
    """
    row.queued = 0  # this job was what waited; whoever holds the subject queues the next one
    if (row.lease_by or "").partition("/")[0] != job_id and _is_leased(row, at):
        return None
    release(row)
    if covered >= row.latest:
        return None
    row.lease_by, row.lease_until, row.due_at = f"{job_id}/{secrets.token_hex(4)}", at + lease, None
    return row.lease_by


def release(row: Row) -> None:
    """Nobody holds it any more."""
    row.lease_by = row.lease_until = None


def give_up(row: Row, *, at: datetime, is_urgent: bool = False) -> timedelta | None:
    """It could not be judged: after which delay a job tries again; None where it is left to the sweep.

    What is urgent is not made to wait. A job that waits for an hour would hold back what comes in.
    """
    row.attempts += 1
    release(row)
    if row.attempts > MAX_QUICK_RETRIES and not is_urgent:
        row.due_at = at + SLOW_RETRY
        return None
    delay = timedelta(0) if is_urgent else retry_delay(row.attempts)
    row.due_at = at + delay
    return delay


def retry_delay(attempts: int) -> timedelta:
    """How long to wait after that many failures in a row, at least one."""
    return RETRY_DELAYS[min(attempts, len(RETRY_DELAYS)) - 1]


def enqueue(session: Session, engine: Engine, waiting: int, job: Job) -> int:
    """Store the job unless one waits in its queue or a faster one; what `queued` is then. `waiting` is what it is now."""
    if waiting >= WAITS_IN[job.queue]:
        return waiting
    engine.enqueue(session, job)
    return WAITS_IN[job.queue]


def is_stale(model: type[Row], covered: Any, *, at: datetime) -> ColumnElement[bool]:
    """Whether something is new that no job waits for and no run holds; `covered` is the column for what was covered."""
    return and_(
        is_idle(model, at=at),
        covered < col(model.latest),
        or_(col(model.due_at).is_(None), col(model.due_at) <= at),
    )


def is_idle(model: type[Row], *, at: datetime) -> ColumnElement[bool]:
    """Whether no job waits for it and no run holds it."""
    return and_(col(model.queued) == 0, or_(col(model.lease_by).is_(None), col(model.lease_until) <= at))


def _is_leased(row: Row, at: datetime) -> bool:
    return row.lease_by is not None and row.lease_until is not None and row.lease_until > at


_BLIND: Final = {"synchronize_session": False}
