"""The history runs from nothing to the newest schema, again and by several at once, and ends where the models stand."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import inspect
from sqlmodel import SQLModel

import migrations
from bot import db

pytestmark = pytest.mark.from_nothing


@pytest.fixture(name="empty")
def _empty(database_url):
    engine = db.open_engine(database_url)
    yield engine
    engine.dispose()


def test_from_nothing_to_the_newest(empty):
    """An empty database has no revision; after the upgrade it stands at the newest, and a second run changes nothing."""
    assert migrations.current(empty) is None
    for _ in range(2):
        migrations.upgrade(empty)
        assert migrations.current(empty) == migrations.newest()


def test_one_step_at_a_time(empty):
    """Each step runs on its own on what the one before left."""
    steps = [script.revision for script in ScriptDirectory.from_config(migrations._settings()).walk_revisions()]
    for step in reversed(steps):
        migrations.upgrade(empty, step)
        assert migrations.current(empty) == step


@pytest.fixture(name="four")
def _four(database_url):
    """Four engines on one empty database, as four replicas would have."""
    engines = [db.open_engine(database_url) for _ in range(4)]
    yield engines
    for engine in engines:
        engine.dispose()


def test_several_processes_at_once(four):
    """Replicas that start together don't trip over each other."""
    with ThreadPoolExecutor(len(four)) as pool:
        list(pool.map(migrations.upgrade, four))
    assert [migrations.current(engine) for engine in four] == [migrations.newest()] * 4


def test_the_end_of_the_history_is_what_the_models_say(engine):
    """No model has a column, an index or a table that a step forgot, and the other way round."""

    def ours(_thing, name, kind, reflected, _other):
        return not (kind == "table" and reflected and name not in SQLModel.metadata.tables)

    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"include_object": ours, "compare_type": True})
        assert compare_metadata(context, SQLModel.metadata) == []


def test_a_step_that_fails_leaves_nothing(empty):
    """A table that is in the way stops the first step: no half of it stays."""
    with empty.begin() as connection:
        connection.exec_driver_sql("CREATE TABLE proof (id TEXT)")
    with pytest.raises(Exception, match="already exists"):
        migrations.upgrade(empty)
    assert [name for name in inspect(empty).get_table_names() if name != "proof"] == []
    assert migrations.current(empty) is None
