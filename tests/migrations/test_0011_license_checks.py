"""Step 0011 adds the mailboxes of licence checks and keeps what was published."""

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError
from sqlmodel import SQLModel

import migrations

pytestmark = pytest.mark.from_step("0010")

PULL = (
    "INSERT INTO pull (id, repository_id, number, installation_id, owner_id, owner, name, private, open, head_sha,"
    " latest, evaluated, attributed, queued, urgent, attempts)"
    " VALUES (1, 70, 1, 5, 8, 'cann', 'ops', false, true, 'a', 1, 1, 1, 0, false, 0)"
)
PUBLICATION = (
    "INSERT INTO publication (pull_id, kind, head_sha, remote_id, digest, intended_at)"
    " VALUES (:pull_id, :kind, 'a', 9, 'd', '2026-01-01 00:00:00+00:00')"
)


@pytest.fixture(name="engine")
def _engine(engine):
    """A database of the step before with two publications, brought to this step."""
    with engine.begin() as connection:
        connection.execute(text(PULL))
        for kind in ("check", "comment"):
            connection.execute(text(PUBLICATION), {"pull_id": 1, "kind": kind})
    migrations.upgrade(engine, "0011")
    return engine


def publish(engine, kind, pull_id=1):
    """One more publication."""
    with engine.begin() as connection:
        connection.execute(text(PUBLICATION), {"pull_id": pull_id, "kind": kind})


def test_publications_are_kept_and_the_new_kind_is_accepted(engine):
    publish(engine, "licenses")
    for kind, pull_id in (("other", 1), ("licenses", 1), ("licenses", 77)):
        with pytest.raises(DBAPIError):
            publish(engine, kind, pull_id)
    with engine.connect() as connection:
        rows = connection.execute(text("SELECT kind, remote_id, digest FROM publication ORDER BY kind")).all()
    assert [tuple(row) for row in rows] == [("check", 9, "d"), ("comment", 9, "d"), ("licenses", 9, "d")]


@pytest.mark.slow
def test_the_tables_are_those_of_the_records(engine):
    migrations.upgrade(engine)
    ours = {"license_check", "publication"}

    def included(_thing, name, kind, _reflected, _other):
        return kind != "table" or name in ours

    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"include_object": included, "compare_type": True})
        found = compare_metadata(context, SQLModel.metadata)
    assert found == []
