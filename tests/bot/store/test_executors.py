"""A process that takes jobs is known from its first beat until it leaves or falls silent."""

from datetime import UTC, datetime, timedelta

from bot.store import executors

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)


def test_a_process_lives_by_its_last_beat_and_silent_ones_are_forgotten(sessions):
    with sessions() as session:
        executors.beat(session, "one", at=NOON)
        executors.beat(session, "two", at=NOON)
        executors.beat(session, "one", at=NOON + timedelta(seconds=40))
    with sessions() as session:
        assert executors.alive(session, since=NOON) == {"one": NOON + timedelta(seconds=40), "two": NOON}
        assert list(executors.alive(session, since=NOON + timedelta(seconds=10))) == ["one"]
        assert executors.forget_silent(session, since=NOON + timedelta(seconds=10)) == ["two"]
        assert list(executors.alive(session, since=NOON)) == ["one"]
        executors.forget(session, "one")
        assert executors.alive(session, since=NOON) == {}
