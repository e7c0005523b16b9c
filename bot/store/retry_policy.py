"""How often something that failed is tried again, and how long each time waits: quickly at first, then once an hour."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Final

RETRY_DELAYS: Final = (timedelta(seconds=5), timedelta(seconds=15), timedelta(seconds=60), timedelta(minutes=5))
"""How long a subject waits after its first, second, third and every later failure."""
MAX_QUICK_RETRIES: Final = 12
"""After so many failures in a row it is tried each `SLOW_RETRY`: a call that was refused for an hour will not be allowed in a minute."""
SLOW_RETRY: Final = timedelta(hours=1)
MIN_RECHECK: Final = timedelta(minutes=1)
MAX_RECHECK: Final = timedelta(hours=6)
MAX_CLOCK_SKEW: Final = timedelta(minutes=1)
"""Clocks that are right differ by less. What is stored further ahead than its own bound and this came from a wrong one."""


@dataclass(frozen=True, slots=True)
class RetryDelay:
    """When it makes sense to try again; `is_woken`: it is queued earlier, once what it needs is there."""

    delay: timedelta
    is_woken: bool = False


def retry_delay(attempts: int) -> timedelta:
    """How long to wait after that many failures in a row, at least one."""
    if attempts > MAX_QUICK_RETRIES:
        return SLOW_RETRY
    return RETRY_DELAYS[min(attempts, len(RETRY_DELAYS)) - 1]


def recheck_delay(doubt: timedelta) -> timedelta:
    """How long to wait before something is asked again that has been in doubt for so long: as long as that."""
    return min(max(doubt, MIN_RECHECK), MAX_RECHECK)
