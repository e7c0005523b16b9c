"""Step 0009 adds what the audit remembers beside rows that are there already."""

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import inspect, text
from sqlalchemy.exc import DBAPIError
from sqlmodel import SQLModel

import migrations

pytestmark = pytest.mark.from_step("0008")

DAY = "2026-11-22 03:00:00+00:00"
TABLES = {
    "audit_account": {"owner_id": 7, "login": "cann", "began_at": DAY, "job_id": "j", "repositories": 1,
                      "violations": 0, "why": ""},
    "audit_repository": {"repository_id": 2**40, "owner_id": 7, "installation_id": 5, "owner": "cann", "name": "ops",
                         "node": "R_1", "branch": "main", "private": False, "archived": False, "fork": False,
                         "looked_at": DAY, "fingerprint": "", "report": "", "why": ""},
    "audit_sealed": {"id": "facts/7", "sealed": b"s", "wrapped_key": b"w", "ring_key_id": "k1"},
    "audit_blob": {"repository_id": 2**40, "sha": "a" * 40},
    "audit_page": {"owner_id": 7, "name": "report.json", "digest": "d", "made_at": DAY},
    "audit_night": {"id": "n", "owner_id": 7, "at": DAY, "changes": 1, "violations": 1, "mended": 0},
    "audit_post": {"repository_id": 2**40, "kind": "issue", "digest": "", "intended_at": DAY},
}  # fmt: skip


@pytest.fixture(name="engine")
def _engine(engine):
    """A database of the step before, with an owner, brought to this step, with a row in each table."""
    assert not [name for name in inspect(engine).get_table_names() if name.startswith("audit_")]
    write(engine, "owner", {"account_id": 7, "login": "cann"})
    migrations.upgrade(engine, "0009")
    for table, row in TABLES.items():
        write(engine, table, row)
    return engine


def write(engine, table, row):
    """One row, in a transaction of its own."""
    names = ", ".join(f'"{name}"' for name in row)
    with engine.begin() as connection:
        connection.execute(text(f"INSERT INTO {table} ({names}) VALUES ({', '.join(f':{name}' for name in row)})"), row)


@pytest.mark.slow
def test_rows_are_kept_through_every_later_step(engine):
    migrations.upgrade(engine)
    with engine.connect() as connection:
        for table in ("owner", *TABLES):
            assert connection.execute(text(f"SELECT count(*) FROM {table}")).scalar() == 1, table
        held = connection.execute(text("SELECT sealed, ring_key_id FROM audit_sealed")).one()
    assert (bytes(held.sealed), held.ring_key_id) == (b"s", "k1")


@pytest.mark.slow
def test_the_tables_are_those_of_the_records(engine):
    migrations.upgrade(engine)

    def only(_thing, name, kind, _reflected, _other):
        return kind != "table" or name in TABLES

    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"include_object": only, "compare_type": True})
        assert compare_metadata(context, SQLModel.metadata) == []


@pytest.mark.parametrize("table", TABLES)
def test_a_key_stands_once(engine, table):
    with pytest.raises(DBAPIError, match=r"(?i)unique"):
        write(engine, table, TABLES[table])


@pytest.mark.parametrize("column", ["sealed", "wrapped_key", "ring_key_id"])
def test_nothing_is_kept_unsealed(engine, column):
    with pytest.raises(DBAPIError, match=r"(?i)null"):
        write(engine, "audit_sealed", {**TABLES["audit_sealed"], "id": "facts/8", column: None})
