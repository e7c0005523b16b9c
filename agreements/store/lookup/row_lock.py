"""Locks a row and reads it as it is now: nobody else changes it until the transaction ends."""

from typing import TypeVar

from sqlalchemy import ColumnElement
from sqlmodel import Session, SQLModel, select

Row = TypeVar("Row", bound=SQLModel)


def row(session: Session, table: type[Row], wanted: ColumnElement[bool]) -> Row | None:
    """The one row that is wanted, as it is now; nobody else changes it before this transaction ends. None without one.

    SQLite has one writer; PostgreSQL locks the row, though not for rows that refer to it.
    """
    query = select(table).where(wanted).with_for_update(key_share=True)
    return session.exec(query, execution_options={"populate_existing": True}).one_or_none()
