"""Tells whether rows are what the newest log entry that names them says, as they are read: by the codes in `row_mac`."""

import hashlib
from collections.abc import Collection, Sequence
from contextlib import suppress
from functools import cache
from typing import Any

from sqlalchemy import (
    Alias,
    ColumnElement,
    Connection,
    Select,
    Table,
    bindparam,
    case,
    func,
    literal,
    literal_column,
    select,
)
from sqlalchemy import Text as TextType
from sqlalchemy import cast as cast_to
from sqlalchemy.dialects import postgresql, sqlite
from sqlmodel import Session, SQLModel

from agreements import ledger
from agreements.store.ledger.row_macs import DELETED, message
from agreements.store.ledger.row_serialization import NotUtf8, StoredColumns, read, spelled
from agreements.store.ledger.stored_ledger import hashed
from agreements.store.lookup import text_chunks
from agreements.store.tables.declarations import of_table, table_of
from agreements.store.tables.ledger_records import RowMac
from agreements.vault import DecryptionFailed, Vault, place

_MAC = table_of(RowMac).c
_NOTHING = literal("")
_LOT = "lot"


def stamped(rows: Table | Alias, key: ColumnElement[Any], dialect: str) -> ColumnElement[str]:
    """A column for `RowCheck.is_logged`: a row as the log hashes it, if there is one, and what its newest entry says.

    `rows` is the table, or an alias of it, `key` the key of the row as an entry writes it, also where the row is not
    there.
    """
    name = table_name(rows)
    row = spelled(rows, of_table(table_of(name)), dialect)
    is_there = next(iter(table_of(name).primary_key)).name
    # An empty first line: the row is not there, or no release ever wrote such a one.
    there = case((rows.c[is_there].is_not(None), func.coalesce(row, _NOTHING)), else_=_NOTHING)
    return _as_text(there + "\n" + func.coalesce(_newest(name, _as_text(key, dialect)), _NOTHING), dialect)


def _as_text(column: ColumnElement[Any], dialect: str) -> ColumnElement[str]:
    # Bound parameters would be some hundred a query, and take longer than the database's own part.
    kind: Any = postgresql if dialect == "postgresql" else sqlite
    query = select(column.label("stamp"))
    text = str(query.compile(dialect=kind.dialect(), compile_kwargs={"literal_binds": True}))
    found: ColumnElement[str] = literal_column(text.removeprefix("SELECT ").rpartition(" AS stamp")[0], TextType)
    return found


def _newest(name: str, key: ColumnElement[Any]) -> Any:
    """Number of the newest entry on that row, hash, id of the ring's key, and code; NULL where no entry names it."""
    parts = (cast_to(_MAC.entry, TextType), func.coalesce(_MAC.sha256, DELETED), _MAC.ring_key_id, _MAC.mac)
    line: Any = parts[0]
    for part in parts[1:]:
        line = line + " " + part
    table = table_of(RowMac)
    return select(line).where(_MAC.table_name == name, _MAC.key == key).correlate_except(table).scalar_subquery()


class RowCheck:
    """Judges rows as they were read by one connection; `refused` are the table and the key of each that is not as logged."""

    def __init__(self, connection: Connection, vault: Vault) -> None:
        self.connection, self.vault = connection, vault
        # The verdict says `cla/not-in-log` where one of these would have covered a person.
        self.refused: set[tuple[str, str]] = set()

    def is_logged(self, table: str, key: str, stamp: str, *, there: bool = True) -> bool:
        """Whether the row is there, or is not there, as its newest entry says; `stamp` is what `stamped` gave."""
        row, _, newest = stamp.rpartition("\n")
        sha256 = newest_hash(self.vault, table, key, newest)
        # A row that its newest entry deleted was put back by someone who wrote to the database.
        fine = sha256 is not None and sha256 != DELETED and self._is_as_written(table, key, row, sha256)
        if not there:  # A missing row is right only if no entry ever named it, or the newest one deleted it.
            fine = not newest or sha256 == DELETED
        if not fine:
            self.refused.add((table, key))
        return fine

    def _is_as_written(self, table: str, key: str, row: str, sha256: str) -> bool:
        if hashlib.sha256(row.encode()).hexdigest() == sha256:
            return True
        known = table_of(table)
        # Databases may spell a value otherwise than it was hashed: the same row is read again and hashed here.
        stored = StoredColumns(known, self.connection.dialect.name)
        again = stamped(known, row_key(known), self.connection.dialect.name)
        query = select(*stored.wanted, row_key(known), again).where(row_key(known) == key)
        with suppress(NotUtf8):
            return any(
                # Only the row that the look-up saw may vouch for it: it may have changed since.
                stamp.rpartition("\n")[0] == row and is_as_written(self.vault, table, stored, columns, sha256)
                for *columns, stamp in read(self.connection, query)
            )
        return False


def unlogged(session: Session, vault: Vault, model: type[SQLModel], keys: Collection[str]) -> frozenset[str]:
    """The keys of those of these rows that are there and are not as the log says; keys are written as in an entry."""
    if not keys:
        return frozenset()
    session.flush()  # The query below bypasses the session, and must see what it holds.
    table, connection, found = table_of(model), session.connection(), set()
    stored, query = _newest_of(table, connection.dialect.name)
    for lot in text_chunks(keys):
        for *columns, newest in read(connection, query, {_LOT: lot}):
            sha256 = newest_hash(vault, table.name, columns[-1], newest)
            if sha256 is None or not is_as_written(vault, table.name, stored, columns, sha256):
                found.add(columns[-1])
    return frozenset(found)


@cache  # To build it takes longer than to ask it.
def _newest_of(table: Table, dialect: str) -> tuple[StoredColumns, Select[Any]]:
    key, stored = row_key(table), StoredColumns(table, dialect)
    query = select(*stored.wanted, key, func.coalesce(_newest(table.name, key), _NOTHING))
    return stored, query.where(key.in_(bindparam(_LOT, expanding=True)))


def newest_hash(vault: Vault, table: str, key: str, newest: str) -> str | None:
    """The hash in the row's newest entry, `DELETED` if that deleted it; None without a code, or with a forged one."""
    try:
        entry, sha256, ring_key_id, mac = newest.split(" ")
        return sha256 if vault.is_authentic(ring_key_id, mac, message(table, key, int(entry), sha256)) else None
    except ValueError:  # Text that no release wrote: it is refused like a wrong code.
        return None


def is_as_written(vault: Vault, table: str, stored: StoredColumns, row: Sequence[Any], sha256: str) -> bool:
    """Whether the hash of a row (`stored` columns and key) is right, and what the ring itself sealed opens."""
    try:
        columns, sealed = stored.values(row), of_table(table_of(table)).sealed
        if sealed and columns[sealed] is not None:
            # It is not hashed: a rotation seals it anew.
            vault.decrypt_for_server(columns[sealed], place(table, sealed, row[-1]))
        values = hashed(table, columns)
        if ledger.row_hash(values) == sha256:
            return True
        # Entries of the first releases did not hash whether a sealed value was there.
        return (
            bool(sealed)
            and ledger.row_hash({name: value for name, value in values.items() if name != sealed}) == sha256
        )
    # Any other kind of value than its column's was written past this program: the row is not as logged.
    except (DecryptionFailed, TypeError, ValueError, AttributeError):
        return False


def row_key(table: Table | Alias) -> Any:
    """The key of a table's rows as an entry writes it."""
    # The parts of a composite key are joined by bars, as `ledger.written` does.
    first, *others = table_of(table_name(table)).primary_key.columns
    key: Any = table.c[first.name]
    for column in others:
        key = key + "|" + table.c[column.name]
    return key


def table_name(rows: Table | Alias) -> str:
    """The name of the table, of an alias that of its table."""
    return str((rows.element if isinstance(rows, Alias) else rows).name)  # type: ignore[attr-defined]  # the alias of a table
