"""Runs of jobs: each is tried, quickly again when it raises, and stored again for later when it still fails."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import structlog

from bot.job_queue import Job, Runner
from bot.jobs import retries
from bot.jobs.job_rows import JobRows
from bot.jobs.retries import MAX_TRIES, QUICK_TRIES, RETRY_PAUSE_SECONDS, FailureLog
from bot.telemetry import metrics

log = structlog.get_logger()


class JobFailed(Exception):
    """A job raised; the message names the kind of error only, since it is stored and must hold no personal data."""


class NotRecorded(BaseException):
    """The outcome of a job could not be written down. No `Exception`, which DBOS would take for the job's end: it stays begun."""


class JobRuns:
    """The jobs that run in this process; those that fail are stored again in `rows`."""

    def __init__(self, rows: JobRows) -> None:
        self._rows = rows
        self._runner: Runner
        self._failures = FailureLog()
        self._stopping = threading.Event()
        self._running: set[str] = set()
        self._turn = threading.Condition()

    def start(self, runner: Runner) -> None:
        """Run jobs by this runner from now on."""
        self._runner = runner
        self._stopping.clear()

    def stop(self) -> None:
        """Pause no more between tries."""
        self._stopping.set()

    def run(self, job: Job, job_id: str, tries: int) -> str:
        """Run the job, which was stored `tries` times: its outcome `done`, or `again`.

        Raises JobFailed when it is tried no more, NotRecorded when that it is to be tried again could not be stored.
        """
        with self._alone(job_id):
            error = self._quick_tries(job, job_id)
            if error is None:
                return "done"
            # Counted over all rows of the job: each time that it is stored again it gets a new one.
            if tries >= MAX_TRIES:
                raise JobFailed(f"{job.name} failed {tries} times")
            try:
                self._rows.store_again(job, job_id, tries + 1, retries.wait(tries, error))
            # An exception would end the row as failed; begun as it is, `Recovery` queues it again.
            except Exception as refusal:  # noqa: BLE001 - no error here must end the job
                log.warning("engine.not-recorded", job=job.name, job_id=job_id, why=type(refusal).__name__)
                raise NotRecorded from None
            metrics.JOB_RETRIES.labels(job.name).inc()
            return "again"

    def _quick_tries(self, job: Job, job_id: str) -> Exception | None:
        error = None
        for number in range(QUICK_TRIES):
            if number:
                self._stopping.wait(RETRY_PAUSE_SECONDS * 3 ** (number - 1))
            error = self._try(job, job_id)
            if error is None:
                break
        return error

    def _try(self, job: Job, job_id: str) -> Exception | None:
        """One try, without a row of its own at DBOS: a job may be done twice. Gives its error, if it failed."""
        try:
            with metrics.JOB_SECONDS.labels(job.name).time(), metrics.JOBS_RUNNING.track_inprogress():
                self._runner(job, job_id)
        except Exception as error:  # noqa: BLE001 - every failure is a reason to try again
            metrics.JOBS.labels(job.name, "failed").inc()
            self._failures.failed(job, job_id, error)
            return error
        metrics.JOBS.labels(job.name, "done").inc()
        return None

    @contextmanager
    def _alone(self, job_id: str) -> Iterator[None]:
        """Run no job twice at once: one that was queued again while a thread of ours came back to it waits for that."""
        with self._turn:
            self._turn.wait_for(lambda: job_id not in self._running)
            self._running.add(job_id)
        try:
            yield
        finally:
            with self._turn:
                self._running.discard(job_id)
                self._turn.notify_all()
