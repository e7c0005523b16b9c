"""Changes to DBOS's own behaviour: it reports when a job has ended, finds a database that is back, does not poll in vain, and prints nothing."""

import logging
import threading
import time
from collections.abc import Callable
from typing import Any, Final

import dbos._sys_db
from dbos import DBOS
from dbos._core import ActiveWorkflowById, QueueBucket

from bot.clock import monotonic

MAX_DATABASE_RETRY_SECONDS: Final = 1.0
"""Seconds between two tries of DBOS to reach a database that is away."""


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
        """Until nothing runs any more and the outcome of everything is stored; at most `timeout` seconds."""
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
    """Have DBOS find out soon that a database which was away is back.

    After each try in vain it would sleep twice as long, up to 90 seconds: so long no job was begun, and none recorded
    as done, once the database was back. No option changes that.
    """
    vars(dbos._sys_db)["time"] = _ShortSleep()  # noqa: SLF001 - as below


def end_looking(dbos: DBOS) -> None:
    """End the threads of a launched DBOS that ask the database every second whether there is anything to do.

    What was put off is queued by `delays`. There are no schedules, no deadlines, no messages and no jobs in DBOS's internal
    queue, and every job has the one version that counts.
    """
    for stop in (dbos._background_jobs_stop_event, *dbos.background_thread_stop_events):  # noqa: SLF001 - no option does it
        stop.set()
    dbos._sys_db._run_background_processes = False  # noqa: SLF001 - as above
    dbos._sys_db._is_latest_version = lambda *_of_which: True  # type: ignore[method-assign]  # noqa: SLF001 - as above


def end(dbos: DBOS, timeout: float) -> None:
    """End a launched DBOS of which nothing takes jobs any more, once its threads have; at most after `timeout` seconds.

    It would wait in steps of a second, and not for its threads, which may still hold a connection.
    """
    until = monotonic() + timeout
    active, pool = dbos._active_workflows_set, dbos._executor  # noqa: SLF001 - there is no public way
    if isinstance(active, ActiveWorkflows):
        active.wait(timeout)
    DBOS.destroy(destroy_registry=True)
    for thread in pool._threads:  # noqa: SLF001 - as above; to shut it down and wait might take for ever
        thread.join(max(0.0, until - monotonic()))


def quiet() -> None:
    """DBOS would print to the terminal by itself; with a handler in place it leaves that to the root logger."""
    logger = logging.getLogger("dbos")
    if not logger.handlers:
        logger.addHandler(logging.NullHandler())
    logger.propagate = True
