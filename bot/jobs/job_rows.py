"""Rows of jobs in DBOS's own tables: stored, stored again after a failure, queued again when nothing runs them, deleted at last."""

import threading
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Final

import structlog
from dbos import DBOSClient, EnqueueOptions, Queue, WorkflowStatus
from sqlalchemy import Engine
from sqlmodel import Session

from bot import clock
from bot.job_queue import Job, QueueName
from bot.jobs.dbos_runtime import APPLICATION, SERIALIZER, VERSION, WORKFLOW
from bot.jobs.wakeup import DELAYED, Wakeup, call_after_commit

PURGE_BATCH_JOBS: Final = 200
"""Jobs in one transaction: SQLite has one writer, and others wait for it."""
PURGE_PAUSE_SECONDS: Final = 0.05

_DELAY: Final = "delay_ms"
"""The attribute of a row with the job's own delay, beside the moment that DBOS computes of it."""
_CLOCK_DIFFERENCE_MS: Final = 1000
"""Clocks of two machines differ by that much."""

log = structlog.get_logger()


class JobRows:
    """The table of jobs in this database; `wakeups` wake the threads that look for what is stored."""

    def __init__(self, engine: Engine, wakeups: Mapping[str, Wakeup]) -> None:
        self._client = DBOSClient(
            system_database_engine=engine, serializer=SERIALIZER, application_name=APPLICATION, lazy=True
        )
        self._wakeups = wakeups

    def create_tables(self) -> None:
        """Create or upgrade DBOS's tables; does nothing when they are there."""
        self._client._sys_db.run_migrations()  # noqa: SLF001 - DBOS.migrate would open an engine of its own

    def queue(self, name: QueueName, workers: int, poll: float) -> Queue:
        """The queue, of which a process runs so many jobs at once and looks for more every `poll` seconds."""
        queue = self._client.register_queue(name, worker_concurrency=workers, polling_interval_sec=poll)
        queue.database_backed_queue = False  # Else DBOS would read the queue's row before each look.
        return queue

    def store(self, session: Session, job: Job, job_id: str) -> None:
        """Store the job in the session's transaction; its commit wakes the thread that looks for it."""
        options = _options(job_id, job.queue, job.delay)
        # On the session's connection: by the session it would cost more.
        self._client.enqueue_in_transaction(session.connection(), options, *_arguments(job, job_id, 1))
        call_after_commit(session, self._wakeups[DELAYED if job.delay > timedelta(0) else job.queue].wake)

    def store_again(self, job: Job, job_id: str, tries: int, delay: timedelta) -> None:
        """Store the job's next try, the one with the number `tries`, in a transaction of its own."""
        # The row's id follows from the job's: a crash right after this does not queue the job twice.
        options = _options(f"{job_id}.{tries}", "later", delay)
        self._client.enqueue(options, *_arguments(job, job_id, tries))
        self._wakeups[DELAYED].wake()

    def begun(self) -> Sequence[WorkflowStatus]:
        """Rows that a process has taken and whose outcome is not written."""
        return self._client.list_workflows(status="PENDING", load_input=False, load_output=False)

    def queue_again(self, row: WorkflowStatus) -> bool:
        """Put a begun row back into its queue; False where another process was first."""
        # Conditional on the executor in one UPDATE: of two processes that recover at once, one queues the job.
        again = self._client._sys_db.reenqueue_for_recovery  # noqa: SLF001 - the public way is not conditional
        return again(row.workflow_id, [row.executor_id or ""], "later")

    def shorten_delays(self) -> int:
        """Put off anew, by their own delay from now, the jobs that would wait longer than it; their number."""
        now = round(clock.machine().timestamp() * 1000)  # DBOS compares with that, too
        changed = 0
        for row in self._client.list_workflows(status="DELAYED", load_input=False, load_output=False):
            delay, until = (row.attributes or {}).get(_DELAY), row.delay_until_epoch_ms
            if isinstance(delay, int) and until is not None and until > now + delay + _CLOCK_DIFFERENCE_MS:
                self._client.set_workflow_delay(row.workflow_id, delay_until_epoch_ms=now + delay)
                changed += 1
        if changed:
            log.warning("engine.delays-shortened", jobs=changed, why="they were stored by a clock that was ahead")
        return changed

    def purge(self, *, before: datetime, stopping: threading.Event) -> None:
        """Delete the rows of jobs that ended before that moment, batch by batch, until none is left or it is to stop."""
        while self.purge_batch(before=before) == PURGE_BATCH_JOBS:
            if stopping.wait(PURGE_PAUSE_SECONDS):  # Others write in between.
                return

    def purge_batch(self, *, before: datetime) -> int:
        """Delete the first `PURGE_BATCH_JOBS` of them; the number deleted."""
        ended = self._client.list_workflows(
            status=["SUCCESS", "ERROR", "CANCELLED", "MAX_RECOVERY_ATTEMPTS_EXCEEDED"],
            completed_before=before.isoformat(),
            limit=PURGE_BATCH_JOBS,
            load_input=False,
            load_output=False,
        )
        if ended:
            self._client.delete_workflows([row.workflow_id for row in ended])
        return len(ended)


def _arguments(job: Job, job_id: str, tries: int) -> tuple[str, list[str | int], QueueName, str, int]:
    """The stored arguments of the workflow; `dbos_runtime.launch` reads them."""
    return job.name, list(job.ids), job.queue, job_id, tries


def _options(row_id: str, queue: QueueName, delay: timedelta) -> EnqueueOptions:
    options: EnqueueOptions = {
        "workflow_name": WORKFLOW,
        "queue_name": queue,
        "workflow_id": row_id,
        "app_version": VERSION,
    }
    if delay > timedelta(0):
        options["delay_seconds"] = delay.total_seconds()
        options["attributes"] = {_DELAY: round(delay / timedelta(milliseconds=1))}
    return options
