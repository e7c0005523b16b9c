"""Metrics from the database, read regularly in the background, so that no scrape queries it."""

from datetime import timedelta
from typing import Final

import structlog
from sqlalchemy import Engine
from sqlalchemy.exc import SQLAlchemyError

from agreements.store.ledger import stored_ledger
from bot import db
from bot.clock import Clock
from bot.jobs import queue_depth
from bot.monitoring import operating_facts
from bot.monitoring.operating_facts import OperatingFacts
from bot.monitoring.operating_warnings import OperatingWarnings
from bot.store import inbox, outbox, outgoing_webhooks, service_record, sweeps
from bot.store.license_checks import LICENSE_CHECKS
from bot.store.merge_groups import MERGE_GROUPS
from bot.store.pulls import paused_items
from bot.store.pulls.paused_items import ReversedItem
from bot.store.pulls.review_mailbox import REVIEWS
from bot.store.service_record import LastDelivery
from bot.telemetry import metrics, outages

REFRESH_INTERVAL: Final = timedelta(seconds=15)

log = structlog.get_logger()


class DatabaseNumbers:
    """Looks at the database and sets the gauges; several processes that do it show the same."""

    def __init__(self, database: Engine, clock: Clock, last_delivery: LastDelivery) -> None:
        """`last_delivery` is what this process noted of its own."""
        self._database, self._clock, self._last_delivery = database, clock, last_delivery
        self._sessions = db.sessions(database)
        self._reversed: tuple[ReversedItem, ...] = ()
        self._is_served, self._unwritten = False, outages.Minute()
        self._warnings = OperatingWarnings()

    def warnings(self) -> list[str]:
        """The warnings about a service that works and still needs its operator, as of the last look."""
        pulls = len({(item.repository, item.number) for item in self._reversed})  # Unnamed: any caller may read it.
        where = f"{pulls:,} pull request{'s' if pulls > 1 else ''}"
        reversal = f"on {where} another App, server or person keeps reversing what we write: run countersign doctor"
        return [*self._warnings.standing, *([reversal] if pulls else [])]

    def refresh(self) -> None:
        """Read the numbers anew. Raises SQLAlchemyError without a database; the last numbers then stay."""
        try:
            self._remember()  # First: the last delivery is one of the facts.
            facts = self._read()
        except SQLAlchemyError:
            metrics.DATABASE_UP.set(0)
            raise
        metrics.DATABASE_UP.set(1)
        metrics.DATABASE_LOOKED.set(self._clock().timestamp())
        if entry := outages.DATABASE.answered():
            log.info(**entry)
        self._warnings.look(facts)

    def _remember(self) -> None:
        try:
            self._last_delivery.store(self._sessions)
            if not self._is_served:
                with self._sessions() as session:
                    service_record.served(session, at=self._clock())
                self._is_served = True
        except SQLAlchemyError as error:  # A database that takes nothing, as on a full disk, is read all the same.
            if self._unwritten.admits() is not None:
                log.warning("operation.not-recorded", why=db.outage(error) or type(error).__name__)

    def _read(self) -> OperatingFacts:
        now = self._clock()
        with self._sessions() as session:
            backlog = inbox.backlog(session)
            metrics.DELIVERIES_WAITING.set(backlog.waiting)
            metrics.DELIVERIES_FAILED.set(backlog.failed)
            oldest = (now - backlog.oldest).total_seconds() if backlog.oldest else 0
            metrics.OLDEST_DELIVERY.set(max(oldest, 0))  # Another machine's clock may be ahead.
            # Besides stored jobs: the subjects of which one job takes many.
            due = [mailbox.depth(session, at=now) for mailbox in (REVIEWS, LICENSE_CHECKS, MERGE_GROUPS)]
            for queue, waiting in queue_depth.read(session).items():
                metrics.JOBS_WAITING.labels(queue).set(waiting + sum(depth.get(queue, 0) for depth in due))
            began = sweeps.state(session).began_at
            metrics.SWEEP_SUCCESS.set(began.timestamp() if began else 0)
            self._reversed = tuple(paused_items.stopped(session, at=now))
            metrics.ITEMS_REVERSED.set(len(self._reversed))
            emails = outbox.EMAILS.counts(session)
            metrics.MAIL_WAITING.set(emails.get("waiting", 0))
            metrics.MAIL_UNDELIVERED.set(emails.get("failed", 0))
            metrics.OUTGOING_WEBHOOKS_WAITING.set(outgoing_webhooks.QUEUE.counts(session).get("waiting", 0))
            extent = stored_ledger.extent(session)
            metrics.LEDGER_ENTRIES.set(extent.entries)
            metrics.LEDGER_NEWEST.set(extent.newest.timestamp() if extent.newest else 0)
            metrics.LEDGER_LAG.set((now - extent.uncovered).total_seconds() if extent.uncovered else 0)
        facts = operating_facts.read(self._sessions, self._database, at=now)
        _show(facts)
        return facts


def _show(facts: OperatingFacts) -> None:
    metrics.WORKERS_ALIVE.set(facts.workers)
    for gauge, moment in (
        (metrics.SERVED_SINCE, facts.served_since),
        (metrics.LAST_DELIVERY, facts.delivered_at),
        (metrics.LAST_BACKUP, facts.backed_up_at),
    ):
        gauge.set(moment.timestamp() if moment else 0)
    metrics.DELIVERIES_LOST.set(facts.lost_deliveries)
    metrics.DATABASE_SIZE.set(facts.database_bytes)
    if facts.disk_free_bytes is None:
        metrics.DISK_FREE.clear()  # Not known: no series, instead of a 0.
    else:
        metrics.DISK_FREE.labels("sqlite").set(facts.disk_free_bytes)
