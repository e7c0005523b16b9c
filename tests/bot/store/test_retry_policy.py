"""After how long something that failed is tried again."""

from datetime import timedelta
from itertools import pairwise

import pytest

from bot.store.retry_policy import MAX_QUICK_RETRIES, RETRY_DELAYS, SLOW_RETRY, recheck_delay, retry_delay


@pytest.mark.parametrize(
    ("attempts", "seconds"), [(1, 5), (2, 15), (3, 60), (4, 300), (5, 300), (MAX_QUICK_RETRIES, 300)]
)
def test_each_failure_waits_longer_and_the_last_delay_stays(attempts, seconds):
    """The first failure is the first delay."""
    assert retry_delay(attempts).total_seconds() == seconds


def test_no_delay_is_shorter_than_the_one_before():
    """Up to the slow one."""
    assert all(before < after for before, after in pairwise((*RETRY_DELAYS, SLOW_RETRY)))


@pytest.mark.parametrize(("doubt", "minutes"), [(-5, 1), (0, 1), (3, 3), (360, 360), (9000, 360)])
def test_what_is_in_doubt_is_asked_again_after_as_long(doubt, minutes):
    """A minute at least, also by a clock that was set back, and six hours at most."""
    assert recheck_delay(timedelta(minutes=doubt)) == timedelta(minutes=minutes)
