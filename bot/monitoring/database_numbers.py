"""Metrics from the database, read regularly in the background, so that no scrape queries it."""

from datetime import timedelta
from typing import Final

import structlog
from sqlalchemy import Engine
from sqlalchemy.exc import SQLAlchemyError

from agreements.store.ledger import ledger
from bot import db
from bot.clock import Clock
from bot.jobs import queue_depth
from bot.jobs.liveness import DEAD_AFTER
from bot.store import executors, inbox, outbox, outgoing_webhooks, sweeps
from bot.store.pulls import paused_items
from bot.store.pulls.paused_items import ReversedItem
from bot.telemetry import metrics, outages

REFRESH_INTERVAL: Final = timedelta(seconds=15)

log = structlog.get_logger()


class DatabaseNumbers:
    """Looks at the database and sets the gauges; several processes that do it show the same."""

    def __init__(self, database: Engine, clock: Clock) -> None:
        self._database, self._clock = database, clock
        self._sessions = db.sessions(database)
        self._reversed: tuple[ReversedItem, ...] = ()

    def warnings(self) -> list[str]:
        """What an operator should know although all works, as of the last look. It names no repository: anyone may ask."""
        pulls = len({(one.repository, one.number) for one in self._reversed})
        if not pulls:
            return []
        where = f"{pulls:,} pull request{'s' if pulls > 1 else ''}"
        return [f"on {where} another App, server or person keeps reversing what we write: run countersign doctor"]

    def refresh(self) -> None:
        """One look. Raises SQLAlchemyError where the database is away; the numbers then stay those of the last look."""
        try:
            self._read()
        except SQLAlchemyError:
            metrics.DATABASE_UP.set(0)
            raise
        metrics.DATABASE_UP.set(1)
        metrics.DATABASE_LOOKED.set(self._clock().timestamp())
        if entry := outages.DATABASE.answered():
            log.info(**entry)

    def _read(self) -> None:
        now = self._clock()
        with self._sessions() as session:
            backlog = inbox.backlog(session)
            metrics.DELIVERIES_WAITING.set(backlog.waiting)
            metrics.DELIVERIES_FAILED.set(backlog.failed)
            oldest = (now - backlog.oldest).total_seconds() if backlog.oldest else 0
            metrics.OLDEST_DELIVERY.set(max(oldest, 0))
            for queue, waiting in queue_depth.read(session).items():
                metrics.JOBS_WAITING.labels(queue).set(waiting)
            metrics.WORKERS_ALIVE.set(len(executors.alive(session, since=now - DEAD_AFTER)))
            began = sweeps.state(session).began_at
            metrics.SWEEP_SUCCESS.set(began.timestamp() if began else 0)
            self._reversed = tuple(paused_items.stopped(session, at=now))
            metrics.ITEMS_REVERSED.set(len(self._reversed))
            emails = outbox.EMAILS.counts(session)
            metrics.MAIL_WAITING.set(emails.get("waiting", 0))
            metrics.MAIL_UNDELIVERED.set(emails.get("failed", 0))
            metrics.OUTGOING_WEBHOOKS_WAITING.set(outgoing_webhooks.QUEUE.counts(session).get("waiting", 0))
            extent = ledger.extent(session)
            metrics.LEDGER_ENTRIES.set(extent.entries)
            metrics.LEDGER_NEWEST.set(extent.newest.timestamp() if extent.newest else 0)
            metrics.LEDGER_LAG.set((now - extent.uncovered).total_seconds() if extent.uncovered else 0)
        metrics.DATABASE_SIZE.set(db.size(self._database))
