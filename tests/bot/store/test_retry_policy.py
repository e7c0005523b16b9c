"""The delays after which a failure or a doubt is tried again."""

from datetime import timedelta
from itertools import pairwise

import pytest

from bot.store.retry_policy import MAX_QUICK_RETRIES, RETRY_DELAYS, SLOW_RETRY, recheck_delay, retry_delay


@pytest.mark.parametrize(
    ("attempts", "seconds"), [(1, 5), (2, 15), (3, 60), (4, 300), (5, 300), (MAX_QUICK_RETRIES, 300)]
)
def test_each_failure_waits_longer_and_the_last_delay_stays(attempts, seconds):
    assert retry_delay(attempts).total_seconds() == seconds


def test_every_delay_is_longer_than_the_one_before():
    assert all(before < after for before, after in pairwise((*RETRY_DELAYS, SLOW_RETRY)))


@pytest.mark.parametrize(("doubt", "minutes"), [(-5, 1), (0, 1), (3, 3), (360, 360), (9000, 360)])
def test_a_doubt_is_asked_about_again_after_its_age_within_bounds(doubt, minutes):
    assert recheck_delay(timedelta(minutes=doubt)) == timedelta(minutes=minutes)
