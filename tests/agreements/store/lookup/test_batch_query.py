"""Several questions at once give what each gives alone, in the values and with the errors of any other look-up."""

from datetime import UTC, timedelta, timezone

import pytest
from sqlalchemy import String, bindparam, func, select, text
from sqlalchemy.exc import DBAPIError
from sqlmodel import col

from agreements.store.lookup import column_queries
from agreements.store.lookup.column_queries import BatchQuery
from agreements.store.tables.columns import Moment
from agreements.store.tables.records import Campaign, PersonRecord
from bot import db

PEOPLE = select(
    col(PersonRecord.id), col(PersonRecord.wrapped_key), col(PersonRecord.created_at), col(PersonRecord.erased_at)
).where(col(PersonRecord.created_at) == bindparam("at", type_=Moment()))
CAMPAIGNS = select(col(Campaign.started_by), col(Campaign.until), col(Campaign.id), col(Campaign.started_at))


@pytest.fixture(name="filled")
def _filled(session, at):
    """A person and two campaigns."""
    session.add(
        PersonRecord(
            id="p1", account_id=1, login="ada", login_since=at, wrapped_key=b"\x00k", ring_key_id="k", created_at=at
        )
    )
    for number in (1, 2):
        until = at + timedelta(days=number)
        fields = {"agreement": "icla", "version": "2.0", "until": until, "started_at": at, "started_by": number}
        session.add(Campaign(id=f"c{number}", **fields))
    session.flush()


def test_each_question_has_its_own_rows(session, at, filled):
    """Though their columns share places; the same object asks again."""
    both = BatchQuery(PEOPLE, CAMPAIGNS)
    for _ in range(3):
        people, campaigns = both.rows(session.connection(), {"at": at})

        assert [tuple(row) for row in people] == [("p1", b"\x00k", at, None)]
        assert sorted(tuple(row) for row in campaigns) == [
            (1, at + timedelta(days=1), "c1", at),
            (2, at + timedelta(days=2), "c2", at),
        ]
    assert both.rows(session.connection(), {"at": at + timedelta(days=1)})[0] == []


def test_one_question_alone(session, at, filled):
    """A moment in another zone is the same moment; what comes out is in UTC, and bytes are bytes."""
    (people,) = BatchQuery(PEOPLE).rows(session.connection(), {"at": at.astimezone(timezone(timedelta(hours=8)))})

    assert people[0][2].tzinfo is UTC
    assert type(people[0][1]) is bytes


def test_lists_of_values(session, at, filled):
    """One of some, or none of them, as in a question of its own."""
    query = CAMPAIGNS.where(column_queries.among(column_queries.dialect(session), col(Campaign.started_by), "who"))
    asked = BatchQuery(query, PEOPLE)

    assert [
        sorted(row[2] for row in asked.rows(session.connection(), {"who": who, "at": at})[0])
        for who in ([1, 2], [2], [7], [])
    ] == [["c1", "c2"], ["c2"], [], []]


def test_what_the_database_refuses(session):
    """It is the error of any other look-up; what was asked for stands nowhere in it."""
    query = select(col(PersonRecord.id), col(PersonRecord.login)).where(
        func.no_such_function(bindparam("who", type_=String())) == 1
    )

    with pytest.raises(DBAPIError, match="no_such_function") as refused:
        BatchQuery(query).rows(session.connection(), {"who": "ada@home.example"})
    assert "ada" not in str(refused.value)


def test_a_server_that_went_away(postgres_url, at):
    """The error says so, and the connection that broke is not given to anybody else."""
    engine, other = db.open_engine(postgres_url), db.open_engine(postgres_url)
    asked = BatchQuery(PEOPLE)
    with engine.connect() as connection:
        asked.rows(connection, {"at": at})
        pid = connection.execute(text("SELECT pg_backend_pid()")).scalar()
        with other.connect() as attacker:
            attacker.execute(text("SELECT pg_terminate_backend(:pid)"), {"pid": pid})
        with pytest.raises(DBAPIError) as lost:
            asked.rows(connection, {"at": at})

    assert lost.value.connection_invalidated
    with engine.connect() as connection:
        assert asked.rows(connection, {"at": at}) == ([],)
    engine.dispose()
    other.dispose()
