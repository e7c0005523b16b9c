"""Queries of columns alone, without the object mapper, which takes longer than the database; several of them as one round trip."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import itemgetter
from typing import Any, cast

from sqlalchemy import (
    ARRAY,
    ColumnElement,
    Connection,
    Dialect,
    Executable,
    Select,
    any_,
    bindparam,
    literal_column,
    null,
    union_all,
)
from sqlalchemy import cast as cast_to
from sqlalchemy.exc import DBAPIError
from sqlalchemy.orm import Mapped
from sqlalchemy.types import TypeEngine
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


Rows = tuple[list[Sequence[Any]], ...]
_Process = Callable[[Any], Any] | None


class BatchQuery:
    """Made once for one kind of database, asked often.

    PostgreSQL's driver is asked past SQLAlchemy, whose own part takes as long as the database's; its values and errors
    are SQLAlchemy's all the same.
    """

    def __init__(self, *questions: Question) -> None:
        """Each asks for two columns or more, and for no order: that would be lost."""
        self._types: list[TypeEngine[Any]] = []
        places = [_places(one, self._types) for one in questions]
        self._query = union_all(
            *(
                one.with_only_columns(literal_column(str(number)), *_spread(one, places[number], self._types))
                for number, one in enumerate(questions)
            )
        )
        self._own = [itemgetter(*(1 + place for place in some)) for some in places]
        self._driver: _DriverQuery | None = None

    def rows(self, connection: Connection, values: Mapping[str, object]) -> Rows:
        """The rows of each question, in no order; of a session's connection those that the session has written."""
        found: Rows = tuple([] for _ in self._own)
        for row in self._asked(connection, values):
            found[row[0]].append(self._own[row[0]](row))
        return found

    def _asked(self, connection: Connection, values: Mapping[str, object]) -> Iterable[Sequence[Any]]:
        if connection.dialect.name == "sqlite":
            return connection.execute(self._query, dict(values))
        if self._driver is None:
            self._driver = _DriverQuery(self._query, self._types, connection.dialect)
        return self._driver.rows(connection, values)


class _DriverQuery:
    """A query in the driver's words, with what makes its values of ours, and ours of its."""

    def __init__(self, query: Any, types: Sequence[TypeEngine[Any]], dialect: Dialect) -> None:
        compiled = query.compile(dialect=dialect)
        self._text = str(compiled)
        self._constants = {name: one.value for one, name in compiled.bind_names.items() if not one.required}
        self._bind_processors: dict[str, _Process] = {
            name: one.type.dialect_impl(dialect).bind_processor(dialect) for one, name in compiled.bind_names.items()
        }
        processes = (one.dialect_impl(dialect).result_processor(dialect, None) for one in types)
        self._found = [(place, process) for place, process in enumerate(processes, 1) if process is not None]

    def rows(self, connection: Connection, values: Mapping[str, object]) -> list[list[Any]]:
        """All rows. Raises SQLAlchemy's DBAPIError, as any other look-up."""
        complete = {**self._constants, **values}
        parameters = {
            name: complete[name] if process is None else process(complete[name])
            for name, process in self._bind_processors.items()
        }
        cursor = connection.connection.cursor()
        try:
            cursor.execute(self._text, parameters)
            rows = [list(row) for row in cursor.fetchall()]
        except connection.dialect.loaded_dbapi.Error as error:
            raise _refused(connection, cursor, self._text, error) from error
        finally:
            cursor.close()
        for row in rows:
            for place, process in self._found:
                row[place] = process(row[place])
        return rows


def _refused(connection: Connection, cursor: Any, text: str, error: Any) -> BaseException:
    """The error as SQLAlchemy would raise it: without what was asked for, and a connection that broke is not used again."""
    dialect = connection.dialect
    gone = dialect.is_disconnect(error, connection.connection.driver_connection, cursor)
    if gone:
        connection.invalidate(error)
    refused: BaseException = DBAPIError.instance(
        text,
        None,
        error,
        dialect.loaded_dbapi.Error,
        hide_parameters=True,
        connection_invalidated=gone,
        dialect=dialect,
    )
    return refused


def _places(question: Question, types: list[TypeEngine[Any]]) -> list[int]:
    """A place for each of its columns among those of its type, which all questions share; `types` grows as it must."""
    free, taken = list(range(len(types))), []
    for column in question.selected_columns:
        place = next((one for one in free if type(types[one]) is type(column.type)), len(types))
        if place == len(types):
            types.append(column.type)
        else:
            free.remove(place)
        taken.append(place)
    return taken


def _spread(question: Question, places: list[int], types: list[TypeEngine[Any]]) -> list[ColumnElement[Any]]:
    """Its columns in their places, and nothing in the others."""
    own = dict(zip(places, question.selected_columns, strict=True))
    return [own.get(place, cast_to(null(), kind)).label(f"c{place}") for place, kind in enumerate(types)]
