"""An INSERT for rows that another process may have made just now: both databases know it, each under its own name."""

from sqlalchemy.dialects import postgresql, sqlite
from sqlmodel import Session, SQLModel


def insert(session: Session, row: SQLModel) -> "postgresql.Insert | sqlite.Insert":
    """The INSERT of this row, whose `on_conflict_…` says what becomes of one that is there."""
    into = sqlite.insert if session.get_bind().dialect.name == "sqlite" else postgresql.insert
    return into(type(row)).values(**row.model_dump())
