"""The processes that take jobs, and when each last said that it lives."""

from datetime import datetime
from typing import Final

from sqlalchemy import delete
from sqlmodel import Session, col, select

from bot.store.records import Executor
from bot.store.statements import Upsert, run

_BEAT: Final = Upsert.replacing(Executor, "id", "beat_at")


def beat(session: Session, executor_id: str, *, at: datetime) -> None:
    """The process lives."""
    run(session, _BEAT, {"id": executor_id, "beat_at": at})


def alive(session: Session, *, since: datetime) -> dict[str, datetime]:
    """The processes that beat at or after that moment, with their last beat, each by its own clock."""
    found = select(Executor.id, Executor.beat_at).where(Executor.beat_at >= since).order_by(col(Executor.id))
    return dict(session.exec(found).all())


def forget(session: Session, executor_id: str) -> None:
    """Delete a process that has ended and left no job."""
    session.execute(delete(Executor).where(col(Executor.id) == executor_id))


def forget_silent(session: Session, *, since: datetime) -> list[str]:
    """Delete processes without a beat since that moment, which have ended; gives their ids."""
    silent = delete(Executor).where(col(Executor.beat_at) < since).returning(col(Executor.id))
    # Deleted and told by one statement: of several processes just one logs each that is gone.
    return sorted(session.scalars(silent))


def probe(session: Session, *, at: datetime) -> None:
    """Write a row and take it away. Raises SQLAlchemyError where nothing can be written."""
    # A read would succeed on a full disk or a standby. No other transaction sees the row.
    beat(session, "probe", at=at)
    forget(session, "probe")
