"""The times that wait between tries of something that failed: short at first, then an hour."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Final

# After the first, second, third and every later failure.
RETRY_DELAYS: Final = (timedelta(seconds=5), timedelta(seconds=15), timedelta(seconds=60), timedelta(minutes=5))
MAX_QUICK_RETRIES: Final = 12  # A call that was refused for 46 minutes will not be allowed in a minute.
SLOW_RETRY: Final = timedelta(hours=1)
MIN_RECHECK: Final = timedelta(minutes=1)
MAX_RECHECK: Final = timedelta(hours=6)
# Clocks that are right differ by less. What is stored further ahead than its own bound and this came from a wrong one.
MAX_CLOCK_SKEW: Final = timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class RetryDelay:
    """The `delay` after which a new try makes sense; `is_woken`: it is queued earlier, once what it needs is there."""

    delay: timedelta
    is_woken: bool = False


def retry_delay(attempts: int) -> timedelta:
    """The wait after that many failures in a row, at least one."""
    if attempts > MAX_QUICK_RETRIES:
        return SLOW_RETRY
    return RETRY_DELAYS[min(attempts, len(RETRY_DELAYS)) - 1]


def recheck_delay(doubt: timedelta) -> timedelta:
    """The wait before something is asked again that has been in doubt for so long."""
    # As long again: what was not settled in an hour seldom is in a minute.
    return min(max(doubt, MIN_RECHECK), MAX_RECHECK)
