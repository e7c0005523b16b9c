"""Compares each row with the newest log entry that names it: changed, removed or added?"""

import hashlib
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any

from sqlalchemy import Column, Connection, Integer, MetaData, String, Table, literal, null, select, text

from agreements.store.integrity import cross_checks, upgrade
from agreements.store.ledger import row_macs
from agreements.store.ledger.row_check import is_as_written, row_key
from agreements.store.ledger.row_serialization import NotUtf8, StoredColumns, as_it_is, lots, moment, read, spelled
from agreements.store.lookup import text_chunks
from agreements.store.tables.declarations import of_table, table_of
from agreements.store.tables.ledger_records import LedgerEntry, RowMac
from agreements.store.tables.records import PersonRecord
from agreements.vault import Vault

_BATCH_ROWS = 1000
_PERSON = str(PersonRecord.__tablename__)
_ENTRY, _MAC = table_of(LedgerEntry), table_of(RowMac)
_NAMED = Table(
    "ledger_named", MetaData(),
    Column("kind", String), Column("key", String), Column("sha256", String), Column("number", Integer),
)  # fmt: skip
"""The newest entry on each row, as a table of the database: it may be larger than the memory."""

_ON_SQLITE = (
    """
CREATE TEMPORARY TABLE ledger_named (kind, key, sha256, number, PRIMARY KEY (kind, key)) WITHOUT ROWID
""",
    """
INSERT INTO ledger_named
SELECT
  json_extract(word.value, '$[0]'), json_extract(word.value, '$[1]'), json_extract(word.value, '$[2]'), entry.number
FROM ledger_entry AS entry, json_each(entry.rows) AS word
WHERE true ORDER BY entry.number, word.key
ON CONFLICT (kind, key) DO UPDATE SET sha256 = excluded.sha256, number = excluded.number
""",
)
_ON_POSTGRESQL = (
    """
CREATE TEMPORARY TABLE ledger_named AS
SELECT DISTINCT ON (kind, key) word ->> 0 AS kind, word ->> 1 AS key, word ->> 2 AS sha256, entry.number
FROM ledger_entry AS entry, jsonb_array_elements(entry.rows::jsonb) WITH ORDINALITY AS words (word, place)
ORDER BY kind, key, entry.number DESC, place DESC
""",
    "ANALYZE ledger_named",
)
# The database itself reads the lists: in Python that would take as long as all the rest.


@dataclass(frozen=True, slots=True)
class NewestEntry:
    """The `number` of the newest entry that names a row, and its time (`at`)."""

    number: int
    at: datetime


class LoggedRows:
    """Compares rows with the log: `wrong` counts what was found, `first` is the first of it by its entry.

    `waiting` counts rows that a process of the release before wrote, while the log takes such in (`upgrade`).
    """

    def __init__(self, connection: Connection, vault: Vault, *, takes_in: bool = False) -> None:
        """Open a comparison; `takes_in`: the log does not name the rows of the release before yet."""
        self._connection, self._vault, self._takes_in = connection, vault, takes_in
        self.wrong = self.waiting = 0
        self.first: tuple[bool, int, str] = (True, 0, "")
        connection.execute(text(f"DROP TABLE IF EXISTS {_NAMED.name}"))  # A connection of the pool may still have it.

    def take(self) -> None:
        """Note the newest entry on each row. Raises DBAPIError where an entry holds what none can hold."""
        # On PostgreSQL an error ends the transaction: a savepoint keeps it usable.
        with self._connection.begin_nested():
            for statement in _ON_SQLITE if self._connection.dialect.name == "sqlite" else _ON_POSTGRESQL:
                self._connection.exec_driver_sql(statement)

    def compare(self, table: Table, done: Callable[[int], None]) -> int:
        """Compare every row of that table with its newest entry; the number of rows."""
        key = row_key(table)
        mine = (_NAMED.c.kind == table.name) & _NAMED.c.sha256.is_not(None)
        there = select(literal(1)).select_from(table).where(key == _NAMED.c.key).correlate(_NAMED).exists()
        # Rows that are missing are found from the log, all others from the table.
        for row_id, number in self._connection.execute(select(_NAMED.c.key, _NAMED.c.number).where(mine, ~there)):
            self._found(number, f"the row {table.name} {row_id} that it names was removed")
        joined = table.outerjoin(_NAMED, (_NAMED.c.kind == table.name) & (_NAMED.c.key == key))
        named = select(
            key, _NAMED.c.number, _NAMED.c.sha256, _spelled(table, self._connection.dialect.name)
        ).select_from(joined)
        rows = 0
        try:
            for lot in lots(self._connection, named, _BATCH_ROWS):
                self._judge(table, key, {row[0]: row[1:3] for row in lot if not _as_spelled(*row[1:])})
                rows += len(lot)
                done(len(lot))
            # Look-ups of rows that no entry names are not verified: such a row is complained of already.
            logged = table.join(_NAMED, (_NAMED.c.kind == table.name) & (_NAMED.c.key == key))
            columns = (key, _NAMED.c.number)
            for row_id, number in cross_checks.wrong_look_ups(self._connection, self._vault, logged, table, columns):
                self._found(number, f"the look-up of the row {table.name} {row_id} that it names was changed")
        except NotUtf8:
            self._unreadable(table, key)
        return rows

    def people(self) -> None:
        """Verify the owners of rows, the restrictions, and the keys of people and companies."""
        if self.wrong:  # A row that was changed says more than what follows from it.
            return
        for kind, row_id, what in cross_checks.astray(self._connection):
            word = select(_NAMED.c.number).where(_NAMED.c.kind == kind, _NAMED.c.key == row_id)
            self._found(self._connection.execute(word).scalar_one_or_none(), what)
        for what in cross_checks.wrongly_restricted(self._connection):
            self._found(None, what)
        for what in cross_checks.lost_keys(self._connection, self._vault):
            self._found(None, what)

    def newest(self, table: str, keys: Collection[str]) -> dict[str, NewestEntry]:
        """The newest entry on each of these rows, by key; none where no entry names it, or where it deleted the row."""
        found: dict[str, NewestEntry] = {}
        for chunk in text_chunks(keys):
            query = (
                select(_NAMED.c.key, _NAMED.c.number, as_it_is(moment(_ENTRY.c.at, self._connection.dialect.name)))
                .join_from(_NAMED, _ENTRY, _ENTRY.c.number == _NAMED.c.number)
                .where(_NAMED.c.kind == table, _NAMED.c.key.in_(chunk), _NAMED.c.sha256.is_not(None))
            )
            for key, number, at in self._connection.execute(query):
                found[key] = NewestEntry(number, datetime.fromisoformat(at))
        return found

    def unsupported(self, found: Iterable[str]) -> None:
        """Note further complaints, of which no entry speaks."""
        for what in found:
            self._found(None, what)

    def codes(self) -> None:
        """Verify the codes by which rows count: none was changed, and none of an entry that was followed is missing."""
        for lot in lots(self._connection, select(_MAC), _BATCH_ROWS):
            for table, key, entry, sha256, ring_key_id, mac in lot:
                if not self._vault.is_authentic(ring_key_id, mac, row_macs.message(table, key, entry, sha256)):
                    self._found(None, f"the code of the row {table} {key} in row_mac was changed")
        joined = _NAMED.outerjoin(_MAC, (_MAC.c.table_name == _NAMED.c.kind) & (_MAC.c.key == _NAMED.c.key))
        lacking = _MAC.c.entry.is_(None) | (_MAC.c.entry < _NAMED.c.number)
        query = select(_NAMED.c.kind, _NAMED.c.key, _NAMED.c.number).select_from(joined)
        # Later entries may lack codes until `upgrade.catch_up` makes them.
        followed = row_macs.followed(self._connection)
        for table, key, number in self._connection.execute(query.where(lacking, _NAMED.c.number < followed)):
            self._found(number, f"the code of the row {table} {key} that it names is missing in row_mac")

    def end(self) -> None:
        """Drop the table of newest entries."""
        self._connection.execute(text(f"DROP TABLE {_NAMED.name}"))

    def _judge(self, table: Table, key: Any, words: Mapping[str, Sequence[Any]]) -> None:
        """Note the complaints about these rows, by key; each with the number and the hash of its newest entry."""
        for row_id, (number, sha256) in words.items():
            if number is None and self._takes_in and table.name == _PERSON:  # The release before did not name people.
                self.waiting += 1
            elif number is None:
                self._found(None, f"the row {table.name} {row_id} was added: no entry names it")
            elif sha256 is None:
                self._found(number, f"the row {table.name} {row_id} that it says was deleted is there")
        named = [row_id for row_id, (_, sha256) in words.items() if sha256 is not None]
        stored = _stored(table, self._connection.dialect.name)
        for row in read(self._connection, select(*stored.wanted, key).where(key.in_(named))) if named else ():
            number, sha256 = words[row[-1]]
            if is_as_written(self._vault, table.name, stored, row, sha256):
                continue
            if self._takes_in and (table.name == _PERSON or self._is_of_before(table, stored, row, sha256)):
                self.waiting += 1
            else:
                self._found(number, f"the row {table.name} {row[-1]} that it names was changed")

    def _is_of_before(self, table: Table, stored: StoredColumns, row: Sequence[Any], sha256: str) -> bool:
        left_out = upgrade.NOT_HASHED_BEFORE.get(table.name)
        # As the release before hashed it: without the column that it did not hash.
        without = [None if column.name == left_out else value for column, value in zip(table.c, row, strict=False)]
        return left_out is not None and is_as_written(self._vault, table.name, stored, [*without, row[-1]], sha256)

    def _unreadable(self, table: Table, key: Any) -> None:
        """Note the row that cannot be read, which is looked for one by one."""
        wanted = (_spelled(table, self._connection.dialect.name), *_stored(table, self._connection.dialect.name).wanted)
        mine = select(_NAMED.c.key, _NAMED.c.number).where(_NAMED.c.kind == table.name).order_by(_NAMED.c.number)
        for row_id, number in self._connection.execute(mine).all():
            try:
                # The driver says of a whole lot only that some row is not UTF-8.
                read(self._connection, select(*wanted).where(key == row_id))
            except NotUtf8:
                self._found(number, f"the row {table.name} {row_id} that it names was changed: it cannot be read")
                return
        self._found(None, f"a row of {table.name} was added that cannot be read")

    def _found(self, entry: int | None, what: str) -> None:
        # By entry: one tampering is reported by the first entry that it contradicts.
        ranked = (entry is None, entry or 0, what)
        self.first = min(self.first, ranked) if self.wrong else ranked
        self.wrong += 1


def _as_spelled(number: int | None, sha256: str | None, json: str | None) -> bool:
    """Whether the row is there and as its newest entry says; False also where the database spells it otherwise."""
    return number is not None and json is not None and hashlib.sha256(json.encode()).hexdigest() == sha256


@cache
def _spelled(table: Table, dialect: str) -> Any:
    declared = of_table(table)
    # What is sealed must be opened, too: `is_as_written` does both.
    return null() if declared.sealed else spelled(table, declared, dialect)


@cache
def _stored(table: Table, dialect: str) -> StoredColumns:
    return StoredColumns(table, dialect)
