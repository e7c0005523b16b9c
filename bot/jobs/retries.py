"""Jobs that failed: how often and when each is tried again, and one line a minute in the log for each cause."""

import threading
from collections.abc import Callable
from datetime import timedelta
from typing import Final

import structlog

from bot import db
from bot.clock import monotonic
from bot.job_queue import Job
from bot.telemetry.logs import where
from bot.telemetry.outages import Minute

QUICK_TRIES: Final = 3
RETRY_PAUSE_SECONDS: Final = 0.3
"""Seconds between the first try and the second; three times as long before the third."""
MAX_TRIES: Final = 300
"""A job that fails every time is tried again for about a day, then kept as failed; so is one whose process ends each time."""
MAX_RETRY_WAIT: Final = timedelta(minutes=5)
_FIRST_WAIT: Final = timedelta(seconds=5)
_FIRST_OUTAGE_WAIT: Final = timedelta(seconds=1)
"""That a job is to be tried again can be stored only once the database is back: what needed it can be done then."""
_MAX_CAUSES: Final = 1000
"""Causes are kinds of error at lines of code; more are forgotten together, so that memory has an end."""

log = structlog.get_logger()


def wait(tries: int, error: Exception | None = None) -> timedelta:
    """The wait after so many failures: 5, 15, 45, 135 seconds, then five minutes; from 1 second on after an outage."""
    first = _FIRST_OUTAGE_WAIT if error is not None and db.outage(error) else _FIRST_WAIT
    factor: int = 3 ** min(tries - 1, 6)  # Bounded, or the timedelta overflows.
    return min(first * factor, MAX_RETRY_WAIT)


class FailureLog:
    """Logs why jobs fail. Many fail by one cause, each several times: one line a minute says it, and how many it stands for."""

    def __init__(self, now: Callable[[], float] = monotonic) -> None:
        self._now = now
        self._lock = threading.Lock()
        self._causes: dict[tuple[str, str], Minute] = {}

    def failed(self, job: Job, job_id: str, error: Exception) -> None:
        """Note that a run of the job raised the error; what the flow itself logged of a delivery is not left out."""
        # Only the kind of error: a message may hold a value of a row.
        why, at = type(error).__name__, where(error)
        left_out = 0 if db.outage(error) else self._of(why, at).admits()  # Of an outage the log itself writes one line
        if left_out is not None:
            log.warning("engine.job-failed", job=job.name, job_id=job_id, why=why, at=at, left_out=left_out)

    def _of(self, why: str, at: str) -> Minute:
        with self._lock:
            if len(self._causes) >= _MAX_CAUSES:
                self._causes.clear()
            return self._causes.setdefault((why, at), Minute(self._now))
