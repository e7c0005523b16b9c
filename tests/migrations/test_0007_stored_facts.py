"""Step 0007 adds the table of stored facts beside rows that are there already, which have none yet."""

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import inspect, text
from sqlalchemy.exc import DBAPIError
from sqlmodel import SQLModel

import migrations
from bot.store.pulls import stored_facts

pytestmark = pytest.mark.from_step("0006")

PULL = (
    "INSERT INTO pull (id, repository_id, number, installation_id, owner_id, owner, name, private, open, head_sha,"
    " latest, evaluated, attributed, queued, urgent, attempts, label, quiet, by_labels)"
    " VALUES (:id, 70, :id, 5, 8, 'cann', 'ops', false, true, 'a', 1, 1, 1, 0, false, 0, '', false, true)"
)
ROW = (
    "INSERT INTO stored_facts (pull_id, head_sha, stored_at, sealed, wrapped_key, ring_key_id)"
    " VALUES (:pull_id, 'a', '2026-01-01 00:00:00+00:00', :bytes, :bytes, 'k1')"
)


@pytest.fixture(name="engine")
def _engine(engine):
    """A database of the step before with two pull requests, brought to this step, with the facts of one."""
    assert "stored_facts" not in inspect(engine).get_table_names()
    write(engine, PULL, id=1)
    write(engine, PULL, id=2)
    migrations.upgrade(engine, "0007")
    write(engine, ROW, pull_id=1, bytes=b"sealed")
    return engine


def write(engine, statement, **values):
    """Run it in a transaction of its own."""
    with engine.begin() as connection:
        connection.execute(text(statement), values)


@pytest.mark.slow
def test_rows_are_kept_through_every_later_step(engine):
    migrations.upgrade(engine)
    with engine.connect() as connection:
        assert connection.execute(text("SELECT id FROM pull ORDER BY id")).scalars().all() == [1, 2]
        held = connection.execute(text("SELECT pull_id, sealed, ring_key_id FROM stored_facts")).all()
    assert [(row.pull_id, bytes(row.sealed), row.ring_key_id) for row in held] == [(1, b"sealed", "k1")]


@pytest.mark.slow
def test_the_table_is_that_of_the_records(engine):
    migrations.upgrade(engine)

    def only(_thing, name, kind, _reflected, _other):
        return kind != "table" or name == stored_facts.StoredFacts.__tablename__

    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"include_object": only, "compare_type": True})
        assert compare_metadata(context, SQLModel.metadata) == []


@pytest.mark.parametrize(("pull_id", "what"), [(1, "(?i)unique"), (3, "(?i)foreign key"), (2, "(?i)null")])
def test_facts_are_sealed_and_stored_once_for_a_known_pull_request(engine, pull_id, what):
    with pytest.raises(DBAPIError, match=what):
        write(engine, ROW, pull_id=pull_id, bytes=None if pull_id == 2 else b"x")
