"""Rows exactly as the database keeps them: on SQLite, which takes anything, a value in another spelling is refused."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Boolean, Column, Connection, Integer, Select, String, Table, type_coerce
from sqlalchemy.exc import OperationalError

from agreements.store.columns import Moment


class Unreadable(Exception):  # noqa: N818 - reads as what happened
    """Some row of a lot holds text that is not UTF-8."""


def read(connection: Connection, query: Select[Any]) -> Sequence[Sequence[Any]]:
    """All rows of the query. Raises Unreadable."""
    try:
        return connection.execute(query).all()
    except OperationalError as error:
        if "decode" in str(error.orig):
            raise Unreadable from error
        raise


class Stored:
    """One table's columns: `wanted` is what to select, `values` makes them what the records hold."""

    def __init__(self, table: Table, dialect: str) -> None:
        self._names = tuple(table.c.keys())
        self._strict: list[tuple[int, Callable[[Any], Any]]] = []
        self.wanted: list[Any] = list(table.c)
        if dialect == "sqlite":
            for place, column in enumerate(table.c):
                self._spelled(place, column)

    def values(self, row: Sequence[Any]) -> dict[str, Any]:
        """The columns by name. Raises ValueError or TypeError for what this release never wrote."""
        found = dict(zip(self._names, row, strict=False))
        for place, convert in self._strict:
            if row[place] is not None:
                found[self._names[place]] = convert(row[place])
        return found

    def _spelled(self, place: int, column: Column[Any]) -> None:
        if isinstance(column.type, Moment):
            self.wanted[place] = type_coerce(column, String())
            self._strict.append((place, _moment))
        elif isinstance(column.type, Boolean):
            self.wanted[place] = type_coerce(column, Integer())
            self._strict.append((place, _truth))


def _moment(text: str) -> datetime:
    found = datetime.fromisoformat(text)
    if found.isoformat(" ", "microseconds") != text:
        raise ValueError("no moment as it is written")
    return found.replace(tzinfo=UTC)


def _truth(number: int) -> bool:
    if number not in (0, 1):
        raise ValueError("neither true nor false")
    return bool(number)
