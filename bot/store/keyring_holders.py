"""The keys of the ring that each running process has: data may be wrapped by a key only when all of them have it."""

from datetime import datetime, timedelta
from typing import Final

from sqlalchemy import bindparam, delete
from sqlmodel import Field, Session, SQLModel, col, select

from agreements.store.tables.columns import Moment
from bot.store.statements import Upsert, run, table

# A process that has not told its keys for so long counts as gone: one that was killed must not hold up a rotation.
GONE_AFTER = timedelta(seconds=30)


class KeyHolder(SQLModel, table=True):
    """One process; `key_ids` are separated by blanks, which no key's id contains."""

    __tablename__ = "key_holder"

    id: str = Field(primary_key=True)
    key_ids: str
    seen_at: datetime = Field(sa_type=Moment)


_GONE: Final = delete(table(KeyHolder)).where(table(KeyHolder).c.seen_at < bindparam("since"))
_SAY: Final = Upsert.replacing(KeyHolder, "id", "key_ids", "seen_at")


def tell(session: Session, holder_id: str, key_ids: tuple[str, ...], *, at: datetime) -> None:
    """Store the keys that this process has; processes that are gone are deleted."""
    run(session, _GONE, {"since": at - GONE_AFTER})
    run(session, _SAY, {"id": holder_id, "key_ids": " ".join(key_ids), "seen_at": at})


def is_known(session: Session, holder_id: str) -> bool:
    """True if a process with that id works with this database, or did a moment ago."""
    return bool(holder_id) and session.get(KeyHolder, holder_id) is not None


def forget(session: Session, holder_id: str) -> None:
    """Forget a process that ends, so that no rotation waits for it."""
    session.execute(delete(KeyHolder).where(col(KeyHolder.id) == holder_id))


def without(session: Session, key_id: str, *, at: datetime) -> int:
    """The number of living processes that don't have that key."""
    found = session.exec(select(KeyHolder.key_ids).where(col(KeyHolder.seen_at) >= at - GONE_AFTER))
    return sum(key_id not in key_ids.split() for key_ids in found)  # Whole ids: one may be the beginning of another.
