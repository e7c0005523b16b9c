"""One thread stores the deliveries that wait, many in one transaction, and reports for each whether it was stored."""

import threading
import time
from collections import deque
from collections.abc import Sequence
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from dataclasses import dataclass, field

import structlog
from sqlalchemy.exc import SQLAlchemyError

from bot import db
from bot.clock import Clock
from bot.db import Sessions
from bot.job_queue import Engine
from bot.store import executors
from bot.store.service_record import LastDelivery
from bot.webhook import ingest
from bot.webhook.ingest import ReceivedDelivery

MAX_BATCH_DELIVERIES = 100  # In one transaction.
MAX_WAITING_DELIVERIES = 10_000  # Any more are refused at once.
MAX_WAIT_SECONDS = 9.0  # GitHub gives up after ten.
_TICK_SECONDS = 0.1
# While deliveries are refused we are not ready, so that none comes which would try to write: a probe does.
PROBE_SECONDS = 1.0

log = structlog.get_logger()


class NotStored(Exception):
    """The delivery was not stored in time, or too many wait: GitHub has to deliver it again."""

    def __init__(self) -> None:
        super().__init__("not stored, please deliver again")


TOO_MANY = "more deliveries wait than are taken"
TOO_LONG = "the database takes too long to store deliveries"


@dataclass(frozen=True, slots=True)
class _PendingDelivery:
    """A delivery that was `received` and waits, `since` a second of the monotonic clock, for its `answer`."""

    received: ReceivedDelivery
    since: float
    answer: Future[bool] = field(default_factory=Future)


class DeliveryWriter:
    """Takes deliveries from any thread; after `stop` every one of them has its answer.

    `patience` is how many seconds a delivery waits at most for its answer, `most` how many may wait.
    """

    def __init__(
        self,
        sessions: Sessions,
        engine: Engine,
        clock: Clock,
        *,
        patience: float = MAX_WAIT_SECONDS,
        most: int = MAX_WAITING_DELIVERIES,
    ) -> None:
        self._sessions, self._engine, self._clock = sessions, engine, clock
        self._patience, self._most = patience, most
        self._waiting: deque[_PendingDelivery] = deque()
        self._unanswered: deque[_PendingDelivery] = deque()  # Oldest first, what is being stored included
        self._changed = threading.Condition()
        self._stopping = threading.Event()
        self._threads: list[threading.Thread] = []
        self.refusing: str | None = None
        """The reason that the last delivery could not be stored, in one line; None once one can be written again."""
        self.last_delivery = LastDelivery(clock)

    def start(self) -> None:
        """Begin to store."""
        # Two threads: the one that stores may hang in the database.
        for name, work in (("recorder", self._record), ("recorder-patience", self._watch)):
            self._threads.append(threading.Thread(target=work, name=name, daemon=True))
            self._threads[-1].start()

    def stop(self) -> None:
        """Store what waits, within its patience; what is submitted from now on is refused."""
        self._stopping.set()
        with self._changed:
            self._changed.notify_all()
        for thread in self._threads:
            thread.join(self._patience + 1)  # A database that hangs must not keep us

    def submit(self, received: ReceivedDelivery) -> Future[bool]:
        """Have it stored: True once it is, False when it was known already.

        `NotStored` when it has waited for too long or too many wait, else what the database said.
        """
        delivery = _PendingDelivery(received, time.monotonic())
        with self._changed:
            # GitHub gives up after ten seconds: a longer queue would only store what it calls failed.
            if self._stopping.is_set() or len(self._waiting) >= self._most:
                self.refusing = TOO_MANY
                delivery.answer.set_exception(NotStored())
                return delivery.answer
            self._waiting.append(delivery)
            self._unanswered.append(delivery)
            self._changed.notify_all()
        return delivery.answer

    def _record(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(
                    lambda: self._waiting or self._stopping.is_set(), PROBE_SECONDS if self.refusing else None
                )
                lot = [self._waiting.popleft() for _ in range(min(MAX_BATCH_DELIVERIES, len(self._waiting)))]
            if lot:
                # A delivery whose patience ended was answered with 503: GitHub is asked to send it again.
                self._store([delivery for delivery in lot if not delivery.answer.done()])
            elif self._stopping.is_set():
                return
            elif self.refusing:
                self._probe()

    def _probe(self) -> None:
        """Find out whether the database can be written by now, by a row that the same transaction deletes."""
        try:
            with self._sessions() as session:
                executors.probe(session, at=self._clock())
        except SQLAlchemyError as error:
            self.refusing = db.unwritable(error) or self.refusing
        else:
            log.info("recorder.stores-again")
            self.refusing = None

    def _store(self, lot: Sequence[_PendingDelivery]) -> None:
        try:
            self._commit(lot)
        except Exception as error:  # noqa: BLE001 - the thread must go on with the next lot
            # Pushes to two pull requests of one head, stored by two processes, each wake the other's row: one is stopped.
            if len(lot) > 1 or db.is_deadlock(error):
                log.warning("recorder.one-by-one", deliveries=len(lot), why=type(error).__name__)
                # One by one, so that a bad one does not hold up the others.
                for delivery in lot:
                    if not delivery.answer.done():
                        self._store([delivery])
                return
            self.refusing = db.unwritable(error) or self.refusing
            with suppress(InvalidStateError):
                lot[0].answer.set_exception(error)

    def _commit(self, lot: Sequence[_PendingDelivery]) -> None:
        if not lot:
            return
        with self._sessions() as session:
            new = ingest.accept_all(session, self._engine, [delivery.received for delivery in lot], at=self._clock())
        self.refusing = None
        for delivery, is_new in zip(lot, new, strict=True):
            with suppress(InvalidStateError):  # The patience has ended meanwhile
                delivery.answer.set_result(is_new)

    def _watch(self) -> None:
        """Answer deliveries that have waited for longer than the patience, also while the database hangs."""
        while self._unanswered or not self._stopping.is_set():
            time.sleep(_TICK_SECONDS)
            while self._unanswered and self._is_over(self._unanswered[0]):
                with suppress(InvalidStateError):
                    self._unanswered.popleft().answer.set_exception(NotStored())
                    self.refusing = TOO_LONG

    def _is_over(self, delivery: _PendingDelivery) -> bool:
        return delivery.answer.done() or time.monotonic() - delivery.since > self._patience
