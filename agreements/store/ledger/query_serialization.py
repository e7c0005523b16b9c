"""The rows of a table as the log hashes them, serialized by the database itself, which is faster than Python."""

from collections.abc import Collection
from typing import Any

from sqlalchemy import (
    Alias,
    Boolean,
    Column,
    ColumnElement,
    Integer,
    LargeBinary,
    Table,
    Text,
    and_,
    case,
    cast,
    false,
    func,
    literal,
    null,
    select,
)

from agreements.store.ledger.row_serialization import moment
from agreements.store.tables.columns import BigId, Moment
from agreements.store.tables.declarations import LoggedColumns


def spelled(table: Table | Alias, declared: LoggedColumns, dialect: str) -> ColumnElement[Any]:
    """JSON of a row as it is hashed, as `agreements.ledger.canonical` spells it; on SQLite NULL where a value is of another kind than its column.

    Of what the key ring itself seals nothing is said, as that must be opened.

    Rows that differ are never spelled alike. So where the hash is right, the row is; where it isn't, `StoredColumns` is the judge.
    """
    present = set(declared.present) - {declared.sealed}
    for name in declared.unless_null:  # one at most
        without = _spelled(table, declared.hashed - {name}, present, dialect)
        return case((table.c[name].is_(None), without), else_=_spelled(table, declared.hashed, present, dialect))
    return _spelled(table, declared.hashed, present, dialect)


def _spelled(table: Table | Alias, names: Collection[str], present: set[str], dialect: str) -> ColumnElement[Any]:
    columns: list[Any] = [table.c[name] for name in sorted({*names, *present})]
    if dialect == "sqlite":
        pairs = [
            one
            for column in columns
            for one in (
                literal(column.name, Text),
                func.json(_is_there(column)) if column.name in present else _of_sqlite(column),
            )
        ]
        return case((and_(*(_of_its_kind(column) for column in columns)), func.json_object(*pairs)), else_=null())
    values = [_has_bytes(column) if column.name in present else _of_postgresql(column) for column in columns]
    row = select(*(value.label(column.name) for column, value in zip(columns, values, strict=True)))
    lateral = row.correlate(table).lateral("spelled")
    return select(cast(func.row_to_json(lateral.table_valued()), Text)).correlate(table).scalar_subquery()


def _has_bytes(column: Column[Any]) -> ColumnElement[bool]:
    return func.coalesce(func.length(column) > 0, false())


def _is_there(column: Column[Any]) -> ColumnElement[Any]:
    """As SQLite writes it in JSON."""
    return case((func.length(column) > 0, "true"), else_="false")


def _of_postgresql(column: Column[Any]) -> ColumnElement[Any]:
    if isinstance(column.type, Moment):
        return moment(column, "postgresql")
    if isinstance(column.type, LargeBinary):
        return func.encode(column, "hex")
    return column


def _of_sqlite(column: Column[Any]) -> ColumnElement[Any]:
    """The value in JSON, given that it is of its kind."""
    if isinstance(column.type, Moment):
        return moment(column, "sqlite")
    if isinstance(column.type, LargeBinary):
        return case((column.is_not(None), func.lower(func.hex(column))))
    if isinstance(column.type, Boolean):
        return func.json(case((column, "true"), (~column, "false")))
    return column


def _of_its_kind(column: Column[Any]) -> ColumnElement[bool]:
    """SQLite takes any value in any column."""
    if isinstance(column.type, LargeBinary):
        return func.typeof(column).in_(("blob", "null"))
    if isinstance(column.type, Boolean):
        return column.is_(None) | and_(func.typeof(column) == "integer", column.in_((0, 1)))
    return func.typeof(column).in_(("integer" if isinstance(column.type, Integer | BigId) else "text", "null"))
