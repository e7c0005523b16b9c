"""Changes to DBOS's own behaviour: it reports when a job has ended, finds a database that is back, does not poll in vain, and prints nothing.

Delayed jobs are queued when they are due, at the latest after their own delay: so a job that was stored by a clock that
was ahead does not wait longer.
"""

import logging
import threading
import time
from collections.abc import Callable
from datetime import timedelta
from typing import Any, Final

import dbos._sys_db
import structlog
from dbos import DBOS, DBOSClient
from dbos._core import ActiveWorkflowById, QueueBucket
from dbos._sys_db import SystemDatabase
from sqlalchemy import func, select

from bot import clock
from bot.clock import monotonic
from bot.jobs.wakeup import Wakeup

SHORTEN_INTERVAL: Final = timedelta(minutes=1)

_NAME: Final = "delay_ms"
_NEAR_MS: Final = 1000
"""Clocks of two machines differ by that much."""

_FIRST_LOOK_SECONDS = 1.0
"""Seconds until the first look, and until the next after one that failed."""
_MIN_PAUSE_SECONDS = 0.2
"""Seconds between two looks at least: what comes due in between is queued together."""

MAX_DATABASE_RETRY_SECONDS: Final = 1.0
"""Seconds between two tries of DBOS to reach a database that is away."""

log = structlog.get_logger()


class ActiveWorkflows(ActiveWorkflowById):
    """DBOS's list of what runs, which also tells when something has ended."""

    def __init__(self, ended: Callable[[str], None]) -> None:
        super().__init__()
        self._ended = ended
        self._left = threading.Condition(self._lock)

    def _remove(self, key: str, bucket: QueueBucket) -> None:
        super()._remove(key, bucket)
        with self._left:
            self._left.notify_all()
        if bucket is not None:
            self._ended(bucket[0])

    def wait(self, timeout: float) -> None:
        """Wait until nothing runs any more and every outcome is stored; at most `timeout` seconds."""
        with self._left:
            self._left.wait_for(lambda: not self._m, timeout)


class _ShortSleep:
    """The module `time` as DBOS's tables use it, whose `sleep` is short."""

    def __getattr__(self, name: str) -> Any:
        return getattr(time, name)

    @staticmethod
    def sleep(seconds: float) -> None:
        """Sleep, for `MAX_DATABASE_RETRY_SECONDS` at most."""
        time.sleep(min(seconds, MAX_DATABASE_RETRY_SECONDS))


def retry_soon() -> None:
    """Have DBOS find out soon that a database which was away is back."""
    # After each try in vain it would sleep twice as long, up to 90 seconds, and no option changes that.
    vars(dbos._sys_db)["time"] = _ShortSleep()  # noqa: SLF001 - as below


def end_looking(dbos: DBOS) -> None:
    """End the threads of a launched DBOS that ask the database every second whether there is anything to do."""
    # `DelayedJobs` queues what was put off; there are no schedules, no deadlines, no messages, no internal jobs.
    for stop in (dbos._background_jobs_stop_event, *dbos.background_thread_stop_events):  # noqa: SLF001 - no option does it
        stop.set()
    dbos._sys_db._run_background_processes = False  # noqa: SLF001 - as above
    # Every job has the one version that counts.
    dbos._sys_db._is_latest_version = lambda *_of_which: True  # type: ignore[method-assign]  # noqa: SLF001 - as above


def end(dbos: DBOS, timeout: float) -> None:
    """End a launched DBOS that takes no more jobs, once its threads have ended; at most after `timeout` seconds."""
    until = monotonic() + timeout
    active, pool = dbos._active_workflows_set, dbos._executor  # noqa: SLF001 - there is no public way
    if isinstance(active, ActiveWorkflows):
        active.wait(timeout)
    # `destroy` would wait in steps of a second, and not for its threads, which may still hold a connection.
    DBOS.destroy(destroy_registry=True)
    for thread in pool._threads:  # noqa: SLF001 - as above; to shut it down and wait might take for ever
        thread.join(max(0.0, until - monotonic()))


def quiet() -> None:
    """Have DBOS log by the root logger."""
    # Without a handler in place it would add one that prints to the terminal.
    logger = logging.getLogger("dbos")
    if not logger.handlers:
        logger.addHandler(logging.NullHandler())
    logger.propagate = True


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


def remembered(delay: timedelta) -> dict[str, Any]:
    """The delay of a job, kept beside the moment that the engine computes of it."""
    return {_NAME: round(delay / timedelta(milliseconds=1))}


def shorten(client: DBOSClient) -> int:
    """Put off anew, by their own delay from now, those that would wait longer than it; the number of jobs."""
    now = round(clock.machine().timestamp() * 1000)  # The engine compares with that, too
    changed = 0
    for job in client.list_workflows(status="DELAYED", load_input=False, load_output=False):
        delay, until = (job.attributes or {}).get(_NAME), job.delay_until_epoch_ms
        if isinstance(delay, int) and until is not None and until > now + delay + _NEAR_MS:
            client.set_workflow_delay(job.workflow_id, delay_until_epoch_ms=now + delay)
            changed += 1
    if changed:
        log.warning("engine.delays-shortened", jobs=changed, why="they were stored by a clock that was ahead")
    return changed
