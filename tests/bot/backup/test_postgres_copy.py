"""PostgreSQL's copy: every table in one snapshot, back in with its sequences, and nowhere but into empty tables."""

import threading
from datetime import UTC, datetime

import pytest
from sqlalchemy import inspect, text
from sqlmodel import func, select

from bot import db
from bot.backup import archive, postgres_copy
from bot.backup.archive import BackupInvalid
from bot.jobs.durable import DurableEngine
from bot.store.pulls import posts
from bot.store.records import PullRecord, PushRecord
from tests.bot.deliveries import pull_request
from tests.ready import on_postgres, upgraded

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)


@pytest.fixture(name="place")
def _place(postgres_server):
    """A maker of databases in the newest schema, the engine's tables in it."""
    opened = []

    def make():
        held = on_postgres(postgres_server)
        engine = upgraded(held.__enter__())
        DurableEngine(engine, executor_id="test").prepare()
        opened.append((held, engine))
        return engine

    yield make
    for held, engine in opened:
        engine.dispose()
        held.__exit__(None, None, None)


def backed_up(engine, folder):
    """A backup of it."""
    file = folder / "backup"
    with file.open("wb") as stream, archive.write(
        stream, kind="postgresql", revision="0017", release="0", at=NOON
    ) as contents:  # fmt: skip
        postgres_copy.add(contents, engine)
    return file


def posted(engine, number):
    """Something happened to that pull request: its row and a job, in one transaction."""
    jobs = DurableEngine(engine, executor_id="test")
    with db.sessions(engine)() as session:
        return posts.post(session, jobs, pull_request(11, number))[0]


def count(engine, what):
    """How many rows there are."""
    with db.sessions(engine)() as session:
        return session.execute(select(func.count()).select_from(what)).scalar_one()


@pytest.mark.slow
def test_rows_and_jobs_are_copied_at_one_moment(place, tmp_path):
    source, target = place(), place()
    stop, numbers = threading.Event(), []

    def write():
        while not stop.is_set():
            numbers.append(posted(source, len(numbers) + 1))

    writer = threading.Thread(target=write)
    writer.start()
    while len(numbers) < 30:
        stop.wait(0.01)
    file = backed_up(source, tmp_path)
    stop.set()
    writer.join()
    with archive.opened(file) as found:
        postgres_copy.restore(found, target)
        counts = found.manifest.tables

    jobs = text("(SELECT 1 FROM dbos.workflow_status) AS jobs")
    assert count(target, PullRecord) == counts["public.pull"] == count(target, jobs) == counts["dbos.workflow_status"]
    assert 30 <= count(target, PullRecord) <= len(numbers)
    assert posted(target, 10_000) > count(target, PullRecord) - 1


def test_every_value_comes_back(place, tmp_path):
    source, target = place(), place()
    pull_id = posted(source, 1)
    strange = "\\N\t\n\\. 签署 '\"\r"
    with source.begin() as connection:
        connection.execute(
            text("UPDATE pull SET name = :name, lease_by = NULL, updated_at = :at WHERE id = :id"),
            {"name": strange, "at": NOON, "id": pull_id},
        )
    with archive.opened(backed_up(source, tmp_path)) as found:
        postgres_copy.restore(found, target)
    with db.sessions(source)() as before, db.sessions(target)() as after:
        assert before.get(PullRecord, pull_id).model_dump() == after.get(PullRecord, pull_id).model_dump()
        assert after.get(PullRecord, pull_id).name == strange


def test_every_table_is_copied_after_the_tables_that_it_points_at(place):
    engine = place()
    found, look = postgres_copy.tables(engine), inspect(engine)
    for schema in ("public", "dbos"):
        made = {f"{schema}.{name}" for name in look.get_table_names(schema)}
        assert made - set(found) <= {"public.alembic_version", "public.schema_floor", "dbos.dbos_migrations"}
        for name in look.get_table_names(schema):
            for key in look.get_foreign_keys(name, schema):
                there = f"{key['referred_schema'] or schema}.{key['referred_table']}"
                if f"{schema}.{name}" != there:
                    assert found.index(there) < found.index(f"{schema}.{name}")


def test_a_database_with_rows_is_told_from_a_migrated_one(place):
    engine = place()
    assert postgres_copy.occupied(engine) is None
    posted(engine, 1)
    assert postgres_copy.occupied(engine) in {"public.pull", "dbos.workflow_status"}


@pytest.mark.parametrize("change", ["table", "column", "count"])
def test_a_row_that_does_not_fit_leaves_nothing(place, tmp_path, change):
    source, target = place(), place()
    posted(source, 1)
    if change == "table":
        with source.begin() as connection:
            connection.execute(text("CREATE TABLE later (id int)"))
    if change == "column":
        with source.begin() as connection:
            connection.execute(text("ALTER TABLE push ADD COLUMN later int"))
    with archive.opened(backed_up(source, tmp_path)) as found:
        if change == "count":
            found.manifest.tables["public.pull"] = 2
        with pytest.raises(BackupInvalid, match=r"later|other rows"):
            postgres_copy.restore(found, target)
    assert (count(target, PullRecord), count(target, PushRecord), postgres_copy.occupied(target)) == (0, 0, None)
