"""The database: one engine a process, one transaction a `session()`."""

import os
import re
import shutil
import sqlite3
import stat
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from typing import Any

import structlog
from sqlalchemy import Connection, Engine, create_engine, event, make_url
from sqlalchemy.engine.interfaces import DBAPIConnection, Dialect, ExecutionContext
from sqlalchemy.exc import (
    DataError,
    DisconnectionError,
    IntegrityError,
    InterfaceError,
    OperationalError,
    SQLAlchemyError,
)
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.orm import sessionmaker
from sqlalchemy.pool import ConnectionPoolEntry
from sqlmodel import Session

from bot import clock, write_lock
from bot.write_lock import WriteLock, Writer

log = structlog.get_logger()

Sessions = Callable[[], AbstractContextManager[Session]]
LookUps = Callable[[], AbstractContextManager[Connection]]

_BUSY_SECONDS = 15
_RESTED_SECONDS = 1
# The time limits for a silent PostgreSQL server, unless the URL has its own (libpq): the system's are hours.
_PATIENCE = {"connect_timeout": "10", "tcp_user_timeout": "30000", "keepalives_idle": "30", "keepalives_interval": "10"}
_NEVER = re.compile(  # libpq tells these apart from a server that is not there yet by words alone.
    r"FATAL:\s+(password authentication failed|no pg_hba\.conf entry|(role|database) .* does not exist|permission denied)"
    r"|no password supplied|authentication method|invalid (port|sslmode|channel_binding|connection option|URI)"
    r"|server does not support SSL|the encoding of this database"
)
_NOT_OPENED = frozenset({"SQLITE_CANTOPEN", "SQLITE_NOTADB"})  # sqlite.org/rescode.html
_UNWRITABLE = tuple(
    (re.compile(words), said)
    for words, said in (
        ("disk is full|No space left|^53100", "the database's disk is full"),
        ("disk I/O error|^58030", "the database cannot write to its disk"),
        ("readonly|read-only|^25006", "the database is read-only"),
        ("is locked", "another process holds the database"),
        ("permission denied", "the database does not permit it"),
    )
)
_AWAY = ("08", "53", "57")  # Classes of SQLSTATE: the server is no longer there, is overloaded or being shut down.
_CANCELLED = "57014"  # One statement was cancelled: the server is well.
_PRIVATE_MODE = 0o600
_MAKING = threading.Lock()
_READ_CONNECTIONS = 5  # A question takes milliseconds, so others wait no longer.


def open_engine(url: str) -> Engine:
    """The SQLAlchemy engine for `sqlite:///…` or `postgresql://…`; parameters never appear in its errors."""
    if url.startswith("sqlite"):
        engine = create_engine(
            url,
            hide_parameters=True,
            pool_size=20,
            max_overflow=20,
            connect_args={
                "check_same_thread": False,
                "timeout": _BUSY_SECONDS,
                "factory": write_lock.WriteQueueConnection,
            },
        )
        event.listen(engine, "do_connect", _keep_private)
        event.listen(engine, "connect", _prepare_sqlite)
        _take_turns(engine)
        return engine
    url = url.replace("postgres://", "postgresql://", 1).replace("postgresql://", "postgresql+psycopg://", 1)
    place = make_url(url)
    engine = create_engine(
        place.set(query={**_PATIENCE, **place.query}), hide_parameters=True, pool_size=20, max_overflow=20
    )
    event.listen(engine, "do_connect", _only_utf8)
    _ask_after_a_rest(engine)
    return engine


@contextmanager
def opened(url: str) -> Iterator[Engine]:
    """The same for a while: all connections are closed at the end of the block."""
    engine = open_engine(url)
    try:
        yield engine
    finally:
        engine.dispose()


def look_ups(engine: Engine) -> Engine:
    """The same database for short questions that change nothing, asked often; it ends with `engine`."""
    if engine.dialect.name == "sqlite":
        return engine  # A file has no round trips to save.
    # No BEGIN and COMMIT, which would be waited for twice.
    asked = create_engine(
        engine.url,
        hide_parameters=True,
        pool_size=_READ_CONNECTIONS,
        max_overflow=0,
        isolation_level="AUTOCOMMIT",
        pool_reset_on_return=None,  # There is nothing to be rolled back.
    )
    _ask_after_a_rest(asked)
    event.listen(asked, "connect", _plan_once)
    event.listen(engine, "engine_disposed", lambda _engine: asked.dispose())
    return asked


def sessions(engine: Engine, *, writer: Writer = "job") -> Sessions:
    """A maker of sessions: commits at the end of the block, rolls back when the block raises.

    `writer` says who waits for what these write (`bot.write_lock`).
    """
    return sessionmaker(engine.execution_options(writer=writer), class_=Session, expire_on_commit=False).begin


def sessions_within(connection: Connection) -> Sessions:
    """The same in the connection's transaction, which the caller commits: what fails takes back its own block alone.

    For PostgreSQL: at a savepoint, SQLite's driver begins no transaction.
    """
    return sessionmaker(
        connection, class_=Session, expire_on_commit=False, join_transaction_mode="create_savepoint"
    ).begin


def explain(error: SQLAlchemyError, file: Path | None = None) -> str:
    """One line about a database that cannot be used: no values, no password; with SQLite's `file`, as it names none."""
    cause = str(getattr(error, "orig", None) or error).strip().splitlines()
    said = f"the database cannot be used: {cause[0] if cause else type(error).__name__}"
    return f"{said} ({file})" if file else said


def explain_setting(error: SQLAlchemyError, file: Path | None = None) -> str:
    """The same about the database of the settings, with what to do where no connection to it was made."""
    cause = getattr(error, "orig", None)
    # Only an answer of a PostgreSQL server has a SQLSTATE.
    is_sqlite, is_answer = isinstance(cause, sqlite3.Error), bool(getattr(cause, "sqlstate", None))
    if is_answer or (is_sqlite and getattr(cause, "sqlite_errorname", "") not in _NOT_OPENED):
        return explain(error, file)
    return f"{explain(error, file)}: {'' if is_sqlite else 'start the database, or '}correct COUNTERSIGN_DATABASE_URL"


def unwritable(error: Exception) -> str | None:
    """The reason why nothing can be stored at the moment, without a value; None where what is stored is at fault."""
    if isinstance(error, DataError | IntegrityError) or not isinstance(error, SQLAlchemyError):
        return None
    cause = f"{getattr(getattr(error, 'orig', None), 'sqlstate', None)} {getattr(error, 'orig', None)}"
    for words, said in _UNWRITABLE:
        if words.search(cause):
            return f"deliveries cannot be stored: {said}"
    return "deliveries cannot be stored: the database does not take them"


def is_deadlock(error: Exception) -> bool:
    """Whether PostgreSQL ended the transaction as it and another waited for each other: a retry may go well."""
    return getattr(getattr(error, "orig", None), "sqlstate", None) == "40P01"  # deadlock_detected


def outage(error: BaseException) -> str | None:
    """The reason why the database is away, without values; None for no outage, as a conflict or a mistake of ours."""
    if isinstance(error, PoolTimeout):
        return "no connection to the database was free in time"
    if isinstance(error, DisconnectionError):
        return "the database does not answer"
    if not isinstance(error, OperationalError | InterfaceError):
        return None
    cause = getattr(error, "orig", None)
    state = getattr(cause, "sqlstate", None)
    # Without a SQLSTATE the error is libpq's own: there was no server to answer.
    if isinstance(cause, sqlite3.Error) or state is not None:
        said = next((said for words, said in _UNWRITABLE if words.search(f"{state} {cause}")), None)
        is_away = str(state)[:2] in _AWAY and state != _CANCELLED
        return said or ("the database does not answer" if is_away else None)
    return "the database does not answer"


def size(engine: Engine) -> int:
    """Bytes of the database; of SQLite's file and of the log that is not in it yet. Raises SQLAlchemyError."""
    if engine.dialect.name != "sqlite":
        with engine.connect() as connection:
            return int(connection.exec_driver_sql("SELECT pg_database_size(current_database())").scalar_one())
    file = Path(engine.url.database or "")
    return sum(path.stat().st_size for path in (file, file.with_name(f"{file.name}-wal")) if path.exists())


def disk_free(engine: Engine) -> int | None:
    """Bytes that are left for this account on the file system of SQLite's file; None where that cannot be seen."""
    file = engine.url.database
    # PostgreSQL tells no ordinary role, and its disk may be another machine's.
    if engine.dialect.name != "sqlite" or not file:
        return None
    try:
        return shutil.disk_usage(Path(file).absolute().parent).free
    except OSError:
        return None


def may_come(error: SQLAlchemyError) -> bool:
    """True for a PostgreSQL server that may come yet; False for what waiting cannot mend, as a wrong password."""
    # The words of a server that speaks another language count as "not there yet".
    return isinstance(error, OperationalError) and not _NEVER.search(str(error.orig))


def exposed(file: Path) -> dict[Path, int]:
    """The files of that SQLite database which other accounts of the machine may use, each with its rights."""
    found = {}
    for path in (file, *(file.with_name(f"{file.name}-{part}") for part in ("wal", "shm"))):
        with suppress(FileNotFoundError):
            found[path] = stat.S_IMODE(path.stat().st_mode)
    return {path: rights for path, rights in found.items() if rights & 0o077}


def _only_utf8(
    dialect: Dialect, _record: ConnectionPoolEntry, places: Sequence[Any], options: Mapping[str, Any]
) -> DBAPIConnection:
    connection = dialect.connect(*places, **options)
    encoding = connection.info.parameter_status("server_encoding")
    # In SQL_ASCII PostgreSQL would not check bytes, in LATIN1 it could not hold Chinese names.
    if encoding not in (None, "UTF8"):  # None: a pooler that does not pass it on.
        connection.close()
        raise dialect.loaded_dbapi.OperationalError(
            f"the encoding of this database is {encoding}, not UTF8: make one with `createdb --encoding UTF8 --template template0`"
        )
    return connection


def _keep_private(
    _dialect: Dialect, _record: ConnectionPoolEntry, places: Sequence[Any], options: Mapping[str, Any]
) -> None:
    if options.get("uri"):
        return
    path = Path(places[0])
    # Closing a file anywhere in this process gives up SQLite's locks on it: no connection is made before it is closed here.
    with suppress(OSError), _MAKING:
        if not path.exists():
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, _PRIVATE_MODE))
        for file in exposed(path):  # Of an earlier release; SQLite gives its companions the rights of the file.
            file.chmod(_PRIVATE_MODE)


def _ask_after_a_rest(engine: Engine) -> None:

    # The pool's own `pool_pre_ping` asks each time: one round trip more for every transaction.
    def opened(connection: DBAPIConnection, record: ConnectionPoolEntry) -> None:
        _follow_clock(connection)
        used(connection, record)

    def used(_connection: DBAPIConnection | None, record: ConnectionPoolEntry) -> None:
        record.info["used"] = time.monotonic()

    def wanted(connection: DBAPIConnection, record: ConnectionPoolEntry, _proxy: object) -> None:
        if time.monotonic() - record.info.get("used", 0) < _RESTED_SECONDS:  # The server was there a moment ago.
            return
        try:
            _follow_clock(connection)
        except engine.dialect.loaded_dbapi.Error as error:
            raise DisconnectionError("the server has gone") from error

    event.listen(engine, "connect", opened)
    event.listen(engine, "checkin", used)
    event.listen(engine, "checkout", wanted)


def _follow_clock(connection: DBAPIConnection) -> None:
    # Outside a transaction, so that this question leaves none open.
    before, connection.autocommit = connection.autocommit, True
    try:
        cursor, asked = connection.cursor(), clock.machine()
        cursor.execute("SELECT clock_timestamp()")
        found = cursor.fetchone()
        cursor.close()
    finally:
        connection.autocommit = before
    if found is None or (ahead := clock.follow(found[0], asked=asked)) is None:
        return
    seconds = round(ahead.total_seconds())
    if seconds:
        log.warning(
            "clock.wrong", seconds=seconds, why="the clock of this machine differs from the database's, which is used"
        )
    else:
        log.info("clock.right", seconds=0)


def _take_turns(engine: Engine) -> None:
    lock = WriteLock()

    def opened(connection: write_lock.WriteQueueConnection, _record: ConnectionPoolEntry) -> None:
        connection.lock = lock

    def used(connection: Connection) -> None:
        opened: Any = connection.connection.dbapi_connection
        opened.writer = connection.get_execution_options().get("writer", "job")

    event.listen(engine, "connect", opened)
    event.listen(engine, "engine_connect", used)
    event.listen(engine, "before_cursor_execute", _lock_what_is_read_to_be_changed)


def _lock_what_is_read_to_be_changed(
    connection: Connection, cursor: Any, _statement: str, _values: object, context: ExecutionContext, *_: object
) -> None:
    # SQLite has no FOR UPDATE, but one writer: a session that asks so begins to write, or what it read could be old.
    asked = context.compiled.statement if context.compiled else None
    # DBOS asks so each time it looks for jobs, and is left alone: one process looks, and most looks find none.
    is_ours = "writer" in connection.get_execution_options()
    if is_ours and getattr(asked, "_for_update_arg", None) is not None and not cursor.connection.in_transaction:
        cursor.execute("BEGIN IMMEDIATE")


def _plan_once(connection: DBAPIConnection, _record: ConnectionPoolEntry) -> None:
    connection.autocommit = True
    cursor = connection.cursor()
    # PostgreSQL would plan anew for every list of a few ids, which takes longer than to find them.
    cursor.execute("SET plan_cache_mode = force_generic_plan")
    cursor.execute("SET random_page_cost = 1.1")  # A page is in memory, or on a disk without a moving arm.
    cursor.close()


def _prepare_sqlite(connection: sqlite3.Connection, _record: ConnectionPoolEntry) -> None:
    # DBOS asks for unixepoch('subsec') on Python 3.12 and later; SQLite knows it since 3.42, Debian 12 ships 3.40.
    if sqlite3.sqlite_version_info < (3, 42):
        connection.create_function("unixepoch", -1, _unixepoch)
    cursor = connection.cursor()
    _ahead_of_writes(cursor)
    # In WAL mode NORMAL would sync only at a checkpoint: an acknowledged delivery could be lost.
    cursor.execute("PRAGMA synchronous=FULL")
    cursor.execute("PRAGMA foreign_keys=ON")
    # Erased personal data must not stay: ON overwrites it also where FAST would leave it, on free pages.
    cursor.execute("PRAGMA secure_delete=ON")
    cursor.close()


def _ahead_of_writes(cursor: sqlite3.Cursor) -> None:
    # While another connection turns it on, SQLite says "locked" at once in spite of the busy timeout.
    end = time.monotonic() + 5
    while True:
        try:
            cursor.execute("PRAGMA journal_mode=WAL")  # Readers never wait; the file remembers it.
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > end:
                raise
            time.sleep(0.02)
        else:
            return


def _unixepoch(*arguments: str) -> float:
    seconds = clock.now().timestamp()  # For `unixepoch()`, `unixepoch('subsec')` and `unixepoch('now', 'subsec')`.
    return seconds if "subsec" in arguments else int(seconds)
