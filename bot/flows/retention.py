"""Deletes what has been kept for long enough, lot by lot, beside everything else."""

from collections.abc import Callable
from datetime import timedelta
from typing import Final

import structlog

from bot.clock import Clock, monotonic
from bot.db import Sessions
from bot.store import retention

EVERY: Final = timedelta(minutes=10)
LOT: Final = 200
"""Rows, or pull requests, in one transaction: SQLite has one writer, and others wait for it."""
PULLS: Final = 500
"""Pull requests that one short question looks at."""
ROUND_SECONDS: Final = 60.0
"""A round goes on for so long at most; the next one takes up where it ended."""

log = structlog.get_logger()


class Retention:
    """Remembers how far it came; `pause` is called between two lots, and ends the round by False."""

    def __init__(
        self,
        sessions: Sessions,
        clock: Clock,
        *,
        pause: Callable[[], bool] = lambda: True,
        seconds: float = ROUND_SECONDS,
    ) -> None:
        self._sessions, self._clock, self._pause, self._seconds = sessions, clock, pause, seconds
        self._after = 0

    def round(self) -> int:
        """Delete what is due; how many rows."""
        until = monotonic() + self._seconds
        deliveries = self._deliveries(until)
        history = self._history(until)
        if deliveries or history:
            log.info("retention.deleted", deliveries=deliveries, history=history)
        return deliveries + history

    def _goes_on(self, until: float) -> bool:
        return monotonic() < until and self._pause()

    def _deliveries(self, until: float) -> int:
        deleted = 0
        while True:
            with self._sessions() as session:
                lot = retention.deliveries(session, at=self._clock(), most=LOT)
            deleted += lot
            if lot < LOT or not self._goes_on(until):
                return deleted

    def _history(self, until: float) -> int:
        """Through all pull requests once, from where the last round ended."""
        deleted = 0
        while True:
            with self._sessions() as session:
                due, last = retention.closed_pulls(session, after=self._after, at=self._clock(), most=PULLS)
            for start in range(0, len(due), LOT // 10):
                with self._sessions() as session:
                    deleted += retention.forget_history(session, due[start : start + LOT // 10], at=self._clock())
                if not self._goes_on(until):
                    return deleted  # what was looked at is looked at again
            self._after = last or 0
            if last is None or not self._goes_on(until):
                return deleted
