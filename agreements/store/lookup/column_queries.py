"""Queries of columns alone, without the object mapper, which takes longer than the database."""

from collections.abc import Iterable, Mapping
from typing import Any, cast

from sqlalchemy import ARRAY, ColumnElement, Executable, Select, any_, bindparam
from sqlalchemy.orm import Mapped
from sqlmodel import Session

Question = Select[*tuple[Any, ...]]
"""A query for columns; what it asks about is given by name when it is asked."""


def rows(session: Session, query: Executable, values: Mapping[str, object]) -> Iterable[Any]:
    """The rows of a query for columns, in the session's transaction; what is pending in the session is written before."""
    session.flush()
    return session.connection().execute(query, dict(values))


def dialect(session: Session) -> str:
    """`sqlite` or `postgresql`: what a look-up is to be put together for."""
    return session.get_bind().dialect.name


def among(kind: str, column: Mapped[Any], name: str) -> ColumnElement[bool]:
    """Says of the column that it is one of the values given under that name.

    PostgreSQL takes them as one array, and so knows the query again whatever their number; SQLite knows no arrays.
    """
    if kind == "postgresql":
        of = cast(ColumnElement[Any], column).type
        return column == any_(bindparam(name, type_=ARRAY(of)))
    return column.in_(bindparam(name, expanding=True))
