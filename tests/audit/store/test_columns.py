"""A moment keeps its zone on a database without zones; a GitHub id of 64 bits fits."""

from datetime import UTC, datetime, timedelta, timezone

from audit.store import account_states

THERE = timezone(timedelta(hours=8))


def test_a_moment_comes_back_in_utc_and_an_id_of_64_bits_fits(sessions):
    at = datetime(2026, 11, 22, 3, 4, 5, 6, THERE)
    with sessions() as session:
        account_states.begin(session, 2**62, "cann", "j", at=at)
    with sessions() as session:
        row = account_states.get(session, 2**62)
    assert (row.owner_id, row.began_at, row.began_at.tzinfo, row.judged_at) == (2**62, at, UTC, None)
