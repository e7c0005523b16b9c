"""The record of how this database is served: since when, the last delivery and backup, deliveries that never came."""

from datetime import datetime
from typing import Any, Final

from sqlalchemy import Executable, or_
from sqlmodel import Field, Session, SQLModel

from agreements.store.tables.columns import Moment
from bot.clock import Clock
from bot.db import Sessions
from bot.store.statements import Upsert, read, run, table

_ONLY_ROW: Final = 1


class ServiceRecord(SQLModel, table=True):
    """The one row; each moment is None before the first time.

    `delivered_at` is when the last genuine delivery came, of any kind. `lost_deliveries` is how many never came of
    those that GitHub, when it was last asked at `asked_at`, said it had sent; since `lost_since` there are some.
    """

    __tablename__ = "service_record"

    id: int = Field(primary_key=True, default=_ONLY_ROW)
    served_since: datetime | None = Field(default=None, sa_type=Moment)  # By a release that keeps this row.
    delivered_at: datetime | None = Field(default=None, sa_type=Moment)
    backed_up_at: datetime | None = Field(default=None, sa_type=Moment)  # The moment of the last backup.
    lost_deliveries: int | None = None
    lost_since: datetime | None = Field(default=None, sa_type=Moment)
    asked_at: datetime | None = Field(default=None, sa_type=Moment)


def _later(name: str) -> Upsert:
    column = table(ServiceRecord).c[name]

    def complete(insert: Any) -> Executable:
        given = insert.excluded[name]
        # Several processes store theirs: an earlier moment takes nothing back.
        changed: Executable = insert.on_conflict_do_update(
            index_elements=["id"], set_={name: given}, where=or_(column.is_(None), column < given)
        )
        return changed

    return Upsert(ServiceRecord, complete)


_SERVED: Final = Upsert(
    ServiceRecord,
    lambda insert: insert.on_conflict_do_update(
        index_elements=["id"],
        set_={"served_since": insert.excluded.served_since},
        where=table(ServiceRecord).c.served_since.is_(None),  # The first time counts.
    ),
)
_DELIVERED: Final = _later("delivered_at")
_BACKED_UP: Final = _later("backed_up_at")
_LOST: Final = Upsert.replacing(ServiceRecord, "id", "lost_deliveries", "lost_since", "asked_at")


def state(session: Session) -> ServiceRecord:
    """The row, or one without values."""
    return read(session, ServiceRecord, id=_ONLY_ROW) or ServiceRecord()


def served(session: Session, *, at: datetime) -> None:
    """Store since when the database is served."""
    run(session, _SERVED, {"id": _ONLY_ROW, "served_since": at})


def backed_up(session: Session, *, at: datetime) -> None:
    """Store that there is a backup of that moment."""
    run(session, _BACKED_UP, {"id": _ONLY_ROW, "backed_up_at": at})


def lost(session: Session, deliveries: int, *, at: datetime) -> None:
    """Store how many deliveries never came of those that GitHub, asked at that moment, says it sent."""
    since = (state(session).lost_since or at) if deliveries else None
    run(session, _LOST, {"id": _ONLY_ROW, "lost_deliveries": deliveries, "lost_since": since, "asked_at": at})


class LastDelivery:
    """The moment of the last genuine delivery to this process: noted at once, stored by the regular look."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._noted: datetime | None = None
        self._stored: datetime | None = None

    def note(self) -> None:
        """Note that a delivery came."""
        self._noted = self._clock()  # In memory: no delivery costs a write.

    def store(self, sessions: Sessions) -> None:
        """Store the newest noted moment. Raises SQLAlchemyError; then the next call stores it."""
        noted = self._noted
        if noted is None or noted == self._stored:
            return
        with sessions() as session:
            run(session, _DELIVERED, {"id": _ONLY_ROW, "delivered_at": noted})
        self._stored = noted
