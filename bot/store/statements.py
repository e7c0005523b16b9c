"""Statements on the way of a delivery and a review: built once, run on the session's connection, giving plain rows."""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, Self, TypeVar, cast

from sqlalchemy import (
    Column,
    ColumnElement,
    CursorResult,
    Executable,
    Select,
    Table,
    Update,
    bindparam,
    delete,
    select,
    update,
)
from sqlalchemy.dialects import postgresql, sqlite
from sqlmodel import Session, SQLModel

M = TypeVar("M", bound=SQLModel)


# To build a statement takes longer than to run it, and to keep track of objects takes longer than both. A row has the
# columns of its table as attributes, and belongs to no session.
class Upsert:
    """An INSERT … ON CONFLICT: both databases know it, each under its own name."""

    def __init__(self, model: type[SQLModel], complete: Callable[[Any], Executable]) -> None:
        """`complete` adds the ON CONFLICT clause to the INSERT."""
        self._statements = {
            "sqlite": complete(sqlite.insert(table(model))),
            "postgresql": complete(postgresql.insert(table(model))),
        }

    @classmethod
    def unless_there(cls, model: type[SQLModel]) -> Self:
        """An INSERT that leaves an existing row as it is."""
        return cls(model, lambda insert: insert.on_conflict_do_nothing())

    @classmethod
    def replacing(cls, model: type[SQLModel], key: str | Sequence[str], *names: str) -> Self:
        """An INSERT that sets these columns of an existing row with that key, which is one column or several."""
        keys = [key] if isinstance(key, str) else list(key)

        def complete(insert: Any) -> Executable:
            new = {name: insert.excluded[name] for name in names}
            return cast("Executable", insert.on_conflict_do_update(index_elements=keys, set_=new))

        return cls(model, complete)

    def on(self, dialect: str) -> Executable:
        """The statement for that database."""
        return self._statements[dialect]


def table(model: type[SQLModel]) -> Table:
    """The table of a model."""
    return cast("Table", model.__table__)  # type: ignore[attr-defined]  # a table model has it


def columns(model: type[SQLModel], *names: str) -> list[Column[Any]]:
    """Some columns of a model's table."""
    return [table(model).c[name] for name in names]


def run(
    session: Session, statement: Executable | Upsert, values: Mapping[str, Any] | Sequence[Mapping[str, Any]] = ()
) -> CursorResult[Any]:
    """Run a statement after the session's unwritten changes, with these values, or once for each of several."""
    session.flush()  # The connection knows nothing of the session's new and changed objects.
    connection = session.connection()
    if isinstance(statement, Upsert):
        statement = statement.on(connection.dialect.name)
    return cast("CursorResult[Any]", connection.execute(statement, values or None))


def read(session: Session, model: type[M], **key: Any) -> M | None:
    """The row with these values, if there is one; it is for reading only."""
    return cast("M | None", run(session, _select(model, tuple(key)), key).one_or_none())


def change(session: Session, model: type[SQLModel], key: Mapping[str, Any], **values: Any) -> None:
    """Write these values into the row, or rows, with that key."""
    run(session, _update(model, tuple(key)), {**{f"key_{name}": value for name, value in key.items()}, **values})


def delete_rows(session: Session, model: type[SQLModel], *where: ColumnElement[bool]) -> int:
    """Delete the rows for which that holds, and of which the session has no objects; gives the number of rows."""
    return run(session, delete(table(model)).where(*where)).rowcount


@cache
def _select(model: type[SQLModel], key: tuple[str, ...]) -> Select[Any]:
    found = table(model)
    # Typed: a moment is compared in the form in which its column stores it.
    return select(found).where(*(found.c[name] == bindparam(name, type_=found.c[name].type) for name in key))


@cache
def _update(model: type[SQLModel], key: tuple[str, ...]) -> Update:
    found = table(model)
    # Prefixed: a column may be in the key and among the values, and no SET is written, so that the statement sets
    # just the columns that the values name.
    return update(found).where(*(found.c[name] == bindparam(f"key_{name}", type_=found.c[name].type) for name in key))
