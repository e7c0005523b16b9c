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
    func,
    literal,
    null,
    select,
)

from agreements.store.ledger.row_serialization import moment
from agreements.store.tables.columns import BigId, Moment


def spelled(
    table: Table | Alias, names: Collection[str], dialect: str, if_set: Collection[str] = frozenset()
) -> ColumnElement[Any]:
    """JSON of those columns, as `agreements.ledger.canonical` spells it; on SQLite NULL where a value is of another kind than its column.

    Those of them that are in `if_set` (one at most) are left out where they are NULL.

    Rows that differ are never spelled alike. So where the hash is right, the row is; where it isn't, `StoredColumns` is the judge.
    """
    for name in if_set:
        without = spelled(table, {one for one in names if one != name}, dialect)
        return case((table.c[name].is_(None), without), else_=spelled(table, names, dialect))
    columns: list[Any] = [table.c[name] for name in sorted(names)]
    if dialect == "sqlite":
        pairs = [one for column in columns for one in (literal(column.name, Text), _of_sqlite(column))]
        return case((and_(*(_of_its_kind(column) for column in columns)), func.json_object(*pairs)), else_=null())
    row = select(*(_of_postgresql(column).label(column.name) for column in columns)).correlate(table).lateral("spelled")
    return select(cast(func.row_to_json(row.table_valued()), Text)).correlate(table).scalar_subquery()


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
