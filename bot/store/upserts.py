"""INSERT … ON CONFLICT in the dialect of the session's database: both of ours know it, each under its own name."""

from sqlalchemy.dialects import postgresql, sqlite
from sqlmodel import Session, SQLModel

Insert = postgresql.Insert | sqlite.Insert


def insert(session: Session, table: type[SQLModel]) -> Insert:
    """An INSERT into that table with `on_conflict_do_nothing`, `on_conflict_do_update` and `returning`."""
    if session.get_bind().dialect.name == "sqlite":
        return sqlite.insert(table)
    return postgresql.insert(table)
