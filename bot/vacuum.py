"""The removal of deleted rows from the database's own files: SQLite's log and old pages, PostgreSQL's dead rows."""

from collections.abc import Iterator
from contextlib import contextmanager

import structlog
from sqlalchemy import Connection, Engine, text
from sqlalchemy.exc import OperationalError

from agreements.store.tables.declarations import declared

LOCK_TIMEOUT_MILLISECONDS = 1000  # Others may wait for us meanwhile; then the lock is left alone until the next try.

# Up to this size a table of PostgreSQL is written anew, while all who use that table wait; a second or so.
MAX_REWRITTEN_BYTES = 64 * 2**20

# SQLite's user_version of a file that holds nothing from before deleted content was overwritten.
_CLEAN_FILE_VERSION = 1
_LOCKED = "55P03"  # SQLSTATE lock_not_available.

_MINE = """
SELECT c.relname, pg_table_size(c.oid) FROM pg_class c
WHERE c.oid = to_regclass(:table) AND (pg_has_role(c.relowner, 'USAGE') {or_may})
"""

_NEXT = "SELECT CAST(mod(txid_snapshot_xmax(txid_current_snapshot()), 4294967296) AS text)"
_OLDER = """
SELECT count(*) FROM pg_stat_activity
WHERE pid <> pg_backend_pid() AND backend_type <> 'autovacuum worker' AND coalesce(datname, current_database()) = current_database()
AND greatest(age(backend_xmin), age(backend_xid)) > age(CAST(:next AS xid))
"""
_POLL_MILLISECONDS = 50  # milliseconds

log = structlog.get_logger()


def tables() -> list[str]:
    """The tables of which an erasure deletes or empties rows, as they declare it."""
    return [str(model.__tablename__) for model in declared(lambda said: said.erased)]


def wipe(engine: Engine) -> bool:
    """Leave nothing in the files of what was deleted before; False if another connection held a lock: try again.

    On PostgreSQL as far as we may: its own log (WAL) and tables that another role owns are the operator's.
    """
    with _patient(engine) as connection:
        return _checkpointed(connection) if _is_sqlite(engine) else _vacuumed(connection)


def truncate(engine: Engine) -> None:
    """Empty SQLite's log where no connection is in the way; does nothing on PostgreSQL."""
    if _is_sqlite(engine):
        wipe(engine)


def rewrite(engine: Engine) -> bool:
    """Write SQLite's file anew once, since earlier releases left in it what was deleted; whether it was needed.

    Raises SQLAlchemyError, as without room for a second file beside it.
    """
    if not _is_sqlite(engine):
        return False
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        if _scalar(connection, "PRAGMA user_version") >= _CLEAN_FILE_VERSION:
            return False
        connection.exec_driver_sql("VACUUM")
        connection.exec_driver_sql(f"PRAGMA user_version={_CLEAN_FILE_VERSION}")
    wipe(engine)
    return True


def _is_sqlite(engine: Engine) -> bool:
    return engine.dialect.name == "sqlite"


def _scalar(connection: Connection, asked: str) -> int:
    return int(connection.exec_driver_sql(asked).scalar_one())


@contextmanager
def _patient(engine: Engine) -> Iterator[Connection]:
    """A connection outside of any transaction that waits at most LOCK_TIMEOUT_MILLISECONDS; reset afterwards."""
    name = "PRAGMA busy_timeout" if _is_sqlite(engine) else "lock_timeout"
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        before = connection.exec_driver_sql(name if _is_sqlite(engine) else f"SHOW {name}").scalar_one()
        change = f"{name}={{}}" if _is_sqlite(engine) else f"SET {name}='{{}}'"
        connection.exec_driver_sql(change.format(LOCK_TIMEOUT_MILLISECONDS))
        try:
            yield connection
        finally:
            connection.exec_driver_sql(change.format(before))


def _checkpointed(connection: Connection) -> bool:
    try:
        # 1 while a connection writes, or reads what was before.
        return _scalar(connection, "PRAGMA wal_checkpoint(TRUNCATE)") == 0
    except OperationalError:  # Another connection does the same at this moment.
        return False


def _vacuumed(connection: Connection) -> bool:
    # PostgreSQL would keep the rows for a transaction that began before the deletion, and say nothing.
    if not _unseen(connection):
        return False
    done, denied = True, []
    for table in tables():
        version = connection.dialect.server_version_info or (0,)
        # The privilege MAINTAIN is of PostgreSQL 17.
        maintained = "OR has_table_privilege(c.oid, 'MAINTAIN')" if version >= (17,) else ""
        found = connection.execute(text(_MINE.format(or_may=maintained)), {"table": table}).one_or_none()
        if found is None:
            denied.append(table)
            continue
        try:
            # A large one is only cleaned in place, which leaves some of the deleted bytes.
            connection.exec_driver_sql(f"VACUUM {'(FULL) ' if found[1] <= MAX_REWRITTEN_BYTES else ''}{table}")
        except OperationalError as error:
            if getattr(error.orig, "sqlstate", None) != _LOCKED:
                raise
            done = False
    if denied:
        log.warning("vacuum.not-permitted", tables=denied)
    return done


def _unseen(connection: Connection) -> bool:
    """True if all open transactions began after this; those that are about to end are waited for."""
    began = {"next": connection.exec_driver_sql(_NEXT).scalar_one()}
    for _ in range(max(LOCK_TIMEOUT_MILLISECONDS // _POLL_MILLISECONDS, 1)):
        if not connection.execute(text(_OLDER), began).scalar_one():
            return True
        connection.exec_driver_sql(f"SELECT pg_sleep({_POLL_MILLISECONDS / 1000})")
    return False
