"""Threads that take jobs: one for each queue, and one that queues delayed jobs when they are due."""

import threading
from collections.abc import Callable
from functools import partial
from typing import Final, get_args

import structlog
from dbos import DBOS
from dbos._queue import queue_worker_thread
from dbos._sys_db import SystemDatabase
from sqlalchemy import func, select

from bot import clock
from bot.job_queue import QueueName
from bot.jobs.job_rows import JobRows
from bot.jobs.liveness import PollPace
from bot.jobs.wakeup import DELAYED, Wakeup

_ENDED_DELAY_SECONDS: Final = 0.1
"""Seconds that a job which has ended waits for others: to look for the next ones costs as much as a third of a verdict."""
_FIRST_LOOK_SECONDS: Final = 1.0
"""Seconds until the first look for delayed jobs, and until the next after one that failed."""
_MIN_PAUSE_SECONDS: Final = 0.2
"""Seconds between two such looks at least: what comes due in between is queued together."""
_MAX_STOP_SECONDS: Final = 5

log = structlog.get_logger()


class QueueThreads:
    """The threads of this process; each sleeps until its wake-up in `wakeups` rings, or it is time to look by `pace`."""

    def __init__(self, pace: PollPace) -> None:
        self._pace = pace
        self._threads: list[threading.Thread] = []
        self.wakeups = _wakeups()

    def start(self, dbos: DBOS, rows: JobRows) -> None:
        """Begin to take jobs, which `dbos` runs."""
        pace = self._pace
        workers: dict[QueueName, tuple[int, float]] = {
            "now": (pace.now_workers, pace.now_poll),
            "later": (pace.later_workers, pace.later_poll),
            "outgoing": (pace.outgoing_workers, pace.later_poll),
        }
        for name, (most, poll) in workers.items():
            # DBOS's own loop, with our wake-up in the place of its stop event: by itself it would only poll.
            self._begin(name, partial(queue_worker_thread, self.wakeups[name], dbos, rows.queue(name, most, poll)))
        tables = dbos._sys_db  # noqa: SLF001 - the client's is another one, with tables of its own
        delayed = DelayedJobs(tables, self.wakeups[DELAYED], longest=pace.delayed_poll, queued=self.wake)
        self._begin(DELAYED, delayed.work)

    def _begin(self, name: str, work: Callable[[], None]) -> None:
        thread = threading.Thread(target=work, name=f"jobs-{name}", daemon=True)
        thread.start()
        self._threads.append(thread)

    def wake(self) -> None:
        """Look into every queue soon."""
        for name in get_args(QueueName):
            self.wakeups[name].wake()

    def ended(self, queue: str) -> None:
        """Look soon for the next job of the queue, of which one has ended."""
        if wakeup := self.wakeups.get(queue):
            wakeup.wake(_ENDED_DELAY_SECONDS)

    def stop(self) -> None:
        """Take no more jobs."""
        for wakeup in self.wakeups.values():
            wakeup.set()
        for thread in self._threads:
            thread.join(_MAX_STOP_SECONDS)
        self._threads = []
        self.wakeups.update(_wakeups())  # For another start, in the dictionary that others hold, too.


def _wakeups() -> dict[str, Wakeup]:
    return {name: Wakeup() for name in (*get_args(QueueName), DELAYED)}


class DelayedJobs:
    """Queues what was put off once its moment has come, on a thread that sleeps until then.

    `wakeup` wakes it when a job is put off in this process, and is set to stop it; those that others put off are found by a look
    every `longest` seconds. DBOS's own thread would write twice a second whether there is anything or not.
    """

    def __init__(self, database: SystemDatabase, wakeup: Wakeup, *, longest: float, queued: Callable[[], None]) -> None:
        self._database, self._wakeup, self._longest, self._queued = database, wakeup, longest, queued
        jobs = database.tables.workflow_status.c
        self._first = select(func.min(jobs.delay_until_epoch_ms)).where(jobs.status == "DELAYED")

    def work(self) -> None:
        """Go on until the wakeup is set."""
        left = _FIRST_LOOK_SECONDS
        while not self._wakeup.wait(left):
            try:
                left = self._look()
            except Exception as error:  # noqa: BLE001 - the next look may find the database well
                log.warning("engine.delays-not-read", why=type(error).__name__)
                left = _FIRST_LOOK_SECONDS

    def _look(self) -> float:
        """Queue what is due; seconds until the next look."""
        left = self._seconds()
        if left <= 0:
            self._database.transition_delayed_workflows()
            self._queued()
            left = self._seconds()
        return max(_MIN_PAUSE_SECONDS, left)

    def _seconds(self) -> float:
        with self._database.engine.connect() as connection:
            first = connection.execute(self._first).scalar()
        return self._longest if first is None else min(self._longest, first / 1000 - clock.machine().timestamp())
