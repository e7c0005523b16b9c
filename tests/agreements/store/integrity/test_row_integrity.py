"""Rows compared with the newest log entries: changed, removed, added, or there although deleted."""

from datetime import UTC, datetime

import pytest
from sqlmodel import SQLModel

from agreements import ledger
from agreements.ledger import RowChange, rows_text
from agreements.store.integrity.row_integrity import LoggedRows
from agreements.store.ledger import stored_ledger
from agreements.store.tables.ledger_records import LedgerEntry
from agreements.store.tables.records import Campaign, Erasure, ReleasedText
from agreements.vault import place

CAMPAIGNS, TEXTS, ERASURES = (SQLModel.metadata.tables[name] for name in ("campaign", "released_text", "erasure"))


@pytest.fixture(name="rows")
def _rows(session, at):
    """Three campaigns in the database."""
    made = [
        Campaign(id=f"c{number}", agreement="icla", version="2.0", until=at, started_at=at, started_by=9)
        for number in range(3)
    ]
    session.add_all(made)
    session.flush()
    return made


def entry(number, *rows):
    """An entry of the log that names those rows."""
    return LedgerEntry(
        number=number, id=f"e{number}", at=datetime(2026, 5, 1, tzinfo=UTC), kind="campaign.started", actor_id=9,
        subject_kind="server", subject_id="server", rows=rows_text(rows), commitment="", detail=b"",
    )  # fmt: skip


def compared(session, vault, *words, table=CAMPAIGNS):
    """What is found when these entries (number, row) are all of the log; and how many rows were looked at."""
    point = session.begin_nested()
    session.add_all([entry(number, row) for number, row in words])
    session.flush()
    named = LoggedRows(session.connection(), vault)
    named.take()
    count = named.compare(table, lambda _rows: None)
    named.end()
    point.rollback()
    return count, named.wrong, named.first


def test_rows_that_are_as_the_newest_entry_wrote_them_are_right(session, vault, rows):
    words = [(number, stored_ledger.written(row)) for number, row in enumerate(rows, 1)]

    assert compared(session, vault, (0, RowChange("campaign", "c0", "old")), *words)[:2] == (3, 0)


def test_changed_removed_added_and_undeleted_rows_are_told_with_the_first_entry(session, vault, rows):
    words = [
        (4, RowChange("campaign", "c0", "another hash")),
        (3, RowChange("campaign", "c1", None)),
        (5, RowChange("campaign", "c9", "hash")),
    ]
    count, wrong, first = compared(session, vault, *words)

    assert (count, wrong) == (3, 4)
    assert first == (False, 3, "the row campaign c1 that it says was deleted is there")
    assert compared(session, vault, *words[:1])[2] == (False, 4, "the row campaign c0 that it names was changed")
    assert compared(session, vault, *words[2:])[2] == (False, 5, "the row campaign c9 that it names was removed")
    assert compared(session, vault)[2] == (True, 0, "the row campaign c0 was added: no entry names it")


def test_a_row_with_a_key_of_several_columns_is_named_by_all_of_them(session, vault, at):
    row = ReleasedText(
        name="icla", version="3.0", language="zh", source="文", sha256="x", released_at=at, released_by=9
    )
    session.add(row)
    session.flush()

    assert compared(session, vault, (0, stored_ledger.written(row)), table=TEXTS)[:2] == (1, 0)


def test_the_presence_of_a_sealed_reason_is_hashed_and_its_bytes_are_not(session, vault, at):
    row = Erasure(id="e", account_id=5, asked_at=at, state="restricted")
    row.reason = vault.encrypt_for_server(b"claims", place("erasure", "reason", "e"))
    session.add(row)
    session.flush()
    columns = stored_ledger.columns(row)
    before = ledger.row_hash({name: value for name, value in columns.items() if name != "reason"})

    assert columns["reason"] is True
    assert compared(session, vault, (0, stored_ledger.written(row)), table=ERASURES)[:2] == (1, 0)
    assert compared(session, vault, (0, RowChange("erasure", "e", before)), table=ERASURES)[:2] == (1, 0)
    word, row.reason = stored_ledger.written(row), None
    session.flush()
    assert compared(session, vault, (0, word), table=ERASURES)[2] == (
        False, 0, "the row erasure e that it names was changed",
    )  # fmt: skip
