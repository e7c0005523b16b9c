"""Rows exactly as the database keeps them: on SQLite, which takes anything, a value in another spelling is refused."""

import re
from collections.abc import Sequence
from typing import Any

from sqlalchemy import Boolean, Connection, Integer, Select, String, Table, func, type_coerce
from sqlalchemy.exc import OperationalError

from agreements.store.columns import Moment

_SPELLING = "YYYY-MM-DD HH24:MI:SS.US"  # PostgreSQL's own function is ten times as fast as a detour by `datetime`
_MOMENT = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{6}").fullmatch


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
    """One table's columns: `wanted` is what to select, `values` gives them in the form in which the log hashes them."""

    def __init__(self, table: Table, dialect: str) -> None:
        self._names = tuple(table.c.keys())
        self.wanted: list[Any] = list(table.c)
        self._moments: list[str] = []
        self._truths: list[str] = []
        sqlite = dialect == "sqlite"
        for place, column in enumerate(table.c):
            if isinstance(column.type, Moment):
                in_utc = func.to_char(func.timezone("UTC", column), _SPELLING)
                self.wanted[place] = type_coerce(column if sqlite else in_utc, String())
                self._moments.append(column.name)
            elif isinstance(column.type, Boolean) and sqlite:
                self.wanted[place] = type_coerce(column, Integer())
                self._truths.append(column.name)

    def values(self, row: Sequence[Any]) -> dict[str, Any]:
        """The columns by name. Raises ValueError or TypeError for what this release never wrote."""
        found = dict(zip(self._names, row, strict=False))
        for name in self._moments:
            text = found[name]
            if text is not None:
                if not _MOMENT(text):
                    raise ValueError("no moment as it is written")
                found[name] = f"{text[:10]}T{text[11:]}+00:00"  # as `ledger.canonical` spells it, without a detour
        for name in self._truths:
            if found[name] not in (0, 1):
                raise ValueError("neither true nor false")
            found[name] = bool(found[name])
        return found
