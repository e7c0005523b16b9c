"""Restores a backup into an empty database, in this release's schema; people have to sign in again.

A backup of SQLite fills PostgreSQL, too, for an installation that has outgrown one process: both sides are brought to this
release's schema first, so that their tables have the same columns. The other way is not offered.
"""

import sqlite3
import tempfile
from collections.abc import Callable, Iterable
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any, Final

from psycopg import Connection, Error, sql
from sqlalchemy import Connection as SQLConnection
from sqlalchemy import Engine

import migrations
from agreements.vault import Vault
from bot import clock, db
from bot.backup import database_match, postgres_copy, sqlite_copy
from bot.backup.archive import Archive, BackupInvalid, Manifest
from bot.backup.database_match import AnotherKeyRing, Query
from bot.backup.sqlite_copy import quoted
from bot.db import Sessions
from bot.jobs.durable import DurableEngine
from bot.store import portal_sessions, service_record, sweeps


class NotRestored(Exception):
    """The backup cannot be restored there; the message says why and what to do."""


Finish = Callable[[Sessions, DurableEngine], None]
"""What the caller changes in the copy, in this release's schema, and where it stores jobs."""


def restore(
    archive: Archive,
    engine: Engine,
    file: Path | None,
    vault: Vault,
    look: Callable[[Query], None] = lambda _query: None,
    finish: Finish = lambda _sessions, _jobs: None,
) -> None:
    """Fill that database, of which `file` is the SQLite file, if it is one. A backup of SQLite fills PostgreSQL, too.

    Whole or not at all: `look` may read the copy, and `finish` change it, before a server can find it. Raises NotRestored
    where it is not empty, the backup is of PostgreSQL and the database is not, the backup is newer than this release, or
    the vault has another key ring; BackupInvalid, OSError, sqlite3.Error, what the database, `look` and `finish` raise.
    """
    manifest = archive.manifest
    _refuse(manifest, engine)

    def check(query: Query) -> None:
        database_match.check(vault, manifest.tables, query)
        look(query)

    def complete(sessions: Sessions, jobs: DurableEngine) -> None:
        with sessions() as session:
            portal_sessions.end_all(session)  # Those that were ended since the backup must not live again
            sweeps.restored(session, at=clock.now())
            service_record.backed_up(session, at=manifest.moment)
        finish(sessions, jobs)

    try:
        if engine.dialect.name == "sqlite":
            _restore_file(archive, file, check, complete)
        else:
            _restore_tables(archive, engine, check, complete)
    except AnotherKeyRing:
        raise NotRestored(
            "COUNTERSIGN_KEYS is not the key ring of this backup, so nothing was restored:"
            " set it to the key ring of the database that was backed up"
        ) from None


def _refuse(manifest: Manifest, engine: Engine) -> None:
    if manifest.database not in ("sqlite", engine.dialect.name):
        raise NotRestored(
            f"the backup is of {manifest.database}, and COUNTERSIGN_DATABASE_URL names a database of {engine.dialect.name}"
        )
    if not migrations.is_known(manifest.revision):
        raise NotRestored(
            f"the backup has schema {manifest.revision}, which this release does not know:"
            f" use the release that made it ({manifest.release}), or a later one"
        )


def _restore_file(archive: Archive, file: Path | None, check: Callable[[Query], None], complete: Finish) -> None:
    if file is None:
        raise NotRestored("COUNTERSIGN_DATABASE_URL must name the SQLite file by its path, as sqlite:///countersign.db")
    # A -wal file of an older database would be taken for the new one's own log.
    for there in (file, *(file.with_name(f"{file.name}-{part}") for part in ("wal", "shm"))):
        if there.exists():
            raise NotRestored(
                f"there is a file {there}: stop the server and move {file.name}, with -wal and -shm beside it, away"
            )
    sqlite_copy.restore(archive, file, check, partial(_complete_copy, complete))


def _complete_copy(complete: Finish, copy: Path) -> None:
    with db.opened(f"sqlite:///{copy}") as engine:
        migrations.upgrade(engine)  # The rows are in the backup's own, maybe older, schema.
        jobs = DurableEngine(engine, executor_id="restore")
        jobs.prepare()  # Its tables may be older, too.
        complete(db.sessions(engine), jobs)


def _restore_tables(archive: Archive, engine: Engine, check: Callable[[Query], None], complete: Finish) -> None:
    if table := postgres_copy.occupied(engine):
        raise NotRestored(
            f"the database is not empty ({table} has rows): make a new one and name it in COUNTERSIGN_DATABASE_URL"
        )
    is_converted = archive.manifest.database == "sqlite"
    at, wanted = migrations.current(engine), archive.manifest.revision
    if not is_converted and at is not None and at > wanted:
        raise NotRestored(
            f"the database has schema {at}, and the backup {wanted}: make a new one without tables and name it in"
            " COUNTERSIGN_DATABASE_URL"
        )
    # The rows of PostgreSQL need the tables of their own schema; a copy of SQLite is upgraded first.
    migrations.upgrade(engine, "head" if is_converted else wanted)
    jobs = DurableEngine(engine, executor_id="restore")
    jobs.prepare()
    if is_converted:
        restore_converted(archive, engine, check, complete)
        return

    def complete_rows(connection: SQLConnection) -> None:
        migrations.upgrade_within(connection)
        complete(db.sessions_within(connection), jobs)

    postgres_copy.restore(archive, engine, check, complete_rows)


_COLUMNS: Final = """
SELECT column_name, data_type FROM information_schema.columns
WHERE table_schema = %s AND table_name = %s AND is_generated = 'NEVER'
"""


def restore_converted(archive: Archive, engine: Engine, check: Callable[[Query], None], complete: Finish) -> None:
    """Fill PostgreSQL's empty, newest tables in one transaction. Raises OSError, sqlite3.Error, psycopg.Error, BackupInvalid.

    `check` may read the copy before, and raise what keeps it from being written; `complete` changes the copy.
    """
    with tempfile.TemporaryDirectory(prefix="countersign-restore-") as folder:  # For its owner alone
        copy = Path(folder) / sqlite_copy.NAME
        sqlite_copy.restore(archive, copy, check, partial(_complete_copy, complete))
        with closing(sqlite3.connect(copy)) as source, closing(postgres_copy.connect(engine)) as target:
            _fill(source, target, postgres_copy.tables(engine))


def _fill(source: sqlite3.Connection, target: Connection[Any], tables: list[str]) -> None:
    there = sqlite_copy.counts(source)
    known = {name.partition(".")[2] for name in (*tables, *postgres_copy.FILLED_BY_MIGRATIONS)}
    for name in sorted(there.keys() - known):
        if there[name]:  # An empty table of an earlier release loses nothing
            raise BackupInvalid(f"PostgreSQL has no table for the rows of {name}")
    at = ""
    try:
        with target.transaction():
            target.execute("SET LOCAL TIME ZONE 'UTC'")  # SQLite's moments are in UTC, without a zone
            for at in tables:
                if at.partition(".")[2] in there:
                    _copy_table(source, target, at)
            postgres_copy.set_sequences(target)
    except Error as error:
        raise BackupInvalid(f"the rows of {at} do not fit PostgreSQL: {postgres_copy.reason(error)}") from None


def _copy_table(source: sqlite3.Connection, target: Connection[Any], name: str) -> None:
    schema, _, table = name.partition(".")
    had = {row[1] for row in source.execute(f"PRAGMA table_info({quoted(table)})")}
    types = {column: kind for column, kind in target.execute(_COLUMNS, (schema, table)) if column in had}
    rows = source.execute(f"SELECT {', '.join(map(quoted, types))} FROM {quoted(table)}")  # noqa: S608 - names of the file's own, quoted
    copy = sql.SQL("COPY {} ({}) FROM STDIN").format(postgres_copy.identifier(name), postgres_copy.names(list(types)))
    with target.cursor().copy(copy) as written:
        for row in rows:
            written.write_row(_converted(row, types.values()))


def _converted(row: Iterable[Any], types: Iterable[str]) -> list[Any]:
    # SQLite has numbers for booleans; PostgreSQL reads all else as it is written.
    return [
        bool(value) if kind == "boolean" and value is not None else value
        for value, kind in zip(row, types, strict=True)
    ]
