"""Step 0006 gives every head that has a run a keeper, the oldest pull request with it, and pulls a place for our label."""

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import text
from sqlmodel import SQLModel

import migrations
from bot.store.pulls import heads

pytestmark = pytest.mark.from_step("0005")

PULL = (
    "INSERT INTO pull (id, repository_id, number, installation_id, owner_id, owner, name, private, open, head_sha,"
    " latest, evaluated, attributed, queued, urgent, attempts)"
    " VALUES (:id, :repository_id, :id, 5, 8, 'cann', 'ops', false, true, 'a', 1, 1, 1, 0, false, 0)"
)
PUBLICATION = (
    "INSERT INTO publication (pull_id, kind, head_sha, remote_id, digest, intended_at)"
    " VALUES (:pull_id, :kind, :head_sha, 9, 'd', '2026-01-01 00:00:00+00:00')"
)


@pytest.fixture(name="engine")
def _engine(engine):
    """A database of the step before with three pull requests, two of them with runs on one head, brought to this step."""
    with engine.begin() as connection:
        for number, repository in [(1, 70), (2, 70), (3, 71)]:
            connection.execute(text(PULL), {"id": number, "repository_id": repository})
        for pull_id, kind, head in [(2, "check", "a"), (1, "check", "a"), (1, "comment", ""), (2, "check", "b")]:
            connection.execute(text(PUBLICATION), {"pull_id": pull_id, "kind": kind, "head_sha": head})
    migrations.upgrade(engine, "0006")
    return engine


def test_the_oldest_pull_request_keeps_a_heads_run_and_no_label_is_known(engine):
    migrations.upgrade(engine)
    with engine.connect() as connection:
        kept = connection.execute(text("SELECT repository_id, head_sha, pull_id FROM head ORDER BY head_sha")).all()
        labels = connection.execute(text("SELECT id, label FROM pull ORDER BY id")).all()
    assert [tuple(row) for row in kept] == [(70, "a", 1), (70, "b", 2)]
    assert [tuple(row) for row in labels] == [(1, ""), (2, ""), (3, "")]


@pytest.mark.slow
def test_the_table_is_that_of_the_records(engine):
    migrations.upgrade(engine)
    ours = {heads.HeadRow.__tablename__, "pull"}

    def included(_thing, name, kind, _reflected, _other):
        return kind != "table" or name in ours

    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"include_object": included, "compare_type": True})
        found = compare_metadata(context, SQLModel.metadata)
    assert found == []
