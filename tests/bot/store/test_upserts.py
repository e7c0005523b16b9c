"""One INSERT … ON CONFLICT for both databases."""

from datetime import UTC, datetime

from sqlmodel import col

from bot.store.records import Executor
from bot.store.upserts import insert

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)


def test_a_row_that_is_there_is_told_from_a_new_one(sessions):
    """RETURNING gives a row only when one was written."""
    with sessions() as session:
        statement = insert(session, Executor).values(id="one", beat_at=NOON).on_conflict_do_nothing()
        statement = statement.returning(col(Executor.id))
        assert session.execute(statement).all() == [("one",)]
        assert session.execute(statement).all() == []
