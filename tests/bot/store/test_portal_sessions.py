"""A session ends when idle or old, and is known by a hash alone."""

from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import text
from sqlmodel import SQLModel

from agreements.store.ledger import transient_rows
from agreements.store.ledger.transient_rows import RowRefused
from agreements.vault import KeyRing, Vault
from bot import db
from bot.store import portal_sessions

VAULT = Vault(KeyRing.parse(KeyRing.generate("k1")))
NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
MINUTE = timedelta(minutes=1)


@pytest.fixture(name="sessions")
def _sessions(database_url):
    """Sessions on a database with all tables."""
    engine = db.open_engine(database_url)
    SQLModel.metadata.create_all(engine)
    yield db.sessions(engine)
    engine.dispose()


def test_a_session_is_found_until_it_was_idle_for_half_an_hour(sessions):
    with sessions() as session:
        portal_sessions.keep(session, VAULT, "a" * 64, 7, b"sealed", NOON)
    with sessions() as session:
        found = portal_sessions.find(session, VAULT, "a" * 64, NOON + 29 * MINUTE)
        assert (found.account_id, found.sealed) == (7, b"sealed")
    with sessions() as session:
        assert portal_sessions.find(session, VAULT, "a" * 64, NOON + 58 * MINUTE) is not None
    with sessions() as session:
        assert portal_sessions.find(session, VAULT, "a" * 64, NOON + 88 * MINUTE) is None


def test_a_busy_session_ends_after_twelve_hours(sessions):
    with sessions() as session:
        portal_sessions.keep(session, VAULT, "a" * 64, 7, b"", NOON)
    for step in range(1, 72):
        with sessions() as session:
            assert portal_sessions.find(session, VAULT, "a" * 64, NOON + step * 10 * MINUTE) is not None
    with sessions() as session:
        assert portal_sessions.find(session, VAULT, "a" * 64, NOON + 12 * 60 * MINUTE) is None


def test_keeping_a_session_again_does_not_lengthen_it(sessions):
    with sessions() as session:
        portal_sessions.keep(session, VAULT, "a" * 64, None, b"one", NOON)
    with sessions() as session:
        kept = portal_sessions.keep(session, VAULT, "a" * 64, 7, b"two", NOON + timedelta(hours=11, minutes=50))
        assert (kept.sealed, kept.account_id) == (b"two", 7)
        assert kept.expires_at == NOON + timedelta(hours=12)


def test_a_read_writes_at_most_once_a_minute(sessions):
    with sessions() as session:
        portal_sessions.keep(session, VAULT, "a" * 64, 7, b"", NOON)
    with sessions() as session:
        portal_sessions.find(session, VAULT, "a" * 64, NOON + 0.5 * MINUTE)
        assert not session.dirty
    with sessions() as session:
        portal_sessions.find(session, VAULT, "a" * 64, NOON + 2 * MINUTE)
        assert session.dirty


@pytest.mark.parametrize("id_hash", ["", "b" * 64])
def test_an_unknown_hash_finds_no_session(sessions, id_hash):
    with sessions() as session:
        portal_sessions.keep(session, VAULT, "a" * 64, 7, b"", NOON)
        assert portal_sessions.find(session, VAULT, id_hash, NOON) is None


def test_ending_and_purging_leave_other_sessions_alone(sessions):
    with sessions() as session:
        for letter, account in (("a", 7), ("b", 7), ("c", 8), ("d", None), ("e", 8)):
            portal_sessions.keep(
                session, VAULT, letter * 64, account, b"", NOON if letter != "e" else NOON - 31 * MINUTE
            )
    with sessions() as session:
        portal_sessions.end(session, "a" * 64)
        portal_sessions.end(session, "a" * 64)
        assert portal_sessions.end_of(session, 7) == 1
        assert transient_rows.purge(session, at=NOON) == 1
    with sessions() as session:
        assert {letter for letter in "abcde" if portal_sessions.find(session, VAULT, letter * 64, NOON)} == {"c", "d"}


def test_signed_in_accounts_are_listed_with_the_last_seen_first(sessions):
    with sessions() as session:
        portal_sessions.keep(session, VAULT, "a" * 64, 7, b"s", NOON)
        portal_sessions.keep(session, VAULT, "b" * 64, 8, b"s", NOON + MINUTE)
        portal_sessions.keep(session, VAULT, "c" * 64, None, b"s", NOON)
        portal_sessions.keep(session, VAULT, "d" * 64, 7, b"s", NOON - 60 * MINUTE)
    with sessions() as session:
        assert [portal_session.account_id for portal_session in portal_sessions.signed_in(session, NOON + MINUTE)] == [
            8,
            7,
        ]
        assert [
            portal_session.id_hash[0]
            for portal_session in portal_sessions.signed_in(session, NOON + MINUTE, account_id=7)
        ] == ["a"]
        assert [
            portal_session.account_id for portal_session in portal_sessions.signed_in(session, NOON + MINUTE, skip=1)
        ] == [7]
        assert portal_sessions.of_whom(session, VAULT, "b" * 64, NOON + MINUTE) == 8
        for gone in ("c" * 64, "d" * 64, "e" * 64, ""):
            assert portal_sessions.of_whom(session, VAULT, gone, NOON + MINUTE) is None
        with pytest.raises(ValueError, match="account id"):
            portal_sessions.signed_in(session, NOON, account_id=0)


def test_a_session_goes_on_under_a_new_key(sessions):
    old, new = KeyRing.generate("k1"), KeyRing.generate("k2")
    both, later = (Vault(KeyRing.parse(ring)) for ring in (f"{new}\n{old}", new))
    with sessions() as session:
        portal_sessions.keep(session, Vault(KeyRing.parse(old)), "a" * 64, 7, b"", NOON)
        with pytest.raises(RowRefused, match="unknown-key"):
            portal_sessions.find(session, later, "a" * 64, NOON)
        assert portal_sessions.find(session, both, "a" * 64, NOON + 2 * MINUTE) is not None
        assert portal_sessions.find(session, later, "a" * 64, NOON + 2 * MINUTE) is not None


def test_a_changed_session_row_is_refused(sessions):
    with sessions() as session:
        portal_sessions.keep(session, VAULT, "a" * 64, 7, b"", NOON)
        session.execute(text("UPDATE visit SET account_id = 8"))
        session.expire_all()
        assert portal_sessions.of_whom(session, VAULT, "a" * 64, NOON) is None
        assert [portal_sessions.count(session, VAULT, account, NOON) for account in (7, 8)] == [0, 0]
        with pytest.raises(RowRefused, match="wrong-code"):
            portal_sessions.keep(session, VAULT, "a" * 64, 7, b"", NOON)


def test_an_account_has_the_time_zone_that_it_chose_last_until_it_takes_the_choice_back(sessions):
    for name in ("Asia/Shanghai", "Europe/Berlin", "", ""):
        with sessions() as session:
            portal_sessions.choose_time_zone(session, 7, name)
        with sessions() as session:
            assert portal_sessions.time_zone(session, 7) == name
            assert portal_sessions.time_zone(session, 8) == ""
