"""The durable engine: jobs live in our own database (by DBOS), so what was committed is done, also after kill -9."""

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime, timedelta
from functools import partial
from typing import get_args

import structlog
from dbos import DBOS, DBOSClient, DBOSConfig, DBOSPortableJSONSerializer, EnqueueOptions, WorkflowStatus
from dbos._queue import queue_worker_thread
from sqlalchemy import Engine
from sqlalchemy.exc import SQLAlchemyError
from sqlmodel import Session

from bot import db
from bot.clock import Clock, machine, monotonic, new_id
from bot.clock import now as present
from bot.job_queue import Chore, Job, QueueName, Runner
from bot.jobs import dbos_runtime, retries
from bot.jobs.coalesced_jobs import CoalescedJobs
from bot.jobs.dbos_runtime import ActiveWorkflows
from bot.jobs.liveness import SINGLE_PROCESS_PACE, Chores, Liveness, PollPace
from bot.jobs.retries import FailureLog
from bot.jobs.wakeup import Wakeup, call_after_commit
from bot.telemetry import metrics

APPLICATION = "countersign"
VERSION = "1"
"""Constant: DBOS runs only jobs of its own version, and ours must survive an upgrade of the code."""

WORKFLOW = "countersign.job"
QUICK_TRIES = 3
RETRY_PAUSE_SECONDS = 0.3
"""Seconds between the first try and the second; three times as long before the third."""
MAX_TRIES = 300
"""A job that fails every time is tried again for about a day, then kept as failed; so is one whose process ends each time."""

JOB_RETENTION = timedelta(days=14)
"""How long a finished job stays in the table."""

PURGE_INTERVAL = timedelta(minutes=10)
PURGE_BATCH_JOBS = 200
"""Jobs in one transaction: SQLite has one writer, and others wait for it."""
PURGE_PAUSE_SECONDS = 0.05

_DELAYED = "delayed"

_WAKEUP_DELAY_SECONDS = 0.1
"""Seconds that a job which has ended waits for others: to look for the next ones costs as much as a third of a verdict."""

log = structlog.get_logger()


class JobFailed(Exception):
    """A job raised; the message names the kind of error only, since it is stored and must hold no personal data."""


class NotRecorded(BaseException):
    """The outcome of a job could not be written down. No `Exception`, which DBOS would take for the job's end: it stays begun."""


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
        self._engine = engine
        self._executor_id = executor_id
        self._sole = sole
        self._pace = pace or (SINGLE_PROCESS_PACE if sole else PollPace())
        self._sessions = db.sessions(engine)
        self._coalesced: CoalescedJobs | None = None
        self._liveness = Liveness(self._sessions, executor_id, clock, silent=self._pace.silent)
        self._clock = clock
        self._client = DBOSClient(
            system_database_engine=engine,
            serializer=DBOSPortableJSONSerializer(),
            application_name=APPLICATION,
            lazy=True,
        )
        self._chores: Chores | None = None
        self._runner: Runner | None = None
        self._failures = FailureLog()
        self._running: set[str] = set()
        self._wakeups = _wakeups()
        self._takers: list[threading.Thread] = []
        self._ending = threading.Event()
        self._turn = threading.Condition()
        self._lost: dict[tuple[str, int | None], float] = {}
        self._dbos: DBOS | None = None
        self._stopping = threading.Event()
        self._purging = Chores([])

    def prepare(self) -> None:
        """Create or upgrade the engine's own tables; does nothing when they are there."""
        # The schema is otherwise made by `start`; a process that only stores jobs may come first.
        self._client._sys_db.run_migrations()  # noqa: SLF001 - DBOS.migrate would open an engine of its own

    def enqueue(self, session: Session, job: Job) -> str:
        """Store the job in the session's transaction; see the port."""
        job_id = new_id()
        connection, options = session.connection(), _options(job_id, job.queue, job.delay)
        # On the session's connection: by the session it would cost more.
        self._client.enqueue_in_transaction(connection, options, job.name, list(job.ids), job.queue, job_id, 1)
        call_after_commit(session, self._wakeups[_DELAYED if job.delay > timedelta(0) else job.queue].wake)
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

    def _store(self, job: Job) -> None:
        with self._sessions() as session:
            self.enqueue(session, job)

    def start(self, runner: Runner, chores: Sequence[Chore] = ()) -> None:
        """Begin to take jobs, first those that processes which are gone left; `chores` are done beside them.

        Raises RuntimeError when this process runs an engine already, SQLAlchemyError without a database.
        """
        if not _ONE_A_PROCESS.acquire(blocking=False):
            raise RuntimeError("this process runs an engine already")
        try:
            if self._sole:  # Every process from before has ended
                self._liveness.forget_silent(silent=timedelta(0))
            # The first beat comes before the first job: else another process could take that job for lost.
            self._liveness.beat()
            self._launch(runner)
            dbos_runtime.shorten(self._client)
            if recovered := self._recover():
                log.info("engine.recovered", jobs=recovered)
        except BaseException:
            self._take_no_more()
            DBOS.destroy(destroy_registry=True)
            _ONE_A_PROCESS.release()
            raise
        if self._sole:
            self._coalesced = CoalescedJobs(self._store)
            self._coalesced.start()
        shorten = Chore("delays", dbos_runtime.SHORTEN_INTERVAL, lambda: dbos_runtime.shorten(self._client))
        beat, reap = self._liveness.beat, self._reap
        self._chores = Chores(
            [Chore("beat", self._pace.beat, beat), Chore("reap", self._pace.beat, reap), shorten, *chores]
        )
        self._chores.start()
        # Beside the thread that says that we live: there may be many.
        self._stopping.clear()
        self._purging = Chores([Chore("purge", PURGE_INTERVAL, self._purge)], name="engine-purge")
        self._purging.start()

    def stop(self, timeout: float = 10) -> None:
        """Take no new jobs and let running ones end for at most `timeout` seconds; others take up what is left."""
        if self._chores is None or self._dbos is None:
            return
        # Chores end first: they may store jobs.
        self._stopping.set()
        self._purging.stop(timeout)
        self._chores.stop(timeout)
        self._chores = None
        if self._coalesced is not None:
            self._coalesced.stop(timeout)
            self._coalesced = None
        self._take_no_more()
        try:
            dbos_runtime.end(self._dbos, timeout)
            with suppress(SQLAlchemyError):  # While the database is away our silence says it
                self._liveness.leave()
        finally:
            self._runner = self._dbos = None
            _ONE_A_PROCESS.release()

    def workers(self) -> int:
        """The number of processes that take jobs, this one included, as far as each has said that it lives."""
        return 1 if self._sole else len(self._liveness.living())

    def now(self) -> datetime:
        """See the port."""
        return self._clock()

    def _recover(self) -> int:
        """Queue again what processes that are gone had begun, and what we began and do not run; the number of jobs."""
        living = frozenset({self._executor_id}) if self._sole else self._liveness.living()
        begun = self._client.list_workflows(status="PENDING", load_input=False, load_output=False)
        gone = {str(job.executor_id) for job in begun} - living
        # Conditional on the executor in one UPDATE: two processes recovering at once queue a job once.
        taken = len(DBOS._recover_pending_workflows(sorted(gone))) if gone else 0  # noqa: SLF001 - the public way is not conditional
        taken += self._take_up([job for job in begun if job.executor_id == self._executor_id])
        if taken:
            self._wake()
            metrics.JOBS_RECOVERED.inc(taken)
        return taken

    def _take_up(self, mine: Sequence[WorkflowStatus]) -> int:
        """Queue jobs again that count as begun but run nowhere: their beginning or end could not be written or read.

        It is given time, since a job is begun a moment before a thread runs it; after an outage of the database that is
        over.
        """
        if self._dbos is None:
            return 0
        # From before the job itself until its end is written; looked at after the rows, or one just begun would be missed.
        running = set(self._dbos._active_workflows_set.activeList())  # noqa: SLF001 - there is no public way
        at, now, lost_after = monotonic(), machine().timestamp(), self._pace.lost.total_seconds()
        lost = [(job.workflow_id, job.dequeued_at) for job in mine if job.workflow_id not in running]
        # A job that this process has seen lost is remembered with the first such moment.
        self._lost = {one: self._lost.get(one, at) for one in lost}
        seconds = {one: max(at - since, now - (one[1] or now * 1000) / 1000) for one, since in self._lost.items()}
        due = [job_id for (job_id, _), gone in seconds.items() if gone >= lost_after]
        again = self._client._sys_db.reenqueue_for_recovery  # noqa: SLF001 - as above: conditional on the executor
        return sum(again(job_id, [self._executor_id], "later") for job_id in due)

    def purge(self, *, before: datetime) -> int:
        """Delete the rows of jobs that ended before that moment; the number deleted, at most `PURGE_BATCH_JOBS`."""
        ended = self._client.list_workflows(
            status=["SUCCESS", "ERROR", "CANCELLED", "MAX_RECOVERY_ATTEMPTS_EXCEEDED"],
            completed_before=before.isoformat(),
            limit=PURGE_BATCH_JOBS,
            load_input=False,
            load_output=False,
        )
        if ended:
            self._client.delete_workflows([job.workflow_id for job in ended])
        return len(ended)

    def _launch(self, runner: Runner) -> None:
        dbos_runtime.quiet()
        dbos_runtime.retry_soon()
        self._runner = runner
        self._dbos = dbos = DBOS(
            config=DBOSConfig(
                name=APPLICATION,
                system_database_engine=self._engine,
                serializer=DBOSPortableJSONSerializer(),
                application_version=VERSION,
                executor_id=self._executor_id,
                use_listen_notify=False,  # NOTIFY locks the whole database at commit.
                enable_otlp=False,
                log_level="WARNING",
                scheduler_polling_interval_sec=3600,  # There are no schedules.
                notification_listener_polling_interval_sec=0.05,  # How long its thread sleeps before it ends
            )
        )

        @DBOS.workflow(name=WORKFLOW, max_recovery_attempts=MAX_TRIES)
        def work(name: str, ids: list[str | int], queue: QueueName, job_id: str, tries: int) -> str:
            with self._alone(job_id):
                return self._work(Job(name, tuple(ids), queue), job_id, tries)

        self.prepare()
        self._ending.clear()
        self._wakeups = _wakeups()
        # A job counts as running until its outcome is stored: then there is room for another.
        dbos._active_workflows_set = ActiveWorkflows(self._has_room)  # noqa: SLF001 - DBOS tells it in no other way
        DBOS.listen_queues([])  # DBOS itself would only poll; `_take` runs its loop with a wake-up.
        DBOS.launch()
        dbos_runtime.end_looking(dbos)
        self._take(dbos, "now", self._pace.now_workers, self._pace.now_poll)
        self._take(dbos, "later", self._pace.later_workers, self._pace.later_poll)
        self._take(dbos, "outgoing", self._pace.outgoing_workers, self._pace.later_poll)
        tables = dbos._sys_db  # noqa: SLF001 - the client's is another one, with tables of its own
        woken, longest = self._wakeups[_DELAYED], self._pace.delayed_poll
        put_off = dbos_runtime.DelayedJobs(tables, woken, longest=longest, queued=self._wake)
        self._begin(_DELAYED, put_off.work)

    def _take(self, dbos: DBOS, name: QueueName, workers: int, poll: float) -> None:
        """Begin to take jobs from that queue, by DBOS's own loop with our wake-up in the place of its stop event."""
        queue = self._client.register_queue(name, worker_concurrency=workers, polling_interval_sec=poll)
        queue.database_backed_queue = False  # Else DBOS would read the queue's row before each look.
        self._begin(name, partial(queue_worker_thread, self._wakeups[name], dbos, queue))

    def _begin(self, name: str, work: Callable[[], None]) -> None:
        taker = threading.Thread(target=work, name=f"jobs-{name}", daemon=True)
        taker.start()
        self._takers.append(taker)

    def _wake(self) -> None:
        for name in get_args(QueueName):
            self._wakeups[name].wake()

    def _has_room(self, queue: str) -> None:
        if wakeup := self._wakeups.get(queue):
            wakeup.wake(_WAKEUP_DELAY_SECONDS)

    def _take_no_more(self) -> None:
        self._ending.set()
        for wakeup in self._wakeups.values():
            wakeup.set()
        for taker in self._takers:
            taker.join(5)
        self._takers = []

    @contextmanager
    def _alone(self, job_id: str) -> Iterator[None]:
        """Run no job twice at once: one that was taken up while a thread of ours came back to it waits for that."""
        with self._turn:
            self._turn.wait_for(lambda: job_id not in self._running)
            self._running.add(job_id)
        try:
            yield
        finally:
            with self._turn:
                self._running.discard(job_id)
                self._turn.notify_all()

    def _purge(self) -> None:
        """Delete ended jobs lot by lot, so that others write in between, until none is left."""
        while self.purge(before=self._clock() - JOB_RETENTION) == PURGE_BATCH_JOBS and not self._stopping.wait(
            PURGE_PAUSE_SECONDS
        ):
            pass

    def _reap(self) -> None:
        if recovered := self._recover():
            log.warning("engine.reaped", jobs=recovered)
        if not self._sole:
            self._liveness.forget_silent()

    def _work(self, job: Job, job_id: str, tries: int) -> str:
        """The one workflow: run the job, quickly again when it raises, then queue it again for later."""
        error: Exception | None = None
        for number in range(QUICK_TRIES):
            if number:
                self._ending.wait(RETRY_PAUSE_SECONDS * 3 ** (number - 1))
            error = self._attempt(job, job_id)
            if error is None:
                return "done"
        if tries >= MAX_TRIES:
            raise JobFailed(f"{job.name} failed {tries} times")
        # Its id follows from this one's: a crash right here does not queue it twice.
        options = _options(f"{job_id}.{tries + 1}", "later", retries.wait(tries, error))
        try:
            self._client.enqueue(options, job.name, list(job.ids), job.queue, job_id, tries + 1)
            self._wakeups[_DELAYED].wake()
        except Exception as refusal:  # noqa: BLE001 - no error here must end the job
            log.warning("engine.not-recorded", job=job.name, job_id=job_id, why=type(refusal).__name__)
            raise NotRecorded from None
        metrics.JOB_RETRIES.labels(job.name).inc()
        return "again"

    def _attempt(self, job: Job, job_id: str) -> Exception | None:
        """One attempt, without a row of its own at DBOS: a job may be done twice. Gives its error, if it failed."""
        assert self._runner is not None
        try:
            with metrics.JOB_SECONDS.labels(job.name).time(), metrics.JOBS_RUNNING.track_inprogress():
                self._runner(job, job_id)
        except Exception as error:  # noqa: BLE001 - every failure is a reason to try again
            metrics.JOBS.labels(job.name, "failed").inc()
            self._failures.failed(job, job_id, error)
            return error
        metrics.JOBS.labels(job.name, "done").inc()
        return None


_ONE_A_PROCESS = threading.Lock()


def _wakeups() -> dict[str, Wakeup]:
    """A wakeup for each thread that looks for jobs."""
    return {name: Wakeup() for name in (*get_args(QueueName), _DELAYED)}


def _options(workflow_id: str, queue: QueueName, delay: timedelta) -> EnqueueOptions:
    options: EnqueueOptions = {
        "workflow_name": WORKFLOW,
        "queue_name": queue,
        "workflow_id": workflow_id,
        "app_version": VERSION,
    }
    if delay > timedelta(0):
        options["delay_seconds"] = delay.total_seconds()
        options["attributes"] = dbos_runtime.remembered(delay)
    return options
