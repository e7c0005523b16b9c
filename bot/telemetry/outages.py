"""Logs an outage once a minute: the many lines that it causes become one, which says how many there were."""

import logging
import sys
import threading
from collections.abc import Callable
from typing import Any, Final

from bot.clock import monotonic

MINUTE_SECONDS: Final = 60.0
REPLACEMENT_ATTRIBUTE: Final = "instead"
"""The attribute of a library's record that holds the entry which takes its place."""
_SELDOM: Final = frozenset({"startup.warning"})
"""A start says once a minute, by itself, what it waits for."""
_MAX_CAUSES: Final = 10
"""Causes of an error that are looked at."""


class Minute:
    """Admits one line a minute, and counts the others. Many threads may use one."""

    def __init__(self, now: Callable[[], float] = monotonic) -> None:
        self._now = now
        self._lock = threading.Lock()
        self._next: float | None = None
        self._left_out = 0

    def admits(self) -> int | None:
        """None when this line is left out, else how many were left out since the last admitted one."""
        with self._lock:
            at = self._now()
            if self._next is not None and at < self._next:
                self._left_out += 1
                return None
            self._next, left_out, self._left_out = at + MINUTE_SECONDS, self._left_out, 0
            return left_out

    def end(self) -> int:
        """The number of lines left out since the last admitted one; the next line is admitted."""
        with self._lock:
            self._next, left_out, self._left_out = None, self._left_out, 0
            return left_out


class DatabaseOutage:
    """Whether the database is away, as its errors and the regular look at it say."""

    def __init__(self, now: Callable[[], float] = monotonic) -> None:
        self._now = now
        self._minute = Minute(now)
        self._since: float | None = None

    def failed(self, why: str) -> dict[str, Any] | None:
        """Note an error of the database; gives the entry for the log, None within a minute of the last one."""
        if self._since is None:
            self._since = self._now()
        left_out = self._minute.admits()
        if left_out is None:
            return None
        seconds = round(self._now() - self._since)
        return {"event": "database.away", "why": why, "seconds": seconds, "left_out": left_out}

    def answered(self) -> dict[str, Any] | None:
        """Note that the database answers; gives the entry for the log if it was away."""
        if self._since is None:
            return None
        seconds, self._since = round(self._now() - self._since), None
        return {"event": "database.back", "seconds": seconds, "left_out": self._minute.end()}


DATABASE: Final = DatabaseOutage()
"""The outage of this process's one database."""


class Outages(logging.Filter):
    """A filter of log records: an outage of the database, and what a library repeats, is one line a minute."""

    def __init__(self, outage: Callable[[BaseException], str | None], database: DatabaseOutage = DATABASE) -> None:
        super().__init__()
        self._outage = outage
        self._database = database
        self._repeated: dict[tuple[str, str, int], Minute] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        """False for a line that is left out; the line about the database takes the place of the first one."""
        ours = record.msg if isinstance(record.msg, dict) else None
        # A line that names a delivery is always written: it answers what became of that delivery.
        if ours is not None and ("delivery" in ours or ours["event"] in _SELDOM):
            return True
        why = self._away(record, ours)
        if why is not None:
            entry = self._database.failed(why)
            if entry is None:
                return False
            _write(record, entry, ours)
            return True
        return ours is not None or self._is_new(record)  # Only libraries repeat themselves.

    def _away(self, record: logging.LogRecord, ours: dict[str, Any] | None) -> str | None:
        given = record.exc_info or (ours or {}).get("exc_info")
        error = given[1] if isinstance(given, tuple) else given if isinstance(given, BaseException) else None
        error = error or sys.exc_info()[1]  # A line without `exc_info` may come from an `except` block.
        for _ in range(_MAX_CAUSES):  # Causes may lead in a circle.
            if error is None:
                return None
            if why := self._outage(error):
                return why
            error = error.__cause__ or error.__context__
        return None

    def _is_new(self, record: logging.LogRecord) -> bool:
        # By the line of code: a library's text may hold the moment, so it is not compared.
        place = (record.name, record.pathname, record.lineno)
        return self._repeated.setdefault(place, Minute()).admits() is not None


def _write(record: logging.LogRecord, entry: dict[str, Any], ours: dict[str, Any] | None) -> None:
    record.exc_info = record.exc_text = record.stack_info = None
    if ours is None:
        record.__dict__[REPLACEMENT_ATTRIBUTE] = entry  # `logs` reads it, and adds time and level.
        return
    kept = {key: ours[key] for key in ("timestamp", "level") if key in ours}  # Added before this filter.
    record.msg = {**entry, **kept}
