"""The deletion of what has been kept for long enough, in small transactions."""

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import Final, Protocol

import structlog
from sqlmodel import Session

from bot.clock import Clock, monotonic
from bot.db import Sessions
from bot.store import history_retention, merge_groups, outgoing_webhooks
from bot.store.mailbox import lots
from bot.store.pulls import commit_findings, stored_facts

PURGE_INTERVAL: Final = timedelta(minutes=10)
BATCH_ROWS: Final = 200  # Rows, or pull requests, in one transaction: SQLite has one writer, and others wait for it.
PULLS_PER_QUERY: Final = 500  # Read by one short question.
ROUND_SECONDS: Final = 60.0  # The next round takes up where this one ended.


class Purge(Protocol):
    """Deletes what is old enough."""

    def __call__(self, session: Session, *, at: datetime, most: int) -> int:
        """The number of deleted rows, at most `most`."""


def _answers(session: Session, *, at: datetime, most: int) -> int:
    from audit.store import answer_rows  # noqa: PLC0415 - what audits is loaded for the first one

    return answer_rows.purge(session, at=at, most=most)


_BY_AGE: Final[Mapping[str, Purge]] = {
    "deliveries": history_retention.deliveries,
    "facts": stored_facts.purge,
    "answers": _answers,
    "merge_groups": merge_groups.purge,
    "webhooks": outgoing_webhooks.purge,
    "commit_findings": commit_findings.purge,
}

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
        self._after = 0  # The last pull request that was looked at: a round rarely sees all.

    def round(self) -> int:
        """Delete what is due; gives the number of rows."""
        until = monotonic() + self._seconds
        deleted = {what: self._lots(purge, until) for what, purge in _BY_AGE.items()}
        deleted["history"] = self._history(until)
        if any(deleted.values()):
            log.info("retention.deleted", **deleted)
        return sum(deleted.values())

    def _goes_on(self, until: float) -> bool:
        return monotonic() < until and self._pause()

    def _lots(self, purge: Purge, until: float) -> int:
        deleted = 0
        while True:
            with self._sessions() as session:
                lot = purge(session, at=self._clock(), most=BATCH_ROWS)
            deleted += lot
            if lot < BATCH_ROWS or not self._goes_on(until):
                return deleted

    def _history(self, until: float) -> int:
        deleted = 0
        while True:
            with self._sessions() as session:
                due, last = history_retention.closed_pulls(
                    session, after=self._after, at=self._clock(), most=PULLS_PER_QUERY
                )
            for some in lots(due, BATCH_ROWS // 10):  # Each has a history of about ten rows.
                with self._sessions() as session:
                    deleted += history_retention.forget_history(session, some, at=self._clock())
                if not self._goes_on(until):
                    return deleted  # `_after` stays: the next round looks at these again.
            self._after = last or 0
            if last is None or not self._goes_on(until):
                return deleted
