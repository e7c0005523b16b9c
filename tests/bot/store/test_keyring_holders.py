"""A process without a key is counted until it has the key or falls silent."""

from datetime import UTC, datetime, timedelta

from bot.store import keyring_holders

AT = datetime(2026, 1, 1, tzinfo=UTC)


def test_live_processes_without_a_key_are_counted(sessions):
    with sessions() as session:
        keyring_holders.tell(session, "a", ("k2", "k1"), at=AT)
        keyring_holders.tell(session, "b", ("k1",), at=AT)
        assert [keyring_holders.without(session, key, at=AT) for key in ("k1", "k2", "k")] == [0, 1, 2]
        keyring_holders.tell(session, "b", ("k2", "k1"), at=AT + timedelta(seconds=5))
        assert keyring_holders.without(session, "k2", at=AT + timedelta(seconds=5)) == 0


def test_a_process_that_ended_is_not_waited_for(sessions):
    with sessions() as session:
        keyring_holders.tell(session, "a", ("k1",), at=AT)
        keyring_holders.tell(session, "b", ("k1",), at=AT)
        keyring_holders.forget(session, "a")
        assert keyring_holders.without(session, "k2", at=AT) == 1


def test_a_process_silent_for_thirty_seconds_is_not_waited_for(sessions):
    with sessions() as session:
        keyring_holders.tell(session, "a", ("k1",), at=AT)
        assert keyring_holders.without(session, "k2", at=AT + timedelta(seconds=30)) == 1
        assert keyring_holders.without(session, "k2", at=AT + timedelta(seconds=31)) == 0


def test_a_process_is_known_by_its_id(sessions):
    with sessions() as session:
        keyring_holders.tell(session, "a", ("k1",), at=AT)
        assert keyring_holders.is_known(session, "a")
        assert not keyring_holders.is_known(session, "b")
        assert not keyring_holders.is_known(session, "")
