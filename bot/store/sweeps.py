"""The moments of sweeps: when the last one began, so that several workers sweep once, and when one looked at all."""

from datetime import datetime, timedelta
from typing import Final

from sqlalchemy import update
from sqlmodel import Field, Session, SQLModel, col

from agreements.store.tables.columns import Moment
from bot.store.statements import Upsert, read, run

_ONLY_ROW = 1


class Sweep(SQLModel, table=True):
    """The one row; `full_at` is when a sweep began that read all open pull requests and the whole webhook log.

    `restored_at` is when the database came back from a backup: what was made at GitHub before may be forgotten here.
    """

    __tablename__ = "sweep"

    id: int = Field(primary_key=True, default=_ONLY_ROW)
    began_at: datetime | None = Field(default=None, sa_type=Moment)
    full_at: datetime | None = Field(default=None, sa_type=Moment)
    restored_at: datetime | None = Field(default=None, sa_type=Moment)


_MAKE: Final = Upsert.unless_there(Sweep)
_FULL: Final = Upsert.replacing(Sweep, "id", "full_at")
_RESTORED: Final = Upsert.replacing(Sweep, "id", "restored_at")


def begin(session: Session, *, at: datetime, every: timedelta) -> datetime | None:
    """Take this turn: when the sweep before it began, or `at` for the first. None if one began within `every`."""
    run(session, _MAKE, {"id": _ONLY_ROW})
    # The row is locked before it is read, so that of several workers just one takes the turn.
    session.execute(update(Sweep).where(col(Sweep.id) == _ONLY_ROW).values(id=_ONLY_ROW))
    row = session.get(Sweep, _ONLY_ROW, populate_existing=True)
    assert row is not None
    before = row.began_at
    if before is not None and abs(at - before) < every:  # Further ahead is what a wrong clock wrote.
        return None
    row.began_at = at
    return min(before or at, at)  # A wrong clock's moment would leave a gap that no sweep looks at.


def state(session: Session) -> Sweep:
    """The moments of earlier sweeps; each is None before the first one."""
    return read(session, Sweep, id=_ONLY_ROW) or Sweep()


def began_full(session: Session, *, at: datetime) -> None:
    """A full sweep begins."""
    run(session, _FULL, {"id": _ONLY_ROW, "full_at": at})


def restored(session: Session, *, at: datetime) -> None:
    """The database came back from a backup at that moment."""
    run(session, _RESTORED, {"id": _ONLY_ROW, "restored_at": at})
