"""Restores a backup of SQLite into PostgreSQL, for an installation that has outgrown one process.

Both sides are brought to this release's schema first, so that their tables have the same columns; values are then given in
the types of PostgreSQL's columns. The other way is not offered.
"""

import sqlite3
import tempfile
from collections.abc import Callable, Iterable
from contextlib import closing
from pathlib import Path
from typing import Any, Final

from psycopg import Connection, Error, sql
from sqlalchemy import Engine

import migrations
from bot import db
from bot.backup import postgres_copy, sqlite_copy
from bot.backup.archive import Archive, BackupInvalid
from bot.backup.key_ring_match import Query
from bot.backup.sqlite_copy import quoted

_COLUMNS: Final = """
SELECT column_name, data_type FROM information_schema.columns
WHERE table_schema = %s AND table_name = %s AND is_generated = 'NEVER'
"""


def restore(archive: Archive, engine: Engine, check: Callable[[Query], None] = lambda _query: None) -> None:
    """Fill PostgreSQL's tables, which are there in the newest schema and empty, in one transaction.

    `check` may read the copy before, and raise what keeps it from being written.

    Raises OSError, psycopg.Error and BackupInvalid.
    """
    with tempfile.TemporaryDirectory(prefix="countersign-restore-") as folder:  # for its owner alone
        copy = Path(folder) / sqlite_copy.NAME
        sqlite_copy.restore(archive, copy, check)
        with db.opened(f"sqlite:///{copy}") as old:
            migrations.upgrade(old)
        with closing(sqlite3.connect(copy)) as source, closing(postgres_copy.connect(engine)) as target:
            _fill(source, target, postgres_copy.tables(engine))


def _fill(source: sqlite3.Connection, target: Connection[Any], tables: list[str]) -> None:
    there = sqlite_copy.counts(source)
    known = {name.partition(".")[2] for name in (*tables, *postgres_copy.FILLED_BY_MIGRATIONS)}
    for name in sorted(there.keys() - known):
        if there[name]:
            raise BackupInvalid(f"PostgreSQL has no table for the rows of {name}")
    at = ""
    try:
        with target.transaction():
            target.execute("SET LOCAL TIME ZONE 'UTC'")  # in which SQLite's moments are written, without saying so
            for at in tables:
                if at.partition(".")[2] in there:
                    _copy(source, target, at)
            postgres_copy.set_sequences(target)
    except Error as error:
        raise BackupInvalid(f"the rows of {at} do not fit PostgreSQL: {postgres_copy.reason(error)}") from None


def _copy(source: sqlite3.Connection, target: Connection[Any], name: str) -> None:
    schema, _, table = name.partition(".")
    had = {row[1] for row in source.execute(f"PRAGMA table_info({quoted(table)})")}
    types = {column: kind for column, kind in target.execute(_COLUMNS, (schema, table)) if column in had}
    rows = source.execute(f"SELECT {', '.join(map(quoted, types))} FROM {quoted(table)}")  # noqa: S608 - names of the file's own, quoted
    copy = sql.SQL("COPY {} ({}) FROM STDIN").format(postgres_copy.identifier(name), postgres_copy.names(list(types)))
    with target.cursor().copy(copy) as written:
        for row in rows:
            written.write_row(_converted(row, types.values()))


def _converted(row: Iterable[Any], types: Iterable[str]) -> list[Any]:
    """SQLite has numbers for booleans; everything else is read by PostgreSQL as it is written."""
    return [
        bool(value) if kind == "boolean" and value is not None else value
        for value, kind in zip(row, types, strict=True)
    ]
