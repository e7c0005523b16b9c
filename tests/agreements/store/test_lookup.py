"""Queries are never built with a missing or empty key; queries past the mapper agree with it; locks hold."""

from dataclasses import dataclass
from datetime import UTC, timedelta, timezone
from threading import Event, Thread

import pytest
from sqlalchemy import String, bindparam, func, select, text
from sqlalchemy.exc import DBAPIError, StatementError
from sqlmodel import col

from agreements.store import lookup
from agreements.store.lookup import (
    MAX_KEYS_PER_QUERY,
    BatchQuery,
    account_chunks,
    account_key,
    byte_chunks,
    canonical_key,
    from_row,
    text_chunks,
    text_key,
)
from agreements.store.tables.columns import Moment
from agreements.store.tables.company_records import CompanyRecord
from agreements.store.tables.records import Campaign, Erasure, PersonRecord
from bot import db
from tests.agreements.store.company import add_company


@pytest.mark.parametrize("key", [None, 0, -1, True, "11", 1.0])
def test_an_account_key_is_a_positive_number(key):
    """None would become IS NULL, and True would become 1."""
    with pytest.raises(ValueError, match="needs an account id"):
        account_key(key)
    with pytest.raises(ValueError, match="needs an account id"):
        list(account_chunks([11, key]))


@pytest.mark.parametrize("key", [None, "", "  ", b"x"])
def test_a_text_key_is_not_empty(key):
    with pytest.raises(ValueError, match="not empty"):
        text_key(key)
    with pytest.raises(ValueError, match="not empty"):
        list(text_chunks(["a", key]))


@pytest.mark.parametrize("key", [None, b""])
def test_a_fingerprint_is_not_empty(key):
    with pytest.raises(ValueError, match="not empty"):
        list(byte_chunks([b"a", key]))


def test_keys_come_in_batches_each_once_and_in_order():
    lots = list(account_chunks([*range(1, 2 * MAX_KEYS_PER_QUERY + 2), 5, 5]))
    assert [len(lot) for lot in lots] == [MAX_KEYS_PER_QUERY, MAX_KEYS_PER_QUERY, 1]
    assert [key for lot in lots for key in lot] == list(range(1, 2 * MAX_KEYS_PER_QUERY + 2))
    assert list(account_chunks([])) == list(text_chunks(())) == list(byte_chunks(())) == []


def test_an_address_key_has_one_spelling():
    assert canonical_key("Ada@HUAWEI.com.") == "ada@huawei.com"
    with pytest.raises(ValueError, match="valid e-mail address") as caught:
        canonical_key("secret@@x.org")
    assert "secret" not in str(caught.value)


def test_pending_rows_are_found(session, at):
    session.add(Campaign(id="c1", agreement="icla", version="2.0", until=at, started_at=at, started_by=9))
    found = lookup.rows(session, select(Campaign.id, Campaign.until).where(col(Campaign.started_by) == 9), {})

    assert [tuple(row) for row in found] == [("c1", at)]


def test_values_go_in_and_out_as_their_columns_have_them(session, at):
    session.add(
        PersonRecord(
            id="p1", account_id=1, login="ada", login_since=at, wrapped_key=b"\x00k", ring_key_id="k", created_at=at
        )
    )
    here = timezone(timedelta(hours=8))
    query = select(col(PersonRecord.created_at), col(PersonRecord.wrapped_key), col(PersonRecord.erased_at)).where(
        col(PersonRecord.created_at) == bindparam("at", type_=Moment())
    )

    assert [tuple(row) for row in lookup.rows(session, query, {"at": at.astimezone(here)})] == [(at, b"\x00k", None)]
    assert next(iter(lookup.rows(session, query, {"at": at})))[0].tzinfo is UTC
    with pytest.raises((ValueError, StatementError), match="time zone"):
        lookup.rows(session, query, {"at": at.replace(tzinfo=None)})


def test_an_error_of_the_database_names_no_value(session):
    query = select(col(PersonRecord.id)).where(func.no_such_function(bindparam("who", type_=String())) == 1)

    with pytest.raises(DBAPIError, match="no_such_function") as refused:
        lookup.rows(session, query, {"who": "ada@home.example"})
    assert "ada" not in str(refused.value)


def test_among_finds_rows_with_one_of_the_values_on_both_databases(session, at):
    for number in (1, 2, 3):
        session.add(
            Campaign(id=f"c{number}", agreement="icla", version="2.0", until=at, started_at=at, started_by=number)
        )
    query = select(Campaign.id).where(lookup.among(lookup.dialect(session), col(Campaign.started_by), "who"))

    assert [sorted(row[0] for row in lookup.rows(session, query, {"who": who})) for who in ([1, 3], [2], [7], [])] == [
        ["c1", "c3"],
        ["c2"],
        [],
        [],
    ]


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


def test_each_query_of_a_batch_has_its_own_rows(session, at, filled):
    both = BatchQuery(PEOPLE, CAMPAIGNS)
    for _ in range(3):
        people, campaigns = both.rows(session.connection(), {"at": at})

        assert [tuple(row) for row in people] == [("p1", b"\x00k", at, None)]
        assert sorted(tuple(row) for row in campaigns) == [
            (1, at + timedelta(days=1), "c1", at),
            (2, at + timedelta(days=2), "c2", at),
        ]
    assert both.rows(session.connection(), {"at": at + timedelta(days=1)})[0] == []


def test_the_rows_of_a_batch_have_their_columns_names_and_may_have_one_alone(session, at, filled):
    ends = select(col(Campaign.until).label("end"))
    (person,), found = BatchQuery(PEOPLE, ends).rows(session.connection(), {"at": at})

    assert (person.id, person.wrapped_key, person.created_at, person.erased_at) == ("p1", b"\x00k", at, None)
    assert sorted(row.end for row in found) == [at + timedelta(days=1), at + timedelta(days=2)]


def test_a_batch_of_one_query_converts_values_like_their_columns(session, at, filled):
    (people,) = BatchQuery(PEOPLE).rows(session.connection(), {"at": at.astimezone(timezone(timedelta(hours=8)))})

    assert people[0][2].tzinfo is UTC
    assert type(people[0][1]) is bytes


def test_among_works_inside_a_batch(session, at, filled):
    query = CAMPAIGNS.where(lookup.among(lookup.dialect(session), col(Campaign.started_by), "who"))
    asked = BatchQuery(query, PEOPLE)

    assert [
        sorted(row[2] for row in asked.rows(session.connection(), {"who": who, "at": at})[0])
        for who in ([1, 2], [2], [7], [])
    ] == [["c1", "c2"], ["c2"], [], []]


def test_an_error_of_a_batch_names_no_value(session):
    query = select(col(PersonRecord.id), col(PersonRecord.login)).where(
        func.no_such_function(bindparam("who", type_=String())) == 1
    )

    with pytest.raises(DBAPIError, match="no_such_function") as refused:
        BatchQuery(query).rows(session.connection(), {"who": "ada@home.example"})
    assert "ada" not in str(refused.value)


def test_a_broken_connection_is_told_and_not_used_again(postgres_url, at):
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """Two columns, one of them shown otherwise than it is stored, and a field that is no column."""

    state: str
    reason: str = ""
    open: bool


def test_a_given_value_replaces_the_column_of_its_name(at):
    row = Erasure(id="e1", account_id=7, asked_at=at, state="asked", reason=b"sealed")

    assert from_row(Shown, row, reason="why", open=True) == Shown(state="asked", reason="why", open=True)


def test_a_field_without_a_column_is_an_error(at):
    row = Erasure(id="e1", account_id=7, asked_at=at, state="asked")

    with pytest.raises(TypeError, match="open"):
        from_row(Shown, row)


C1 = col(CompanyRecord.id) == "c1"


@pytest.fixture(name="company")
def _company(sessions, vault, at):
    """A company."""
    with sessions() as session:
        add_company(session, vault, at, "c1", name="old", countersigned_at=None)


def test_a_second_lock_waits_and_sees_the_changes_of_the_first(sessions, company):
    mine, seen = Event(), []

    def second():
        mine.wait(10)
        with sessions() as session:
            seen.append(lookup.locked(session, CompanyRecord, C1).name)

    other = Thread(target=second)
    other.start()
    with sessions() as session:
        row = lookup.locked(session, CompanyRecord, C1)
        mine.set()
        other.join(0.3)
        assert seen == []
        row.name = "new"
        session.add(row)
    other.join(10)

    assert seen == ["new"]


def test_a_lock_writes_nothing(sessions, company):
    with sessions() as session:
        on_postgres = session.get_bind().dialect.name == "postgresql"
        before = session.connection().exec_driver_sql("SELECT xmin FROM company").scalar() if on_postgres else 0
    with sessions() as session:
        raw = session.connection().connection.dbapi_connection
        changes = 0 if on_postgres else raw.total_changes
        lookup.locked(session, CompanyRecord, C1)
        after = 0 if on_postgres else raw.total_changes
    with sessions() as session:
        now = session.connection().exec_driver_sql("SELECT xmin FROM company").scalar() if on_postgres else 0

    assert (now, after) == (before, changes)


def test_a_missing_row_can_be_locked_without_waiting(sessions, company):
    with sessions() as session:
        assert lookup.locked(session, CompanyRecord, col(CompanyRecord.id) == "c2") is None
        assert session.get(CompanyRecord, "c1") is not None
