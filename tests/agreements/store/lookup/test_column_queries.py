"""A look-up past the mapper sees what the session has not written yet, and gives values as the columns have them."""

from datetime import UTC, timedelta, timezone

import pytest
from sqlalchemy import String, bindparam, func
from sqlalchemy import select as select_columns
from sqlalchemy.exc import DBAPIError, StatementError
from sqlmodel import col, select

from agreements.store.lookup import column_queries
from agreements.store.tables.columns import Moment
from agreements.store.tables.records import Campaign, PersonRecord


def test_what_is_pending_is_seen(session, at):
    """Like any other look-up of the session."""
    session.add(Campaign(id="c1", agreement="icla", version="2.0", until=at, started_at=at, started_by=9))
    found = column_queries.rows(session, select(Campaign.id, Campaign.until).where(col(Campaign.started_by) == 9), {})

    assert [tuple(row) for row in found] == [("c1", at)]


def test_values_are_the_columns_own(session, at):
    """In and out: a moment in another zone is the same moment and comes out in UTC, bytes are bytes, what is missing is None."""
    session.add(
        PersonRecord(
            id="p1", account_id=1, login="ada", login_since=at, wrapped_key=b"\x00k", ring_key_id="k", created_at=at
        )
    )
    here = timezone(timedelta(hours=8))
    query = select_columns(
        col(PersonRecord.created_at), col(PersonRecord.wrapped_key), col(PersonRecord.erased_at)
    ).where(col(PersonRecord.created_at) == bindparam("at", type_=Moment()))

    assert [tuple(row) for row in column_queries.rows(session, query, {"at": at.astimezone(here)})] == [
        (at, b"\x00k", None)
    ]
    assert next(iter(column_queries.rows(session, query, {"at": at})))[0].tzinfo is UTC
    with pytest.raises((ValueError, StatementError), match="time zone"):
        column_queries.rows(session, query, {"at": at.replace(tzinfo=None)})


def test_what_the_database_refuses(session):
    """It is the error of any other look-up; what was asked for stands nowhere in it."""
    query = select_columns(col(PersonRecord.id)).where(func.no_such_function(bindparam("who", type_=String())) == 1)

    with pytest.raises(DBAPIError, match="no_such_function") as refused:
        column_queries.rows(session, query, {"who": "ada@home.example"})
    assert "ada" not in str(refused.value)


def test_among(session, at):
    """One of some values, or none of them: the same answer in either database, and the same query again."""
    for number in (1, 2, 3):
        session.add(
            Campaign(id=f"c{number}", agreement="icla", version="2.0", until=at, started_at=at, started_by=number)
        )
    query = select(Campaign.id).where(
        column_queries.among(column_queries.dialect(session), col(Campaign.started_by), "who")
    )

    assert [
        sorted(row[0] for row in column_queries.rows(session, query, {"who": who})) for who in ([1, 3], [2], [7], [])
    ] == [
        ["c1", "c3"],
        ["c2"],
        [],
        [],
    ]
