"""Who is visiting the portal: server-side sessions, known by the hash of a cookie that only the browser holds."""

from datetime import datetime, timedelta

from sqlalchemy import Column, LargeBinary, delete
from sqlmodel import Field, Session, SQLModel, col, select

from agreements.store.lookup.keys import account_key
from agreements.store.tables.columns import BigId, Moment

IDLE = timedelta(minutes=30)
"""A visit ends when nothing came from it for this long."""

LONGEST = timedelta(hours=12)
"""A visit ends this long after it began, however busy."""

_SEEN_EVERY = timedelta(minutes=1)


class Visit(SQLModel, table=True):
    """One browser's visit; `sealed` is what is remembered of it, encrypted with the server's key."""

    __tablename__ = "visit"

    id_hash: str = Field(primary_key=True, max_length=64)
    account_id: int | None = Field(default=None, sa_column=Column(BigId, nullable=True, index=True))
    sealed: bytes = Field(sa_column=Column(LargeBinary, nullable=False))
    created_at: datetime = Field(sa_column=Column(Moment, nullable=False))
    seen_at: datetime = Field(sa_column=Column(Moment, nullable=False))
    expires_at: datetime = Field(sa_column=Column(Moment, nullable=False, index=True))


def find(session: Session, id_hash: str, now: datetime) -> Visit | None:
    """The visit with that hash if it has not ended; being seen lengthens it, at most to LONGEST after its start."""
    visit = session.get(Visit, id_hash) if id_hash else None
    if visit is None or visit.expires_at <= now:
        return None
    # A write a minute is enough: pages that only read stay readers.
    if now - visit.seen_at >= _SEEN_EVERY:
        visit.seen_at = now
        visit.expires_at = _end(visit.created_at, now)
        session.add(visit)
    return visit


def keep(session: Session, id_hash: str, account_id: int | None, sealed: bytes, now: datetime) -> Visit:
    """Begin the visit, or replace what is remembered of it; its start stays."""
    visit = session.get(Visit, id_hash)
    if visit is None:
        visit = Visit(id_hash=id_hash, sealed=sealed, created_at=now, seen_at=now, expires_at=now)
    visit.account_id = account_id
    visit.sealed = sealed
    visit.seen_at = now
    visit.expires_at = _end(visit.created_at, now)
    session.add(visit)
    return visit


def end(session: Session, id_hash: str) -> None:
    """End one visit; fine when it has ended already."""
    session.execute(delete(Visit).where(col(Visit.id_hash) == id_hash))


def end_of(session: Session, account_id: int) -> int:
    """End all visits of an account, as when GitHub says that its authorization was taken back; returns how many."""
    ended = session.execute(delete(Visit).where(col(Visit.account_id) == account_id))
    return int(getattr(ended, "rowcount", 0))


def end_all(session: Session) -> None:
    """End all visits, as when an older state of the database is taken back: some of these had ended since."""
    session.execute(delete(Visit))


def signed_in(
    session: Session, now: datetime, *, account_id: int | None = None, skip: int = 0, most: int = 50
) -> list[Visit]:
    """Visits of signed-in people that have not ended, those seen last come first; of one account or of all."""
    whose = (
        col(Visit.account_id).is_not(None) if account_id is None else col(Visit.account_id) == account_key(account_id)
    )
    query = select(Visit).where(whose, col(Visit.expires_at) > now)
    return list(session.exec(query.order_by(col(Visit.seen_at).desc(), col(Visit.id_hash)).offset(skip).limit(most)))


def of_whom(session: Session, id_hash: str, now: datetime) -> int | None:
    """The account whose visit that is; None when it has ended, or nobody is signed in there."""
    visit = session.get(Visit, id_hash) if id_hash else None
    return visit.account_id if visit is not None and visit.expires_at > now else None


def sweep(session: Session, now: datetime) -> int:
    """Delete the rows of visits that have ended; returns how many."""
    gone = session.execute(delete(Visit).where(col(Visit.expires_at) <= now))
    return int(getattr(gone, "rowcount", 0))


def _end(created_at: datetime, now: datetime) -> datetime:
    return min(now + IDLE, created_at + LONGEST)
