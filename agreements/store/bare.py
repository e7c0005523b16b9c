"""Look-ups of columns alone, past the mapper: its part takes longer than the database's."""

from collections.abc import Iterable, Mapping
from typing import Any

from sqlalchemy import Executable
from sqlmodel import Session


def rows(session: Session, query: Executable, given: Mapping[str, object]) -> Iterable[Any]:
    """The rows of a query for columns, in the session's transaction; what is pending in the session is written before."""
    session.flush()
    return session.connection().execute(query, dict(given))
