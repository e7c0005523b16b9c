"""A value takes the columns of its own fields, and nothing else."""

from dataclasses import dataclass
from threading import Event, Thread

import pytest
from sqlmodel import col, select

from agreements.store.companies import companies
from agreements.store.companies.companies import CompanyDraft
from agreements.store.lookup import rows
from agreements.store.lookup.rows import from_row
from agreements.store.tables.company_records import CompanyRecord
from agreements.store.tables.records import Erasure


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """Two columns, one of them shown otherwise than it is stored, and a field that is no column."""

    state: str
    reason: str = ""
    open: bool


def test_columns_by_name(at):
    """What is given beside the row goes before the column of that name: sealed bytes never get there."""
    row = Erasure(id="e1", account_id=7, asked_at=at, state="asked", reason=b"sealed")

    assert from_row(Shown, row, reason="why", open=True) == Shown(state="asked", reason="why", open=True)


def test_a_field_without_a_column(at):
    """Is an error, never silently something else."""
    row = Erasure(id="e1", account_id=7, asked_at=at, state="asked")

    with pytest.raises(TypeError, match="open"):
        from_row(Shown, row)


C1 = col(CompanyRecord.id) == "c1"


@pytest.fixture(name="one", autouse=True)
def _one(sessions, vault, at):
    """A company."""
    with sessions() as session:
        companies.add(
            session,
            vault,
            CompanyDraft(party="The CANN Authors", name="old", agreement="ccla", version="2.0", signed_at=at),
            new_id="c1",
        )


def test_the_second_waits_and_sees_what_the_first_did(sessions):
    """On both databases."""
    mine, seen = Event(), []

    def second():
        mine.wait(10)
        with sessions() as session:
            seen.append(rows.locked(session, CompanyRecord, C1).name)

    other = Thread(target=second)
    other.start()
    with sessions() as session:
        row = rows.locked(session, CompanyRecord, C1)
        mine.set()
        other.join(0.3)
        assert seen == []
        row.name = "new"
        session.add(row)
    other.join(10)

    assert seen == ["new"]


def test_nothing_is_written(sessions):
    """PostgreSQL keeps the very same row; on SQLite no row is touched."""
    with sessions() as session:
        on_postgres = session.get_bind().dialect.name == "postgresql"
        before = session.connection().exec_driver_sql("SELECT xmin FROM company").scalar() if on_postgres else 0
    with sessions() as session:
        raw = session.connection().connection.dbapi_connection
        changes = 0 if on_postgres else raw.total_changes
        rows.locked(session, CompanyRecord, C1)
        after = 0 if on_postgres else raw.total_changes
    with sessions() as session:
        now = session.connection().exec_driver_sql("SELECT xmin FROM company").scalar() if on_postgres else 0

    assert (now, after) == (before, changes)


def test_there_may_be_none(sessions):
    """Then there is nothing to wait for."""
    with sessions() as session:
        assert rows.locked(session, CompanyRecord, col(CompanyRecord.id) == "c2") is None
        assert session.exec(select(CompanyRecord.id)).all() == ["c1"]
