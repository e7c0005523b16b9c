"""Statements that are built once work on both databases."""

from datetime import UTC, datetime

import pytest
from sqlmodel import select

from bot.store.records import Executor
from bot.store.statements import Upsert, change, read, run, table

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)


def test_an_upsert_returns_the_rows_that_are_new(sessions):
    add = Upsert(Executor, lambda insert: insert.on_conflict_do_nothing().returning(table(Executor).c.id))
    with sessions() as session:
        assert run(session, add, {"id": "one", "beat_at": NOON}).all() == [("one",)]
        assert run(session, add, {"id": "one", "beat_at": NOON}).all() == []
        rows = [{"id": name, "beat_at": NOON} for name in ("one", "two", "three")]
        assert sorted(run(session, add, rows).scalars()) == ["three", "two"]


def test_an_upsert_replaces_only_the_named_columns(sessions):
    later = NOON.replace(hour=13)
    with sessions() as session:
        for statement, expected in (
            (Upsert.unless_there(Executor), NOON),
            (Upsert.replacing(Executor, "id", "beat_at"), later),
        ):
            run(session, Upsert.unless_there(Executor), {"id": "one", "beat_at": NOON})
            run(session, statement, {"id": "one", "beat_at": later})
            found = read(session, Executor, id="one")
            assert found.beat_at == expected


def test_a_read_flushes_the_session_and_returns_a_detached_row(sessions):
    with sessions() as session:
        session.add(Executor(id="one", beat_at=NOON))
        found = read(session, Executor, id="one")
        assert (found.id, found.beat_at) == ("one", NOON)
        with pytest.raises(AttributeError):
            found.id = "two"
        assert read(session, Executor, id="two") is None


def test_a_change_touches_only_the_row_with_the_key(sessions):
    with sessions() as session:
        for name in ("one", "two"):
            session.add(Executor(id=name, beat_at=NOON))
        session.flush()
        change(session, Executor, {"id": "one"}, id="first")
        assert sorted(session.exec(select(Executor.id))) == ["first", "two"]
        change(session, Executor, {"id": "first", "beat_at": NOON.replace(hour=1)}, id="none")
        assert read(session, Executor, id="none") is None
