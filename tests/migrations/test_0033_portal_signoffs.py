"""Step 0033 adds an empty table of sign-offs beside the rows that are there; of its rows only the end is written later."""

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError
from sqlmodel import SQLModel

import migrations
from agreements.store.tables.records import PortalSignoffRecord
from tests.migrations.test_0005_overrides import PULL, write

pytestmark = pytest.mark.from_step("0032")

TABLE, NOW = PortalSignoffRecord.__tablename__, "2026-01-01 00:00:00+00:00"
PERSON = (
    "INSERT INTO person (id, account_id, login, login_since, wrapped_key, ring_key_id, created_at)"
    " VALUES ('p1', 11, 'ada', :now, :key, 'k1', :now)"
)
ROW = {
    "id": "s1", "person_id": "p1", "account_id": 2**40, "repository_id": 70, "number": 7, "shas": "a b", "text_sha256": "t",
    "statement_id": "s", "statement_sha256": "h", "language": "en", "identity_proof": "g", "signed_at": NOW, "evidence": b"e",
}  # fmt: skip
INSERT = f"INTO {TABLE} ({', '.join(ROW)}) VALUES ({', '.join(':' + name for name in ROW)})"


@pytest.fixture(name="engine")
def _engine(engine):
    """A database of the release before with a person and a pull request, brought to this step, with one sign-off."""
    write(engine, PULL)
    write(engine, PERSON, now=NOW, key=b"k")
    migrations.upgrade(engine, "0033")
    write(engine, f"INSERT {INSERT}", **ROW)
    return engine


@pytest.mark.slow
def test_rows_are_kept_and_the_table_is_that_of_the_records(engine):
    migrations.upgrade(engine)

    def only(_thing, name, kind, _reflected, _other):
        return kind != "table" or name == TABLE

    with engine.connect() as connection:
        counts = [
            connection.execute(text(f"SELECT count(*) FROM {table}")).scalar_one() for table in ("pull", "person")
        ]
        context = MigrationContext.configure(connection, opts={"include_object": only, "compare_type": True})
        assert (counts, compare_metadata(context, SQLModel.metadata)) == ([1, 1], [])


@pytest.mark.parametrize("column", [name for name in ROW if name != "evidence"])
def test_what_was_signed_never_changes(engine, column):
    with pytest.raises(DBAPIError, match="rows never change"):
        write(engine, f"UPDATE {TABLE} SET {column} = {column}")


@pytest.mark.parametrize(
    "statement", [f"DELETE FROM {TABLE}", f"UPDATE {TABLE} SET evidence = :evidence", f"INSERT OR REPLACE {INSERT}"]
)
def test_a_sign_off_is_neither_removed_nor_replaced(engine, statement):
    values = {name: value for name, value in ROW.items() if f":{name}" in statement}
    with pytest.raises(DBAPIError):
        write(engine, statement, **values)


def test_a_sign_off_ends_once(engine):
    write(engine, f"UPDATE {TABLE} SET revoked_at = :now", now=NOW)
    with pytest.raises(DBAPIError, match="rows never change"):
        write(engine, f"UPDATE {TABLE} SET revoked_at = NULL")


def test_a_sign_off_needs_its_person(engine):
    with pytest.raises(DBAPIError, match=r"(?i)foreign key"):
        write(engine, f"INSERT {INSERT}", **{**ROW, "id": "s2", "person_id": "p2"})
