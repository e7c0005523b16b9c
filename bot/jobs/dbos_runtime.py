"""DBOS in this process: launched with our one workflow, made to poll and print less than it does by itself, and ended.

It reports when a job has ended and finds a database soon that is back. `JobRows` stores what its workflow is given.
"""

import logging
import threading
import time
from collections.abc import Callable
from typing import Any, Final

import dbos._sys_db
from dbos import DBOS, DBOSConfig, DBOSPortableJSONSerializer
from dbos._core import ActiveWorkflowById, QueueBucket
from sqlalchemy import Engine

from bot.clock import monotonic
from bot.job_queue import Job, QueueName
from bot.jobs.retries import MAX_TRIES

APPLICATION: Final = "countersign"
VERSION: Final = "1"
"""Constant: DBOS runs only jobs of its own version, and ours must survive an upgrade of the code."""
WORKFLOW: Final = "countersign.job"
SERIALIZER: Final = DBOSPortableJSONSerializer()
MAX_DATABASE_RETRY_SECONDS: Final = 1.0
"""Seconds between two tries of DBOS to reach a database that is away."""


def launch(
    engine: Engine, executor_id: str, run: Callable[[Job, str, int], str], *, ended: Callable[[str], None]
) -> DBOS:
    """Launch DBOS with our one workflow, which gives `run` a job, its id and the number of its tries.

    `ended` is told the queue of each job whose outcome is stored. DBOS takes no jobs by itself.
    """
    _quiet()
    _retry_soon()
    launched = DBOS(
        config=DBOSConfig(
            name=APPLICATION,
            system_database_engine=engine,
            serializer=SERIALIZER,
            application_version=VERSION,
            executor_id=executor_id,
            use_listen_notify=False,  # NOTIFY locks the whole database at commit.
            enable_otlp=False,
            log_level="WARNING",
            scheduler_polling_interval_sec=3600,  # There are no schedules.
            notification_listener_polling_interval_sec=0.05,  # How long its thread sleeps before it ends
        )
    )

    @DBOS.workflow(name=WORKFLOW, max_recovery_attempts=MAX_TRIES)
    def work(name: str, ids: list[str | int], queue: QueueName, job_id: str, tries: int) -> str:
        return run(Job(name, tuple(ids), queue), job_id, tries)

    # A job counts as running until its outcome is stored: then there is room for another.
    launched._active_workflows_set = ActiveWorkflows(ended)  # noqa: SLF001 - DBOS tells it in no other way
    DBOS.listen_queues([])  # DBOS itself would only poll; `QueueThreads` runs its loop with a wake-up.
    DBOS.launch()
    _end_looking(launched)
    return launched


def running(launched: DBOS) -> set[str]:
    """Ids of the rows that run in this process, each from before its job until its outcome is written."""
    return set(launched._active_workflows_set.activeList())  # noqa: SLF001 - there is no public way


def end(launched: DBOS, timeout: float) -> None:
    """End DBOS, which takes no more jobs, once its threads have ended; at most after `timeout` seconds."""
    until = monotonic() + timeout
    active, pool = launched._active_workflows_set, launched._executor  # noqa: SLF001 - there is no public way
    if isinstance(active, ActiveWorkflows):
        active.wait(timeout)
    # `destroy` would wait in steps of a second, and not for its threads, which may still hold a connection.
    DBOS.destroy(destroy_registry=True)
    for thread in pool._threads:  # noqa: SLF001 - as above; to shut it down and wait might take for ever
        thread.join(max(0.0, until - monotonic()))


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


def _retry_soon() -> None:
    """Have DBOS find out soon that a database which was away is back."""
    # After each try in vain it would sleep twice as long, up to 90 seconds, and no option changes that.
    vars(dbos._sys_db)["time"] = _ShortSleep()  # noqa: SLF001 - as below


def _end_looking(launched: DBOS) -> None:
    """End the threads of DBOS that ask the database every second whether there is anything to do."""
    # `DelayedJobs` queues what was put off; there are no schedules, no deadlines, no messages, no internal jobs.
    for stop in (launched._background_jobs_stop_event, *launched.background_thread_stop_events):  # noqa: SLF001 - no option does it
        stop.set()
    launched._sys_db._run_background_processes = False  # noqa: SLF001 - as above
    # Every job has the one version that counts.
    launched._sys_db._is_latest_version = lambda *_of_which: True  # type: ignore[method-assign]  # noqa: SLF001 - as above


def _quiet() -> None:
    """Have DBOS log by the root logger."""
    # Without a handler in place it would add one that prints to the terminal.
    logger = logging.getLogger("dbos")
    if not logger.handlers:
        logger.addHandler(logging.NullHandler())
    logger.propagate = True
