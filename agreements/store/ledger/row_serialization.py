"""The serialization of rows that the log hashes; values in any other form, which SQLite would take, are refused."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from sqlalchemy import (
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
    func,
    literal_column,
    type_coerce,
)
from sqlalchemy.exc import OperationalError
from sqlalchemy.types import NULLTYPE

from agreements.store.tables.columns import BigId, Moment

_CANONICAL = 'YYYY-MM-DD"T"HH24:MI:SS.US"+00:00"'
_LENGTH = len("2026-05-01 12:00:00.000000")
_FIRST: ColumnElement[Any] = literal_column("timestamp '0001-01-01'")
_LAST: ColumnElement[Any] = literal_column("timestamp '9999-12-31 23:59:59.999999'")


class NotUtf8(Exception):
    """Some row of a lot holds text that is not UTF-8."""


def read(connection: Connection, query: Select[Any]) -> Sequence[Sequence[Any]]:
    """All rows of the query. Raises NotUtf8."""
    with refusing():
        return connection.execute(query).all()


def lots(connection: Connection, query: Select[Any], size: int) -> Iterator[Sequence[Sequence[Any]]]:
    """The rows of the query, so many at a time: never all of them are held. Raises NotUtf8."""
    with refusing():
        yield from connection.execute(query.execution_options(yield_per=size)).partitions()


@contextmanager
def refusing() -> Iterator[None]:
    """Around a query: raises NotUtf8 where the driver cannot read what it gives."""
    try:
        yield
    except OperationalError as error:
        if "decode" in str(error.orig):
            raise NotUtf8 from error
        raise


def moment(column: ColumnElement[Any], dialect: str) -> ColumnElement[Any]:
    """A moment as `agreements.ledger.canonical` spells it. What this release never wrote becomes text that it never spells."""
    if dialect == "sqlite":  # its functions end a text at a NUL, and take bytes for text
        as_written = and_(
            func.typeof(column) == "text",
            func.length(cast(column, LargeBinary)) == _LENGTH,
            func.substr(column, 11, 1) == " ",
        )
        spelled = func.substr(column, 1, 10, type_=Text()) + "T" + func.substr(column, 12, type_=Text()) + "+00:00"
        return case((as_written, spelled), else_=cast(column, Text) + " ")
    in_utc = func.timezone("UTC", column)  # `to_char` would spell years before ours as ours, and nothing for infinity
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
        if not all(map(isinstance, row, self._kinds)):  # bytes are hashed in hexadecimal, as a text could be
            raise TypeError("no value of its column's kind")
        found = dict(zip(self._names, row, strict=False))
        for name in self._truths:
            if found[name] not in (0, 1):
                raise ValueError("neither true nor false")
            found[name] = bool(found[name])
        return found


def as_it_is(column: ColumnElement[Any]) -> ColumnElement[Any]:
    """Its values as the driver gives them."""
    return type_coerce(column, NULLTYPE)


def _kind(column: Column[Any]) -> tuple[type, ...]:
    """What may be found in that column."""
    if isinstance(column.type, LargeBinary):
        return (bytes, type(None))
    return (int if isinstance(column.type, Integer | BigId | Boolean) else str, type(None))
