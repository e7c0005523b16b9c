"""One row: locked and read as it is now, or made into a value of which each field takes the column of its own name."""

from dataclasses import fields
from typing import TYPE_CHECKING, TypeVar

from sqlmodel import SQLModel

if TYPE_CHECKING:
    from _typeshed import DataclassInstance
from sqlalchemy import ColumnElement
from sqlmodel import Session, select

Made = TypeVar("Made", bound="DataclassInstance")


def from_row(kind: "type[Made]", row: SQLModel, /, **others: object) -> Made:
    """A value of that dataclass. `others` are the fields that are no columns, or are not shown as they are stored."""
    columns = type(row).model_fields.keys() - others.keys()
    return kind(**{one.name: getattr(row, one.name) for one in fields(kind) if one.name in columns}, **others)


Row = TypeVar("Row", bound=SQLModel)


def locked(session: Session, table: type[Row], wanted: ColumnElement[bool]) -> Row | None:
    """The one row that is wanted, as it is now; nobody else changes it before this transaction ends. None without one.

    SQLite has one writer; PostgreSQL locks the row, though not for rows that refer to it.
    """
    query = select(table).where(wanted).with_for_update(key_share=True)
    return session.exec(query, execution_options={"populate_existing": True}).one_or_none()
