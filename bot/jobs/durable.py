"""The durable engine: jobs live in our own database (by DBOS), so what was committed is done, also after kill -9.

The life of a job's row, each status with what leads on from it:

    ENQUEUED  stored by a commit, or due: `QueueThreads` takes it as soon as there is room
    DELAYED   put off: `DelayedJobs` queues it when it is due
    PENDING   begun: `JobRuns` runs it; when its process is gone or its outcome is not written, `Recovery` queues it again
    SUCCESS   done, or failed and stored again: then a new row, `ID.2`, is DELAYED; `JobRows.purge` deletes it in the end
    ERROR     failed each time for a day: no new row; deleted likewise
"""

import threading
from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from functools import partial
from typing import Final

import structlog
from dbos import DBOS
from sqlalchemy import Engine
from sqlalchemy.exc import SQLAlchemyError
from sqlmodel import Session

from bot import db
from bot.clock import Clock, new_id
from bot.clock import now as present
from bot.job_queue import Chore, Job, Runner
from bot.jobs import dbos_runtime
from bot.jobs.coalesced_jobs import CoalescedJobs
from bot.jobs.job_rows import JobRows
from bot.jobs.job_runs import JobRuns
from bot.jobs.liveness import SINGLE_PROCESS_PACE, Chores, Liveness, PollPace
from bot.jobs.queue_threads import QueueThreads
from bot.jobs.recovery import Recovery
from bot.jobs.wakeup import call_after_commit
from bot.telemetry import metrics

JOB_RETENTION: Final = timedelta(days=14)
"""How long a finished job stays in the table."""
PURGE_INTERVAL: Final = timedelta(minutes=10)
SHORTEN_INTERVAL: Final = timedelta(minutes=1)

_ONE_A_PROCESS: Final = threading.Lock()

log = structlog.get_logger()


class DurableEngine:
    """The port's promises on SQLite and PostgreSQL, at least once.

    `executor_id` must be new for every process. `sole` says that no other process takes jobs from this database:
    then the jobs that an earlier process left are taken up at once, instead of after it has been silent for a while.
    A process that only stores jobs never calls `start`.
    """

    def __init__(
        self,
        engine: Engine,
        *,
        executor_id: str,
        sole: bool = False,
        clock: Clock = present,
        pace: PollPace | None = None,
    ) -> None:
        self._engine, self._executor_id, self._sole, self._clock = engine, executor_id, sole, clock
        self._pace = pace or (SINGLE_PROCESS_PACE if sole else PollPace())
        self._sessions = db.sessions(engine)
        self._liveness = Liveness(self._sessions, executor_id, clock, silent=self._pace.silent)
        self._threads = QueueThreads(self._pace)
        self._rows = JobRows(engine, self._threads.wakeups)
        self._recovery = Recovery(self._rows, executor_id, lost_after=self._pace.lost)
        self._runs = JobRuns(self._rows)
        # While it takes jobs:
        self._dbos: DBOS | None = None
        self._coalesced: CoalescedJobs | None = None
        self._chores: list[Chores] = []

    def prepare(self) -> None:
        """Create or upgrade the engine's own tables; does nothing when they are there."""
        # The schema is otherwise made by `start`; a process that only stores jobs may come first.
        self._rows.create_tables()

    def enqueue(self, session: Session, job: Job) -> str:
        """Store the job in the session's transaction; see the port."""
        job_id = new_id()
        self._rows.store(session, job, job_id)
        return job_id

    def request(self, session: Session, job: Job) -> None:
        """See the port; where others take jobs, too, each transaction stores its own."""
        if self._coalesced is None:
            self.enqueue(session, job)
        else:
            call_after_commit(session, partial(self._coalesced.ask, job))

    def begun(self, job: Job) -> None:
        """See the port."""
        if self._coalesced is not None:
            self._coalesced.begun(job)

    def start(self, runner: Runner, chores: Sequence[Chore] = ()) -> None:
        """Begin to take jobs, first those that processes which are gone left; `chores` are done beside them.

        Raises RuntimeError when this process runs an engine already, SQLAlchemyError without a database.
        """
        if not _ONE_A_PROCESS.acquire(blocking=False):
            raise RuntimeError("this process runs an engine already")
        try:
            self._take_jobs(runner)
        except BaseException:
            self._take_no_more()
            DBOS.destroy(destroy_registry=True)
            self._dbos = None
            _ONE_A_PROCESS.release()
            raise
        if self._sole:
            self._coalesced = CoalescedJobs(self._store)
            self._coalesced.start()
        stopping, pace = threading.Event(), self._pace.beat
        beat, reap = Chore("beat", pace, self._liveness.beat), Chore("reap", pace, self._reap)
        delays = Chore("delays", SHORTEN_INTERVAL, self._rows.shorten_delays)
        purge = Chore("purge", PURGE_INTERVAL, partial(self._purge, stopping))
        # Beside the thread that says that we live: there may be many rows to delete.
        purging = Chores([purge], name="engine-purge", stopping=stopping)
        self._chores = [purging, Chores([beat, reap, delays, *chores])]
        for each in self._chores:
            each.start()

    def stop(self, timeout: float = 10) -> None:
        """Take no new jobs and let running ones end for at most `timeout` seconds; others take up what is left."""
        if self._dbos is None:
            return
        # Chores end first: they may store jobs.
        for each in self._chores:
            each.stop(timeout)
        if self._coalesced is not None:
            self._coalesced.stop(timeout)
            self._coalesced = None
        self._take_no_more()
        try:
            dbos_runtime.end(self._dbos, timeout)
            with suppress(SQLAlchemyError):  # While the database is away our silence says it
                self._liveness.leave()
        finally:
            self._dbos = None
            _ONE_A_PROCESS.release()

    def workers(self) -> int:
        """The number of processes that take jobs, this one included, as far as each has said that it lives."""
        return 1 if self._sole else len(self._liveness.living())

    def now(self) -> datetime:
        """See the port."""
        return self._clock()

    def _store(self, job: Job) -> None:
        with self._sessions() as session:
            self.enqueue(session, job)

    def _take_jobs(self, runner: Runner) -> None:
        if self._sole:  # Every process from before has ended
            self._liveness.forget_silent(silent=timedelta(0))
        # The first beat comes before the first job: else another process could take that job for lost.
        self._liveness.beat()
        self.prepare()
        self._runs.start(runner)
        self._dbos = dbos_runtime.launch(self._engine, self._executor_id, self._runs.run, ended=self._threads.ended)
        self._threads.start(self._dbos, self._rows)
        self._rows.shorten_delays()
        if recovered := self._recover():
            log.info("engine.recovered", jobs=recovered)

    def _take_no_more(self) -> None:
        self._runs.stop()
        self._threads.stop()

    def _reap(self) -> None:
        if recovered := self._recover():
            log.warning("engine.reaped", jobs=recovered)
        if not self._sole:
            self._liveness.forget_silent()

    def _recover(self) -> int:
        """Queue again what processes that are gone had begun, and what we began and do not run; the number of jobs."""
        if self._dbos is None:
            return 0
        living = frozenset({self._executor_id}) if self._sole else self._liveness.living()
        recovered = self._recovery.recover(living, partial(dbos_runtime.running, self._dbos))
        if recovered:
            self._threads.wake()
            metrics.JOBS_RECOVERED.inc(recovered)
        return recovered

    def _purge(self, stopping: threading.Event) -> None:
        self._rows.purge(before=self._clock() - JOB_RETENTION, stopping=stopping)
