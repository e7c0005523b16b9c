"""Copies PostgreSQL: every table by COPY in one read-only snapshot, and back into an empty database that our migrations made.

No `pg_dump` is needed, and none would know of two things that hold here: that the tables are made by the release that restores,
and that the engine's tables are its own.
"""

from collections.abc import Callable, Sequence
from contextlib import closing
from typing import Any, Final

from psycopg import Connection, Error, sql
from sqlalchemy import Connection as SQLConnection
from sqlalchemy import Engine, inspect

from bot.backup.archive import Archive, BackupInvalid, Contents
from bot.backup.database_match import Query

_SCHEMAS: Final = ("public", "dbos")
FILLED_BY_MIGRATIONS: Final = frozenset({"public.alembic_version", "public.schema_floor", "dbos.dbos_migrations"})
"""Tables that migrations fill themselves: what they say belongs to the tables that are there, not to the copy."""
_SEQUENCES: Final = """
SELECT pg_get_serial_sequence(format('%%I.%%I', table_schema, table_name), column_name), table_schema, table_name, column_name
FROM information_schema.columns
WHERE table_schema = ANY(%s) AND (column_default LIKE 'nextval(%%' OR is_identity = 'YES')
"""
_COLUMNS: Final = """
SELECT column_name FROM information_schema.columns
WHERE table_schema = %s AND table_name = %s AND is_generated = 'NEVER' ORDER BY ordinal_position
"""
_EMPTY: Final = sql.SQL("SELECT NOT EXISTS (SELECT FROM {})")


def add(contents: Contents, engine: Engine) -> None:
    """Put all rows, as of one moment, into the backup; no writer waits for it. Raises psycopg.Error."""
    with closing(connect(engine)) as connection:
        # One snapshot for all tables; in PostgreSQL a reader keeps no writer waiting.
        connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
        for name in tables(engine):
            _copy_out(contents, connection, name)


def restore(
    archive: Archive,
    engine: Engine,
    check: Callable[[Query], None] = lambda _query: None,
    complete: Callable[[SQLConnection], None] = lambda _connection: None,
) -> None:
    """Fill the tables, which are there and empty, in one transaction. Raises SQLAlchemyError, psycopg.Error, BackupInvalid.

    `check` may read them before it ends, and raise what keeps it from being written; `complete` is the rest of the transaction.
    """
    there = tables(engine)
    if missing := sorted({_table(name) for name in archive.manifest.files} - set(there)):
        raise BackupInvalid(f"this release has no table {missing[0]}: restore it with a later one")
    with engine.begin() as begun:
        connection: Any = begun.connection.driver_connection  # COPY is psycopg's own.
        try:
            connection.execute("SET LOCAL client_encoding TO 'UTF8'")  # As the file is.
            for name in there:
                if name in archive.manifest.tables:
                    _copy_in(archive, connection, name)
            set_sequences(connection)
            check(lambda text: connection.execute(text.encode()).fetchall())
        except Error as error:
            raise BackupInvalid(
                f"its rows do not fit the tables of schema {archive.manifest.revision}: {reason(error)}"
            ) from None
        complete(begun)


def set_sequences(connection: Connection[Any]) -> None:
    """Let every sequence go on after the highest number that is there. Raises psycopg.Error."""
    for sequence, schema, table, column in connection.execute(_SEQUENCES, [list(_SCHEMAS)]).fetchall():
        if sequence is None:  # NULL: no column owns the sequence.
            continue
        highest = sql.SQL("SELECT max({}) FROM {}").format(sql.Identifier(column), sql.Identifier(schema, table))
        last = connection.execute(highest).fetchall()[0][0]
        if last is not None:  # An empty table's sequence is at its beginning.
            connection.execute("SELECT setval(%s::regclass, %s)", (sequence, last))


def occupied(engine: Engine) -> str | None:
    """The first table that has rows; None for a database without tables, or tables that only migrations filled."""
    with closing(connect(engine)) as connection:
        for name in tables(engine):
            if not connection.execute(_EMPTY.format(identifier(name))).fetchall()[0][0]:
                return name
    return None


def tables(engine: Engine) -> list[str]:
    """All tables that are copied, as `schema.table`; a table comes after those that its foreign keys point at."""
    look = inspect(engine)
    found = [
        f"{schema}.{name}"
        for schema in _SCHEMAS
        for name, _ in look.get_sorted_table_and_fkc_names(schema)
        if name is not None  # SQLAlchemy ends the list with foreign keys that form circles.
    ]
    return [name for name in found if name not in FILLED_BY_MIGRATIONS]


def _copy_out(contents: Contents, connection: Connection[Any], name: str) -> None:
    columns = [row[0] for row in connection.execute(_COLUMNS, name.split(".")).fetchall()]
    copy = sql.SQL("COPY {} ({}) TO STDOUT").format(identifier(name), names(columns))
    cursor = connection.cursor()
    with contents.file(_file(name)) as write, cursor.copy(copy) as rows:
        # The columns stand in the first line, since a later release may have more of them.
        write("\t".join(columns).encode() + b"\n")
        for data in rows:
            write(bytes(data))
    contents.tables[name] = cursor.rowcount


def _copy_in(archive: Archive, connection: Connection[Any], name: str) -> None:
    chunks = archive.chunks(_file(name))
    head, rest = b"", b""
    # The line of columns may be longer than a chunk.
    for data in chunks:
        head, end, rest = (head + data).partition(b"\n")
        if end:
            break
    copy = sql.SQL("COPY {} ({}) FROM STDIN").format(identifier(name), names(head.decode().split("\t")))
    cursor = connection.cursor()
    with cursor.copy(copy) as rows:
        rows.write(rest)
        for data in chunks:
            rows.write(data)
    if cursor.rowcount != archive.manifest.tables[name]:
        raise BackupInvalid(f"{name} has other rows than its manifest counts")


def connect(engine: Engine) -> Connection[Any]:
    """A connection of its own, in UTF-8, as the file is. Raises psycopg.Error."""
    # Libpq does not know SQLAlchemy's `postgresql+psycopg`.
    url = engine.url.set(drivername="postgresql").render_as_string(hide_password=False)
    return Connection.connect(url, client_encoding="utf8")


def identifier(name: str) -> sql.Identifier:
    """`schema.table` as SQL."""
    return sql.Identifier(*name.split(".", 1))


def names(columns: Sequence[str]) -> sql.Composable:
    """A list of columns as SQL."""
    return sql.SQL(", ").join(map(sql.Identifier, columns))


def _file(name: str) -> str:
    return f"tables/{name}.copy"


def _table(file: str) -> str:
    return file.removeprefix("tables/").removesuffix(".copy")


def reason(error: Error) -> str:
    """PostgreSQL's message, without a value of any row."""
    return error.diag.message_primary or type(error).__name__  # `str(error)` has its DETAIL, which quotes the row.
