"""The serialization of rows that the log hashes; values in any other form, which SQLite would take, are refused."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from sqlalchemy import (
    Alias,
    Boolean,
    Column,
    ColumnElement,
    Connection,
    Integer,
    LargeBinary,
    Select,
    Table,
    Text,
    and_,
    case,
    cast,
    false,
    func,
    literal,
    literal_column,
    null,
    select,
    type_coerce,
)
from sqlalchemy.exc import OperationalError
from sqlalchemy.types import NULLTYPE

from agreements.store.tables.columns import BigId, Moment
from agreements.store.tables.declarations import LoggedColumns

_CANONICAL = 'YYYY-MM-DD"T"HH24:MI:SS.US"+00:00"'
_LENGTH = len("2026-05-01 12:00:00.000000")
# PostgreSQL's moments reach beyond Python's years 1 to 9999.
_FIRST: ColumnElement[Any] = literal_column("timestamp '0001-01-01'")
_LAST: ColumnElement[Any] = literal_column("timestamp '9999-12-31 23:59:59.999999'")


class NotUtf8(Exception):
    """A row of a lot holds text that is not UTF-8."""


def read(
    connection: Connection, query: Select[Any], values: Mapping[str, object] | None = None
) -> Sequence[Sequence[Any]]:
    """All rows of the query, with the values of its parameters. Raises NotUtf8."""
    with refusing():
        return connection.execute(query, values).all()


def lots(connection: Connection, query: Select[Any], size: int) -> Iterator[Sequence[Sequence[Any]]]:
    """The rows of the query, `size` at a time, so that a large table needs no memory. Raises NotUtf8."""
    with refusing():
        yield from connection.execute(query.execution_options(yield_per=size)).partitions()


@contextmanager
def refusing() -> Iterator[None]:
    """Around a query: raises NotUtf8 where the driver cannot read what it gives."""
    try:
        yield
    except OperationalError as error:
        if "decode" in str(error.orig):  # sqlite3 raises OperationalError "Could not decode to UTF-8 column".
            raise NotUtf8 from error
        raise


def moment(column: ColumnElement[Any], dialect: str) -> ColumnElement[Any]:
    """A moment as `agreements.ledger.canonical` spells it; any other value as text that it never gives."""
    if dialect == "sqlite":  # SQLite's functions end a text at a NUL, and take bytes for text.
        as_written = and_(
            func.typeof(column) == "text",
            func.length(cast(column, LargeBinary)) == _LENGTH,  # bytes are counted, past a NUL
            func.substr(column, 11, 1) == " ",
        )
        spelled = func.substr(column, 1, 10, type_=Text()) + "T" + func.substr(column, 12, type_=Text()) + "+00:00"
        return case((as_written, spelled), else_=cast(column, Text) + " ")
    in_utc = func.timezone("UTC", column)  # `to_char` spells years before Christ as ours, and infinity as nothing.
    return case((in_utc.between(_FIRST, _LAST), func.to_char(in_utc, _CANONICAL)), else_=cast(in_utc, Text))


class StoredColumns:
    """One table's columns: `wanted` is what to select, `values` gives them in the form in which the log hashes them."""

    def __init__(self, table: Table, dialect: str) -> None:
        self._names = tuple(table.c.keys())
        self._kinds = [_kind(column) for column in table.c]
        self._truths = [column.name for column in table.c if isinstance(column.type, Boolean)]
        self.wanted: list[Any] = [
            as_it_is(moment(column, dialect) if isinstance(column.type, Moment) else column) for column in table.c
        ]

    def values(self, row: Sequence[Any]) -> dict[str, Any]:
        """The columns by name. Raises ValueError or TypeError for what this release never wrote."""
        if not all(map(isinstance, row, self._kinds)):  # Bytes are hashed as hexadecimal, which text could spell.
            raise TypeError("no value of its column's kind")
        found = dict(zip(self._names, row, strict=False))  # The row may go on with its key.
        for name in self._truths:
            if found[name] not in (0, 1):
                raise ValueError("neither true nor false")
            found[name] = bool(found[name])
        return found


def as_it_is(column: ColumnElement[Any]) -> ColumnElement[Any]:
    """The column's values as the driver gives them, unconverted."""
    return type_coerce(column, NULLTYPE)


def _kind(column: Column[Any]) -> tuple[type, ...]:
    # SQLite stores a value of any type in any column, so the type is checked.
    if isinstance(column.type, LargeBinary):
        return (bytes, type(None))
    return (int if isinstance(column.type, Integer | BigId | Boolean) else str, type(None))


def spelled(table: Table | Alias, declared: LoggedColumns, dialect: str) -> ColumnElement[Any]:
    """JSON of a row as the log hashes it (`agreements.ledger.canonical`); on SQLite NULL for a wrong type.

    The column that the key ring itself seals is left out, as it must be opened. Rows that differ are never spelled
    alike: a right hash proves the row, and a wrong one leaves the judgement to `StoredColumns`.
    """
    present = set(declared.present) - {declared.sealed}
    for name in declared.unless_null:  # No table has more than one.
        without = _spelled(table, declared.hashed - {name}, present, dialect)
        return case((table.c[name].is_(None), without), else_=_spelled(table, declared.hashed, present, dialect))
    return _spelled(table, declared.hashed, present, dialect)


def _spelled(table: Table | Alias, names: Collection[str], present: set[str], dialect: str) -> ColumnElement[Any]:
    columns: list[Any] = [table.c[name] for name in sorted({*names, *present})]  # `canonical` sorts its keys.
    if dialect == "sqlite":
        pairs = [
            argument
            for column in columns
            for argument in (
                literal(column.name, Text),
                func.json(case((func.length(column) > 0, "true"), else_="false"))
                if column.name in present
                else _of_sqlite(column),
            )
        ]
        return case((and_(*(_of_its_kind(column) for column in columns)), func.json_object(*pairs)), else_=null())
    values = [
        func.coalesce(func.length(column) > 0, false()) if column.name in present else _of_postgresql(column)
        for column in columns
    ]
    row = select(*(value.label(column.name) for column, value in zip(columns, values, strict=True)))
    # `row_to_json` takes a row, and only a lateral query makes one of these values alone.
    lateral = row.correlate(table).lateral("spelled")
    return select(cast(func.row_to_json(lateral.table_valued()), Text)).correlate(table).scalar_subquery()


def _of_postgresql(column: Column[Any]) -> ColumnElement[Any]:
    if isinstance(column.type, Moment):
        return moment(column, "postgresql")
    if isinstance(column.type, LargeBinary):
        return func.encode(column, "hex")
    return column


def _of_sqlite(column: Column[Any]) -> ColumnElement[Any]:
    if isinstance(column.type, Moment):
        return moment(column, "sqlite")
    if isinstance(column.type, LargeBinary):
        return case((column.is_not(None), func.lower(func.hex(column))))  # `hex` spells capitals, `canonical` does not.
    if isinstance(column.type, Boolean):
        # SQLite has no booleans: its JSON would say 0 and 1.
        return func.json(case((column, "true"), (~column, "false")))
    return column


def _of_its_kind(column: Column[Any]) -> ColumnElement[bool]:
    # SQLite takes any value in any column: bytes in a text column could spell the JSON of another row.
    if isinstance(column.type, LargeBinary):
        return func.typeof(column).in_(("blob", "null"))
    if isinstance(column.type, Boolean):
        return column.is_(None) | and_(func.typeof(column) == "integer", column.in_((0, 1)))
    return func.typeof(column).in_(("integer" if isinstance(column.type, Integer | BigId) else "text", "null"))
