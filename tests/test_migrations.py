"""The history runs from nothing to the newest schema, again and by several at once, and ends where the models stand."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import inspect
from sqlmodel import SQLModel

import migrations
from bot import db
from migrations.steps import scripts
from tests.migrations import expansion
from tests.migrations.test_steps import steps


@pytest.fixture(name="empty")
def _empty(database_url):
    """An engine on a database without tables; a test of it is marked `from_nothing`."""
    engine = db.open_engine(database_url)
    yield engine
    engine.dispose()


@pytest.mark.slow
@pytest.mark.from_nothing
def test_an_empty_database_is_migrated_once(empty):
    assert migrations.current(empty) is None
    steps = [script.revision for script in scripts().walk_revisions()]
    for applied in (tuple(reversed(steps)), ()):
        assert migrations.upgrade(empty) == applied
        assert migrations.current(empty) == migrations.newest()


@pytest.fixture(name="four")
def _four(database_url):
    """Four engines on one empty database, as four replicas would have."""
    engines = [db.open_engine(database_url) for _ in range(4)]
    yield engines
    for engine in engines:
        engine.dispose()


@pytest.mark.slow
@pytest.mark.from_nothing
def test_several_processes_may_migrate_at_once(four):
    with ThreadPoolExecutor(len(four)) as pool:
        list(pool.map(migrations.upgrade, four))
    assert [migrations.current(engine) for engine in four] == [migrations.newest()] * 4


def test_the_end_of_the_history_equals_the_models(engine):
    def ours(_thing, name, kind, reflected, _other):
        return not (kind == "table" and reflected and name not in SQLModel.metadata.tables)

    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"include_object": ours, "compare_type": True})
        assert compare_metadata(context, SQLModel.metadata) == []


@pytest.mark.from_nothing
def test_a_step_that_fails_leaves_nothing(empty):
    with empty.begin() as connection:
        connection.exec_driver_sql("CREATE TABLE proof (id TEXT)")
    with pytest.raises(Exception, match="already exists"):
        migrations.upgrade(empty)
    assert [name for name in inspect(empty).get_table_names() if name != "proof"] == []
    assert migrations.current(empty) is None


RULE_FROM = "0015"
"""Steps after this one say what they do (docs/decisions/migrations.md)."""


@pytest.mark.slow
@pytest.mark.from_nothing
def test_a_migrated_database_needs_no_alembic(empty, database_url):
    """Alembic would stay in the server's memory."""
    migrations.upgrade(empty)
    said = run_python(
        "import sys, migrations\nfrom bot import db\n"
        f"print(migrations.upgrade(db.open_engine({database_url!r})), migrations.newest(), 'alembic' in sys.modules)"
    )
    assert said == f"() {scripts().get_current_head()} False\n"


def run_python(code):
    """What a new Python prints."""
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout


@pytest.mark.slow
@pytest.mark.from_nothing
def test_each_step_leaves_everything_that_the_release_before_uses(empty):
    migrations.upgrade(empty, RULE_FROM)
    before = expansion.read(empty)
    for step in steps():
        if step.revision <= RULE_FROM:
            continue
        migrations.upgrade(empty, step.revision)
        after = expansion.read(empty)
        if step.module.kind == "expand":
            assert expansion.taken(before, after, getattr(step.module, "widened", None)) == [], step.revision
            assert not hasattr(step.module, "oldest"), step.revision
        else:
            assert step.module.kind == "contract", step.revision
            assert RULE_FROM <= step.module.oldest <= step.down_revision, "the release before must run beside it"
        before = after


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("CREATE TABLE other (id INTEGER PRIMARY KEY, x TEXT NOT NULL)", []),
        ("ALTER TABLE pull ADD COLUMN x TEXT", []),
        ("ALTER TABLE pull ADD COLUMN x TEXT NOT NULL DEFAULT ''", []),
        ("CREATE INDEX x ON pull (number)", []),
        ("ALTER TABLE sweep DROP COLUMN full_at", ["sweep.full_at is gone"]),
        (
            "DROP TABLE sweep",
            [
                "sweep.began_at is gone",
                "sweep.full_at is gone",
                "sweep.id is gone",
                "sweep.restored_at is gone",
                "sweep lost a rule: unique ('id',)",
            ],
        ),
        ("ALTER TABLE sweep RENAME COLUMN full_at TO x", ["sweep.full_at is gone"]),
        ("CREATE UNIQUE INDEX x ON sweep (began_at)", ["sweep has a new rule: unique ('began_at',)"]),
    ],
)
def test_a_column_or_table_that_a_step_takes_is_found(engine, change, said):
    before = expansion.read(engine)
    with engine.begin() as connection:
        connection.exec_driver_sql(change)
    assert expansion.taken(before, expansion.read(engine)) == sorted(said)


def test_a_constraint_that_a_step_adds_is_found():
    before = expansion.Schema({("a", "x"): ("TEXT", True, False)}, frozenset(), frozenset())
    after = expansion.Schema(
        {("a", "x"): ("INTEGER", False, False), ("a", "y"): ("TEXT", False, False)},
        frozenset(),
        frozenset({("a", "x > 1")}),
    )
    assert expansion.taken(before, after) == [
        "a has a new rule: x > 1",
        "a.x must not be null any more",
        "a.x was TEXT and is INTEGER",
        "a.y is new, and whoever does not know it cannot insert",
    ]


def stand_at(engine, revision, oldest):
    """The database as a later release would leave it."""
    migrations.upgrade(engine)
    with engine.begin() as connection:
        connection.exec_driver_sql(f"UPDATE alembic_version SET version_num = '{revision}'")
        connection.exec_driver_sql(f"UPDATE schema_floor SET oldest = '{oldest}'")


@pytest.mark.slow
@pytest.mark.from_nothing
def test_a_newer_schema_says_whether_this_release_may_run(empty):
    assert migrations.problem(empty) == migrations.OLDER
    migrations.upgrade(empty, "0015")
    assert migrations.problem(empty) == migrations.OLDER
    stand_at(empty, "9001", migrations.newest())
    assert migrations.problem(empty) is None
    migrations.upgrade(empty)
    assert migrations.current(empty) == "9001"

    stand_at(empty, "9002", "9001")
    assert migrations.problem(empty) == migrations.NEWER


@pytest.mark.from_nothing
def test_the_oldest_release_is_that_of_the_last_contraction(empty):
    migrations.upgrade(empty)
    modules = [step.module for step in steps()]
    with empty.connect() as connection:
        written = connection.exec_driver_sql("SELECT id, oldest FROM schema_floor").all()
    assert written == [(1, migrations.oldest(modules))]

    expand = SimpleNamespace(kind="expand")
    contracted = [SimpleNamespace(kind="contract", oldest=revision) for revision in ("0019", "0017")]
    assert migrations.oldest([expand]) == RULE_FROM
    assert migrations.oldest([SimpleNamespace(), *contracted, expand]) == "0019"
