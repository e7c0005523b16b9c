"""Step 0001: its tables equal the records, rows written then survive every later step, and evidence cannot be changed."""

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import MetaData, inspect, select, text
from sqlalchemy.exc import DBAPIError
from sqlmodel import SQLModel

import agreements.store.tables.records  # noqa: F401 - importing registers the tables
import migrations

pytestmark = pytest.mark.from_step("0001")

OURS = {"person", "signature", "withdrawal", "company", "company_entry", "proof"}
AT = "2026-01-01 00:00:00+00:00"


def fill(engine):
    """One row in each table, written without our models: the step's own columns."""
    person = {"id": "p1", "account_id": 2**40, "login": "ada", "wrapped_key": b"w", "ring_key_id": "k1"}
    signature = {
        "id": "s1", "person_id": "p1", "account_id": 2**40, "login": "ada", "agreement": "icla", "version": "2.0",
        "language": "en", "source_sha256": "a", "shown_sha256": "b", "statement_id": "c", "statement_sha256": "d",
        "identity_proof": "github-oauth", "receipt": "R1", "evidence": b"e",
    }  # fmt: skip
    company = {
        "id": "c1",
        "name": "Huawei",
        "agreement": "ccla",
        "version": "2.0",
        "wrapped_key": b"w",
        "ring_key_id": "k1",
    }
    entry = {
        "id": "e1",
        "company_id": "c1",
        "kind": "domain",
        "excluded": False,
        "domain": "huawei.com",
        "subdomains": True,
    }
    proof = {
        "id": "q1",
        "person_id": "p1",
        "account_id": 2**40,
        "address": b"a",
        "address_index": b"i",
        "how": "mailed-code",
    }
    with engine.begin() as connection:
        insert(connection, "person", person, ("login_since", "created_at"))
        insert(connection, "signature", signature, ("signed_at",))
        insert(connection, "withdrawal", {"signature_id": "s1", "by_account_id": 7}, ("at",))
        insert(connection, "company", company, ("signed_at",))
        insert(connection, "company_entry", entry, ("added_at",))
        insert(connection, "proof", proof, ("at",))


def insert(connection, table, values, moments):
    values = values | dict.fromkeys(moments, AT)
    names = ", ".join(values)
    connection.execute(
        text(f"INSERT INTO {table} ({names}) VALUES ({', '.join(':' + name for name in values)})"), values
    )


def rows(engine):
    """Every row of our tables as the database has it now, columns of 0001 only."""
    held = MetaData()
    held.reflect(engine, only=OURS)
    with engine.connect() as connection:
        return {name: [dict(row._mapping) for row in connection.execute(select(held.tables[name]))] for name in OURS}


@pytest.mark.slow
def test_the_tables_equal_the_records(engine):
    migrations.upgrade(engine)

    def ours(_thing, name, kind, _reflected, _other):
        return kind != "table" or name in OURS

    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"include_object": ours, "compare_type": True})
        assert compare_metadata(context, SQLModel.metadata) == []


@pytest.mark.slow
def test_a_missing_column_is_found(engine):
    migrations.upgrade(engine)
    with engine.begin() as connection:
        connection.execute(text("ALTER TABLE proof DROP COLUMN how"))
    with engine.connect() as connection:
        context = MigrationContext.configure(connection)
        found = [change for change in compare_metadata(context, SQLModel.metadata) if change[0] == "add_column"]
    assert [(change[2], change[3].name) for change in found] == [("proof", "how")]


@pytest.mark.slow
def test_rows_of_this_step_are_there_at_the_newest_schema(engine):
    fill(engine)
    before = rows(engine)
    migrations.upgrade(engine)
    after = rows(engine)
    assert migrations.current(engine) == migrations.newest()
    for name in OURS:
        assert len(before[name]) == 1
        assert before[name][0].items() <= after[name][0].items()


@pytest.mark.slow
@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE signature SET version = '9.9'",
        "UPDATE signature SET evidence = NULL WHERE id = 's1'",
        "DELETE FROM signature",
        "UPDATE withdrawal SET by_account_id = 8",
        "DELETE FROM withdrawal WHERE signature_id = 's1'",
    ],
)
def test_evidence_cannot_be_changed(engine, statement):
    fill(engine)
    before = rows(engine)
    for step in ("0001", "head"):
        migrations.upgrade(engine, step)
        with pytest.raises(DBAPIError, match="rows never change"), engine.begin() as connection:
            connection.execute(text(statement))
    assert {name: len(found) for name, found in rows(engine).items()} == dict.fromkeys(OURS, 1)
    assert rows(engine)["signature"][0].items() >= before["signature"][0].items()


@pytest.mark.parametrize("table", ["signature", "withdrawal"])
def test_evidence_cannot_be_emptied_or_replaced(engine, table):
    """TRUNCATE on PostgreSQL and REPLACE on SQLite are ways around DELETE."""
    fill(engine)
    if engine.dialect.name == "sqlite":
        statement = f"INSERT OR REPLACE INTO {table} SELECT * FROM {table}"
    else:
        statement = f"TRUNCATE {table} CASCADE"
    with pytest.raises(DBAPIError, match="rows never change"), engine.begin() as connection:
        connection.execute(text(statement))


def test_no_unique_index_is_on_personal_data(engine):
    """PostgreSQL prints the values of a violated unique index."""
    unique = {
        tuple(index["column_names"]) for name in OURS for index in inspect(engine).get_indexes(name) if index["unique"]
    }
    assert unique == {("account_id",), ("receipt",)}


@pytest.mark.parametrize(
    "change",
    [
        "kind = 'email'",
        "domain = NULL",
        "account_id = 7",
        "kind = 'account', domain = NULL",
    ],
)
def test_an_entry_has_exactly_one_key(engine, change):
    fill(engine)
    with pytest.raises(DBAPIError, match="company_entry_has_one_key"), engine.begin() as connection:
        connection.execute(text(f"UPDATE company_entry SET {change}"))
