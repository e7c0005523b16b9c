"""Whoever has their turn keeps others from the row until they are done, and has written nothing by it."""

from threading import Event, Thread

import pytest
from sqlmodel import col, select

from agreements.store.companies import companies
from agreements.store.companies.companies import CompanyDraft
from agreements.store.lookup import row_lock
from agreements.store.tables.company_records import CompanyRecord

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
            seen.append(row_lock.row(session, CompanyRecord, C1).name)

    other = Thread(target=second)
    other.start()
    with sessions() as session:
        row = row_lock.row(session, CompanyRecord, C1)
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
        row_lock.row(session, CompanyRecord, C1)
        after = 0 if on_postgres else raw.total_changes
    with sessions() as session:
        now = session.connection().exec_driver_sql("SELECT xmin FROM company").scalar() if on_postgres else 0

    assert (now, after) == (before, changes)


def test_there_may_be_none(sessions):
    """Then there is nothing to wait for."""
    with sessions() as session:
        assert row_lock.row(session, CompanyRecord, col(CompanyRecord.id) == "c2") is None
        assert session.exec(select(CompanyRecord.id)).all() == ["c1"]
