"""A log without people takes them in once, and for a day the rows of processes of the release before."""

from datetime import timedelta

import pytest
from sqlalchemy import text

from agreements.facts import Account
from agreements.store.integrity import upgrade
from agreements.store.integrity.verification import Tampered, VerificationOptions, verify
from agreements.store.people import person_rows
from bot.records.record_access import RecordAccess
from bot.records.row_codes import LogUpgrade
from bot.store.logged_tables import TABLES
from tests.tampering.history import History
from tests.tampering.release_before import running
from tests.within import within

HOUR = timedelta(hours=1)


@pytest.fixture(name="history")
def _history(engine, vault, monkeypatch):
    """A log of the release before, with people, and with a domain whose record is missing."""
    history = History(engine, vault)
    with running(monkeypatch):
        history.live()
        history.rest()
    return history


def take_in(history, at):
    """How many rows the log takes in then."""
    return LogUpgrade(RecordAccess(history.sessions, history.vault, lambda: at, history.fresh)).take_in()


def verified(history, at):
    """What `verify` says then."""
    with history.sessions() as session:
        return verify(session, history.vault, TABLES, VerificationOptions(at=at))


def do(history, statement):
    """A person with all rights on the database runs the statement."""
    with history.engine.begin() as connection:
        connection.execute(text(statement))


def sign_in(history, account, at):
    """The account is seen for the first time, or under a new login."""
    with history.sessions() as session:
        person_rows.ensure(within(session, history.vault, at, history.fresh), account)


@pytest.mark.slow
def test_people_of_an_older_log_are_taken_in_once_and_then_verified(history):
    at = history.now()
    before = verified(history, at)
    assert (before.waiting, before.waiting_until) == (8, None), "seven people and the domain"
    assert take_in(history, at) == 8
    assert take_in(history, at) == 0
    after = verified(history, at + 25 * HOUR)

    assert (after.waiting, after.adopted) == (0, 3), "people, the domain, and the entry from which on people are named"
    do(history, "UPDATE person SET login = 'eve' WHERE account_id = 16")
    assert verified(history, at + HOUR).waiting == 1, "a process of the release before may have done it"
    with pytest.raises(Tampered, match="the row person"):
        verified(history, at + 25 * HOUR)


@pytest.mark.slow
def test_rows_that_the_release_before_writes_are_taken_in_for_a_day(history, monkeypatch):
    at = history.now()
    take_in(history, at)
    with running(monkeypatch):
        sign_in(history, Account(40, "new"), at)
        sign_in(history, Account(11, "renamed"), at)
        history.erase(15)
    waiting = verified(history, at + HOUR)
    assert (waiting.waiting, waiting.waiting_until) == (3, at + 24 * HOUR)
    with pytest.raises(Tampered):
        verified(history, at + 25 * HOUR)

    assert take_in(history, at + HOUR) == 3
    assert verified(history, at + 25 * HOUR).waiting == 0


@pytest.mark.slow
def test_an_unknown_row_is_tampering_after_the_day(history, monkeypatch):
    at = history.now()
    take_in(history, at)
    with running(monkeypatch):
        sign_in(history, Account(40, "new"), at)

    assert take_in(history, at + 24 * HOUR) == 0
    with pytest.raises(Tampered, match="was added"):
        verified(history, at + 24 * HOUR)


@pytest.mark.slow
def test_an_operator_can_begin_the_upgrade_day_once_more(history, monkeypatch):
    at = history.now()
    take_in(history, at)
    with running(monkeypatch):
        sign_in(history, Account(40, "new"), at)
    later = at + 100 * HOUR
    anew = LogUpgrade(RecordAccess(history.sessions, history.vault, lambda: later, history.fresh)).take_in_anew()

    assert anew == 1
    found = verified(history, later)
    assert (found.waiting, found.adopted) == (0, 5)
    with running(monkeypatch):
        sign_in(history, Account(41, "newer"), later)
    assert take_in(history, later + HOUR) == 1
    assert take_in(history, later + 25 * HOUR) == 0


def test_a_log_of_this_release_takes_in_nothing(engine, vault):
    """Its first entry says that people are named, so a row that is added past it is found at once."""
    history = History(engine, vault)
    history.sign(11)
    at = history.now()
    do(
        history,
        "INSERT INTO person (id, account_id, login, login_since, wrapped_key, ring_key_id, created_at)"
        " SELECT 'x', 99, 'eve', login_since, wrapped_key, ring_key_id, created_at FROM person",
    )
    with history.sessions() as session:
        mark = upgrade.since(session.connection())

    assert (mark.number, mark.is_open(at)) == (0, False)
    assert take_in(history, at) == 0
    with pytest.raises(Tampered, match="row person x was added"):
        verified(history, at)


def test_an_empty_log_takes_in_nothing(engine, vault):
    assert take_in(History(engine, vault), History(engine, vault).now()) == 0


@pytest.mark.slow
def test_a_restriction_without_an_erasure_is_found_even_if_it_was_taken_in(history):
    do(history, "UPDATE person SET restricted_at = created_at WHERE account_id = 16")
    take_in(history, history.now())

    with pytest.raises(Tampered, match="no erasure says so"):
        verified(history, history.now())
