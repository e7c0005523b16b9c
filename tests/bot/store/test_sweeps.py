"""One of several workers sweeps, once in ten minutes."""

from datetime import UTC, datetime, timedelta

from bot.store import sweeps

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
TURN = timedelta(minutes=9)


def test_the_first_turn_begins_at_its_own_moment(sessions):
    with sessions() as session:
        assert sweeps.begin(session, at=NOON, every=TURN) == NOON
        assert sweeps.state(session).full_at is None


def test_a_turn_too_soon_is_refused_and_the_next_gets_the_last_moment(sessions):
    with sessions() as session:
        sweeps.begin(session, at=NOON, every=TURN)
    with sessions() as session:
        assert sweeps.begin(session, at=NOON + TURN - timedelta(seconds=1), every=TURN) is None
    with sessions() as session:
        assert sweeps.begin(session, at=NOON + TURN, every=TURN) == NOON


def test_a_turn_taken_by_a_clock_ahead_delays_no_other(sessions):
    with sessions() as session:
        sweeps.begin(session, at=NOON + timedelta(hours=1), every=TURN)
    with sessions() as session:
        assert sweeps.begin(session, at=NOON, every=TURN) == NOON
        assert sweeps.state(session).began_at == NOON


def test_a_full_sweep_is_remembered_before_and_after_turns(sessions):
    with sessions() as session:
        assert sweeps.state(session).full_at is None
        sweeps.began_full(session, at=NOON)
    with sessions() as session:
        sweeps.begin(session, at=NOON + TURN, every=TURN)
        assert sweeps.state(session).full_at == NOON


def test_the_last_restore_is_remembered_beside_the_turns(sessions):
    with sessions() as session:
        assert sweeps.state(session).restored_at is None
        sweeps.restored(session, at=NOON - TURN)
        sweeps.restored(session, at=NOON)
        sweeps.begin(session, at=NOON + TURN, every=TURN)
    with sessions() as session:
        assert sweeps.state(session).restored_at == NOON
