"""The sessions of the portal, known by the hash of a cookie that only the browser holds; and what an account chose for its pages."""

from datetime import datetime, timedelta
from typing import Final

from sqlalchemy import Column, LargeBinary, delete
from sqlmodel import Field, Session, SQLModel, col, select

from agreements.store import lookup
from agreements.store.ledger import transient_rows
from agreements.store.lookup import account_key
from agreements.store.tables.columns import BigId, Moment
from agreements.store.tables.declarations import RowRetention, declare
from agreements.vault import Vault
from bot.store.statements import Upsert, run

IDLE_TIMEOUT = timedelta(minutes=30)  # Without a request: a browser that was left open.

MAX_LIFETIME = timedelta(hours=12)  # After its start, however busy: a stolen cookie ends, too.

_SEEN_PRECISION = timedelta(minutes=1)


class PortalSession(SQLModel, table=True):
    """A browser's session; `sealed` is what is remembered of it, encrypted with the server's key."""

    __tablename__ = "visit"
    __table_args__ = declare(
        sealed="sealed", authenticated=True, erased="account", retention=RowRetention("expires_at", timedelta(0))
    )

    id_hash: str = Field(primary_key=True, max_length=64)  # Who reads the database learns no cookie.
    account_id: int | None = Field(default=None, sa_column=Column(BigId, nullable=True, index=True))
    sealed: bytes = Field(sa_column=Column(LargeBinary, nullable=False))
    created_at: datetime = Field(sa_column=Column(Moment, nullable=False))
    seen_at: datetime = Field(sa_column=Column(Moment, nullable=False))
    expires_at: datetime = Field(sa_column=Column(Moment, nullable=False, index=True))
    mac: str | None = None  # Authenticates its account and its end, see `transient_rows`.


class AccountSettings(SQLModel, table=True):
    """The settings of an account for the pages that it sees: `time_zone` is an IANA name."""

    __tablename__ = "account_settings"
    __table_args__ = declare(erased="account")

    account_id: int = Field(primary_key=True, sa_type=BigId, sa_column_kwargs={"autoincrement": False})
    time_zone: str


_CHOOSE_TIME_ZONE: Final = Upsert.replacing(AccountSettings, "account_id", "time_zone")


def time_zone(session: Session, account_id: int) -> str:
    """The name of the time zone that the account chose; "" for none."""
    row = session.get(AccountSettings, account_key(account_id))
    return row.time_zone if row else ""


def choose_time_zone(session: Session, account_id: int, name: str) -> None:
    """From now on the account sees its pages' times in that zone; "" takes the choice back."""
    if name:
        run(session, _CHOOSE_TIME_ZONE, {"account_id": account_key(account_id), "time_zone": name})
    else:
        session.execute(delete(AccountSettings).where(col(AccountSettings.account_id) == account_key(account_id)))


def find(session: Session, vault: Vault, id_hash: str, now: datetime) -> PortalSession | None:
    """The session with that hash if it has not ended; being seen lengthens it, at most to MAX_LIFETIME after its start.

    Raises RowRefused for one that was inserted or changed in the database, or is of a release that made no codes.
    """
    portal_session = session.get(PortalSession, id_hash) if id_hash else None
    if portal_session is None or portal_session.expires_at <= now:
        return None
    transient_rows.check(vault, portal_session, secret_key=True)
    # A write a minute is enough: pages that only read stay readers.
    if now - portal_session.seen_at >= _SEEN_PRECISION:
        portal_session.seen_at = now
        portal_session.expires_at = _end(portal_session.created_at, now)
        transient_rows.authenticate(vault, portal_session)
    return portal_session


def keep(
    session: Session, vault: Vault, id_hash: str, account_id: int | None, sealed: bytes, now: datetime
) -> PortalSession:
    """Begin the session, or replace what is remembered of it; its start stays. Raises RowRefused as `find`."""
    portal_session = replace(session, vault, id_hash, account_id, sealed, now)
    if portal_session is None:
        portal_session = PortalSession(id_hash=id_hash, sealed=sealed, created_at=now, seen_at=now, expires_at=now)
        _fill(vault, portal_session, account_id, sealed, now)
        session.add(portal_session)
    return portal_session


def replace(
    session: Session, vault: Vault, id_hash: str, account_id: int | None, sealed: bytes, now: datetime
) -> PortalSession | None:
    """Replace what is remembered of a session; None for one that was ended. Raises RowRefused as `find`."""
    portal_session = lookup.locked(session, PortalSession, col(PortalSession.id_hash) == id_hash)
    if portal_session is not None:
        transient_rows.check(vault, portal_session, secret_key=True)
        _fill(vault, portal_session, account_id, sealed, now)
    return portal_session


def end(session: Session, id_hash: str) -> None:
    """End one session; fine when it has ended already."""
    session.execute(delete(PortalSession).where(col(PortalSession.id_hash) == id_hash))


def end_of(session: Session, account_id: int) -> int:
    """End all sessions of an account, as when GitHub says that its authorization was taken back; returns how many."""
    ended = session.execute(delete(PortalSession).where(col(PortalSession.account_id) == account_id))
    return int(getattr(ended, "rowcount", 0))


def end_all(session: Session) -> None:
    """End all sessions, as when an older state of the database is taken back."""
    session.execute(delete(PortalSession))  # Some of these had ended since.


def signed_in(
    session: Session, now: datetime, *, account_id: int | None = None, skip: int = 0, most: int = 50
) -> list[PortalSession]:
    """Sessions of signed-in people that have not ended, those seen last come first; of one account or of all."""
    whose = (
        col(PortalSession.account_id).is_not(None)
        if account_id is None
        else col(PortalSession.account_id) == account_key(account_id)
    )
    query = select(PortalSession).where(whose, col(PortalSession.expires_at) > now)
    return list(
        session.exec(
            query.order_by(col(PortalSession.seen_at).desc(), col(PortalSession.id_hash)).offset(skip).limit(most)
        )
    )


def count(session: Session, vault: Vault, account_id: int, now: datetime) -> int:
    """The number of sessions of that account, at most 50."""
    rows = signed_in(session, now, account_id=account_id)
    return sum(transient_rows.is_authentic(vault, row) for row in rows)


def of_whom(session: Session, vault: Vault, id_hash: str, now: datetime) -> int | None:
    """The account of that session; None when it has ended, is not authentic, or has no signed-in person."""
    portal_session = session.get(PortalSession, id_hash) if id_hash else None
    if portal_session is None or portal_session.expires_at <= now:
        return None
    return portal_session.account_id if transient_rows.is_authentic(vault, portal_session) else None


def _fill(vault: Vault, portal_session: PortalSession, account_id: int | None, sealed: bytes, now: datetime) -> None:
    portal_session.account_id, portal_session.sealed, portal_session.seen_at = account_id, sealed, now
    portal_session.expires_at = _end(portal_session.created_at, now)
    transient_rows.authenticate(vault, portal_session)


def _end(created_at: datetime, now: datetime) -> datetime:
    return min(now + IDLE_TIMEOUT, created_at + MAX_LIFETIME)
