"""Several workers take turns at sweeping: one of them, once in ten minutes."""

from datetime import UTC, datetime, timedelta

from bot.store import sweeps

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
TURN = timedelta(minutes=9)


def test_the_first_turn_is_anybody_s(sessions):
    """There was none before: the next one begins where it began."""
    with sessions() as session:
        assert sweeps.begin(session, at=NOON, every=TURN) == NOON
        assert sweeps.state(session).full_at is None


def test_who_comes_too_soon_leaves_it_to_the_other(sessions):
    """At the border it is a turn again, which hears when the last one began."""
    with sessions() as session:
        sweeps.begin(session, at=NOON, every=TURN)
    with sessions() as session:
        assert sweeps.begin(session, at=NOON + TURN - timedelta(seconds=1), every=TURN) is None
    with sessions() as session:
        assert sweeps.begin(session, at=NOON + TURN, every=TURN) == NOON


def test_a_turn_that_a_clock_ahead_took_holds_nobody_up(sessions):
    """Not until ours shows that hour, too."""
    with sessions() as session:
        sweeps.begin(session, at=NOON + timedelta(hours=1), every=TURN)
    with sessions() as session:
        assert sweeps.begin(session, at=NOON, every=TURN) == NOON
        assert sweeps.state(session).began_at == NOON


def test_a_full_one_is_remembered_also_as_the_first_thing_ever(sessions):
    """The command may come before any worker; a turn taken later keeps it."""
    with sessions() as session:
        assert sweeps.state(session).full_at is None
        sweeps.began_full(session, at=NOON)
    with sessions() as session:
        sweeps.begin(session, at=NOON + TURN, every=TURN)
        assert sweeps.state(session).full_at == NOON


def test_a_restore_is_remembered_beside_the_turns(sessions):
    """The last one counts; a turn keeps it."""
    with sessions() as session:
        assert sweeps.state(session).restored_at is None
        sweeps.restored(session, at=NOON - TURN)
        sweeps.restored(session, at=NOON)
        sweeps.begin(session, at=NOON + TURN, every=TURN)
    with sessions() as session:
        assert sweeps.state(session).restored_at == NOON
