"""Rows are serialized exactly as they are kept: SQLite keeps any spelling, and one spelling is accepted."""

import pytest
from sqlalchemy import select, text
from sqlmodel import SQLModel

from agreements import ledger
from agreements.store.ledger.row_serialization import NotUtf8, StoredColumns, read
from agreements.store.tables.company_records import CompanyEntry

TABLE = SQLModel.metadata.tables["company_entry"]


@pytest.fixture(name="stored")
def _stored(session, vault, at, fresh):
    """One entry of a company, and what reads it as it is now."""
    key = {"name": "H", "agreement": "ccla", "version": "2.0", "wrapped_key": b"w", "ring_key_id": "k1"}
    session.execute(
        text(
            "INSERT INTO company (id, name, agreement, version, signed_at, wrapped_key, ring_key_id)"
            " VALUES ('c', :name, :agreement, :version, :at, :wrapped_key, :ring_key_id)"
        ),
        {**key, "at": "2026-01-01 00:00:00.000000"},
    )
    row = CompanyEntry(
        id="e", company_id="c", kind="account", excluded=False, subdomains=True, account_id=5, added_at=at
    )
    session.add(row)
    session.flush()
    stored = StoredColumns(TABLE, session.get_bind().dialect.name)
    return lambda: [stored.values(record) for record in read(session.connection(), select(*stored.wanted))], row


def test_a_row_reads_as_it_was_written_on_both_databases(stored):
    now, row = stored

    assert [ledger.canonical(record) for record in now()] == [ledger.canonical(row.model_dump())]


CHANGES = [
    "added_at = '2026-01-01!00:00:00.000000'", "added_at = 'soon'", "added_at = added_at || char(0)",
    "added_at = CAST(added_at AS BLOB)", "subdomains = 3", "kind = CAST(kind AS BLOB)", "email_index = 'text'",
]  # fmt: skip
"""What SQLite would let pass for the same moment, for true, or for the same bytes."""


@pytest.mark.sqlite_alone  # PostgreSQL keeps values, not their spelling
@pytest.mark.parametrize("change", CHANGES)
def test_another_spelling_of_a_value_is_refused_or_reads_as_a_difference(session, stored, change):
    now, row = stored
    session.execute(text("PRAGMA ignore_check_constraints = 1"))
    session.execute(text(f"UPDATE company_entry SET {change}"))
    try:
        found = ledger.canonical(now()[0])
    except (TypeError, ValueError):
        return
    assert found != ledger.canonical(row.model_dump())
    assert b"added_at" in found


@pytest.mark.sqlite_alone  # PostgreSQL refuses them
def test_bytes_that_are_not_utf8_in_a_text_column_are_refused(session, stored):
    session.execute(text("PRAGMA ignore_check_constraints = 1"))
    session.execute(text("UPDATE company_entry SET kind = CAST(X'ff' AS TEXT)"))
    with pytest.raises(NotUtf8):
        stored[0]()
