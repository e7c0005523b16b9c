"""Opens the database: one engine a process, one transaction a `session()`."""

import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

from sqlalchemy import Engine, create_engine, event
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.pool import ConnectionPoolEntry
from sqlmodel import Session

from bot.clock import now

Sessions = Callable[[], AbstractContextManager[Session]]

_BUSY_SECONDS = 15


def open_engine(url: str) -> Engine:
    """The SQLAlchemy engine for `sqlite:///…` or `postgresql://…`; parameters never appear in its errors."""
    if url.startswith("sqlite"):
        engine = create_engine(
            url,
            hide_parameters=True,
            pool_size=20,
            max_overflow=20,
            connect_args={"check_same_thread": False, "timeout": _BUSY_SECONDS},
        )
        event.listen(engine, "connect", _prepare_sqlite)
        return engine
    url = url.replace("postgres://", "postgresql://", 1).replace("postgresql://", "postgresql+psycopg://", 1)
    return create_engine(url, hide_parameters=True, pool_pre_ping=True, pool_size=20, max_overflow=20)


def sessions(engine: Engine) -> Sessions:
    """A maker of sessions: commits at the end of the block, rolls back when the block raises."""

    @contextmanager
    def session() -> Iterator[Session]:
        with Session(engine, expire_on_commit=False) as current, current.begin():
            yield current

    return session


def explain(error: SQLAlchemyError) -> str:
    """One line about a database that cannot be used: no values, no password."""
    cause = str(getattr(error, "orig", None) or error).strip().splitlines()
    return f"the database cannot be used: {cause[0] if cause else type(error).__name__}"


def _prepare_sqlite(connection: sqlite3.Connection, _record: ConnectionPoolEntry) -> None:
    """WAL so that readers never wait, FULL so that an acknowledged delivery survives a power cut."""
    # DBOS asks for unixepoch('subsec') on Python 3.12 and later; SQLite knows it since 3.42, Debian 12 ships 3.40.
    if sqlite3.sqlite_version_info < (3, 42):
        connection.create_function("unixepoch", -1, _unixepoch)
    cursor = connection.cursor()
    _ahead_of_writes(cursor)
    cursor.execute("PRAGMA synchronous=FULL")
    cursor.execute("PRAGMA foreign_keys=ON")
    cursor.close()


def _ahead_of_writes(cursor: sqlite3.Cursor) -> None:
    """WAL, which the file remembers; asked again for five seconds at most.

    While another connection turns it on, SQLite says "locked" at once whatever the connection's patience.
    """
    end = time.monotonic() + 5
    while True:
        try:
            cursor.execute("PRAGMA journal_mode=WAL")
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > end:
                raise
            time.sleep(0.02)
        else:
            return


def _unixepoch(*arguments: str) -> float:
    """Seconds since 1970 for SQLite's `unixepoch()` and `unixepoch('subsec')`, `unixepoch('now', 'subsec')`."""
    seconds = now().timestamp()
    return seconds if "subsec" in arguments else int(seconds)
