"""The database spells a row as the log does; rows that differ are never spelled alike."""

from datetime import UTC, datetime

import pytest
from sqlalchemy import select, text
from sqlmodel import SQLModel

from agreements import ledger
from agreements.store.ledger.row_serialization import spelled
from agreements.store.tables.company_records import CompanyEntry
from agreements.store.tables.declarations import LoggedColumns

TABLE = SQLModel.metadata.tables["company_entry"]
ODD = [
    "", " ", "爱达 𠮷", 'quote " and back\\slash /', "\x01\x08\t\n\x0b\x0c\r\x1b\x1f\x7f", "\u2028\u00e9e\u0301\ufeff",
    "null", "{}", "\\u0041", "é" * 300,
]  # fmt: skip


@pytest.fixture(name="written")
def _written(session, at):
    """Writes an entry of a company with these values; gives it back."""
    session.execute(
        text(
            "INSERT INTO company (id, name, agreement, version, signed_at, wrapped_key, ring_key_id)"
            " VALUES ('c', 'H', 'ccla', '2.0', :at, :key, 'k1')"
        ),
        {"at": "2026-01-01 00:00:00.000000", "key": b"w"},
    )

    def write(**values):
        values = {"kind": "email", "excluded": False, "subdomains": True, "email": b"x", "added_at": at} | values
        values.setdefault("email_index", b"i")
        row = CompanyEntry(id="e", company_id="c", **values)
        session.add(row)
        session.flush()
        return row

    return write


def now(session):
    """How the database spells the row."""
    declared = LoggedColumns(frozenset(TABLE.c.keys()))
    return session.execute(select(spelled(TABLE, declared, session.get_bind().dialect.name))).scalar_one()


@pytest.mark.parametrize("word", ODD)
def test_any_text_is_spelled_as_the_log_spells_it(session, written, word):
    row = written(login=word)

    assert now(session).encode() == ledger.canonical(row.model_dump())


@pytest.mark.parametrize(
    "values",
    [
        {"email": b"", "email_index": bytes(range(256))},
        {"since": datetime(1, 1, 1, tzinfo=UTC), "until": datetime(9999, 12, 31, 23, 59, 59, 999999, tzinfo=UTC)},
        {"since": datetime(2026, 5, 1, 12, 0, 0, 10, tzinfo=UTC), "added_by": 0},
        {"excluded": True, "subdomains": False, "added_by": 2**63 - 1},
    ],
)
def test_bytes_moments_booleans_numbers_and_nulls_are_spelled_as_the_log_spells_them(session, written, values):
    row = written(**values)

    assert now(session).encode() == ledger.canonical(row.model_dump())


@pytest.mark.sqlite_alone  # PostgreSQL refuses them
@pytest.mark.parametrize(
    "change",
    [
        "login = CAST(login AS BLOB)",
        "login = login || char(0)",
        "login = X'ab'",
        "email = lower(hex(email))",
        "email = 'ab'",
        "added_by = NULL",
        "subdomains = 7",
        "subdomains = 'true'",
        "added_by = 5.5",
        "added_by = CAST('5' AS BLOB)",
        "since = substr(since, 1, 10) || 'T' || substr(since, 12)",
        "since = since || char(0) || 'x'",
        "since = substr(since, 1, 19) || char(0) || substr(since, 21)",
        "since = CAST(since AS BLOB)",
        "since = substr(since, 1, 10) || 'T' || substr(since, 12) || '+00:00'",
        "until = ''",
        "until = X''",
    ],
)
def test_every_value_of_another_kind_that_sqlite_keeps_makes_a_difference(session, written, change):
    written(login="ab", email=b"\xab", added_by=5, since=datetime(2026, 5, 1, tzinfo=UTC))
    before = now(session)
    session.execute(text("PRAGMA ignore_check_constraints = 1"))
    session.execute(text(f"UPDATE company_entry SET {change}"))

    assert now(session) != before


@pytest.mark.parametrize("database_url", ["postgres"], indirect=True)  # SQLite keeps none of them as a moment
@pytest.mark.parametrize(
    "change",
    [
        "since = (since::timestamp::text || ' BC')::timestamp",
        "since = 'infinity'",
        "until = 'infinity'",
        "until = '-infinity'",
        "until = '10000-01-01'",
    ],
)
def test_every_moment_outside_the_calendar_that_postgresql_keeps_makes_a_difference(session, written, change):
    written(since=datetime(2026, 5, 1, tzinfo=UTC))
    before = now(session)
    session.execute(text(f"UPDATE company_entry SET {change}"))

    assert now(session) != before
