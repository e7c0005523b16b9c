"""An engine without threads: committed jobs wait in memory until they are told to run."""

import itertools
from collections.abc import Sequence
from contextlib import nullcontext
from datetime import datetime, timedelta

from sqlalchemy import event, update
from sqlalchemy import select as rows_of
from sqlalchemy.orm import Session as AnySession
from sqlmodel import Session, col

from bot import clock as clocks
from bot.clock import Clock
from bot.db import Sessions
from bot.flows.lot import LEASED
from bot.job_queue import Chore, Job, Runner
from bot.store.mailbox import Mailbox
from bot.store.retry_policy import RETRY_DELAYS

MAILBOXES = tuple(leases for leases in LEASED if isinstance(leases, Mailbox))
LOTS = frozenset(mailbox.job for mailbox in MAILBOXES)
"""The jobs that take what is due."""


class InlineEngine:
    """Keeps the port's promises in one thread; `waiting` shows what is to be done, `now` first.

    A delayed job is due by `clock`. With `sessions` what is due in mailboxes shows as a job for each subject, in the place of
    the jobs that take a lot of them.
    """

    def __init__(self, clock: Clock = clocks.now, sessions: Sessions | None = None) -> None:
        self._clock, self._sessions = clock, sessions
        self._due: dict[str, datetime] = {}
        self._numbers = itertools.count(1)
        self._committed: list[tuple[str, Job]] = []
        self._runner: Runner | None = None
        self.chores: tuple[Chore, ...] = ()

    def enqueue(self, session: Session, job: Job) -> str:
        """Keep the job once the session's transaction commits; a rollback forgets it."""
        job_id = f"job-{next(self._numbers)}"
        pending: list[tuple[str, Job]] = session.info.setdefault(id(self), [])
        if not event.contains(session, "after_commit", self._commit):
            event.listen(session, "after_commit", self._commit)
            event.listen(session, "after_rollback", self._forget)
        pending.append((job_id, job))
        self._due[job_id] = self._clock() + job.delay
        return job_id

    def request(self, session, job):
        """Stored like any other."""
        self.enqueue(session, job)

    def begun(self, job):
        """Nothing waits to begin."""

    def start(self, runner: Runner, chores: Sequence[Chore] = ()) -> None:
        """Take this runner; nothing runs before `run_all`, and a chore only when a test calls it from `chores`."""
        self._runner = runner
        self.chores = tuple(chores)

    def stop(self) -> None:
        """Run nothing any more."""
        self._runner = None

    def workers(self) -> int:
        """Only this process."""
        return 1

    def now(self) -> datetime:
        """By its clock."""
        return self._clock()

    @property
    def waiting(self) -> tuple[Job, ...]:
        """What is to be done, in order: without delay before delayed, `now` before `later`."""
        own = [job for _, job in self._committed if self._sessions is None or job.name not in LOTS or job.ids]
        return tuple(sorted([*self._subjects(), *own], key=_order))

    @property
    def next_due(self) -> datetime | None:
        """The moment at which there is something to do; None when there is nothing."""
        due = [self._due[job_id] for job_id, _ in self._committed]
        put_off = self._subjects(timedelta(days=1))
        return min([*due, *(self._clock() + job.delay for job in put_off)], default=None)

    def run_due(self) -> bool:
        """Run a job that is due, of `now` before the others; False if no job is due."""
        self._store_lots(timedelta(0))
        due = [entry for entry in self._committed if self._due[entry[0]] <= self._clock()]
        if due:
            self._run(min(due, key=lambda entry: (entry[1].queue != "now", self._due[entry[0]])))
        return bool(due)

    def run_all(self, *, delayed: bool = False, limit: int = 1000) -> int:
        """Run what waits, and what that queues, and say how many ran; delayed jobs wait unless `delayed`."""
        ran = 0
        while ran < limit:
            ready = [entry for entry in self._ordered() if delayed or entry[1].delay == timedelta(0)]
            put_off = [job for job in self._subjects() if delayed or job.delay == timedelta(0)]
            if put_off and not (ready and _order(ready[0][1]) <= _order(put_off[0])):
                self._store_lots(put_off[0].delay)
                ready = self._ordered()
            if not ready:
                return ran
            self._run(ready[0])
            ran += 1
        raise RuntimeError(f"jobs still wait after {limit} have run: they may queue each other without end")

    def _run(self, entry: tuple[str, Job]) -> None:
        if self._runner is None:
            raise RuntimeError("the engine was not started")
        self._committed.remove(entry)
        self._runner(entry[1], entry[0])

    def _ordered(self) -> list[tuple[str, Job]]:
        return sorted(self._committed, key=lambda entry: _order(entry[1]))

    def _subjects(self, within: timedelta = RETRY_DELAYS[-1]) -> list[Job]:
        """What came in and is to be judged soon, as a job for each, and after how many seconds."""
        found: list[Job] = []
        with self._sessions() if self._sessions else nullcontext() as session:
            for mailbox in MAILBOXES if session else ():
                model, now = mailbox.model, self._clock()
                has_news = getattr(model, mailbox.covered) < col(model.latest)
                soon = col(model.due_at) <= now + within
                columns = [col(getattr(model, name)) for name in ("due_at", "urgent", *mailbox.keys)]
                wanted = rows_of(*columns).where(has_news, soon).order_by(columns[0])
                for due_at, urgent, *ids in session.execute(wanted):
                    delay = timedelta(seconds=max(0, -((now - due_at) // timedelta(seconds=1))))
                    found.append(Job(mailbox.job, tuple(ids), "now" if urgent else "later", delay))
        return sorted(found, key=_order)

    def _store_lots(self, delay: timedelta) -> None:
        """Let what comes due after that delay be due, and store jobs for it."""
        for mailbox in MAILBOXES if self._sessions else ():
            with self._sessions() as session:
                model, now = mailbox.model, self._clock()
                news = getattr(model, mailbox.covered) < col(model.latest)
                put_off = (col(model.due_at) > now, col(model.due_at) <= now + delay)
                session.execute(update(model).where(news, *put_off).values(due_at=now))
                waits = {job.queue for _, job in self._committed if job.name == mailbox.job}
                for queue in set(mailbox.due(session, at=now)) - waits:
                    self.enqueue(session, Job(mailbox.job, (), queue))

    def _commit(self, session: AnySession) -> None:
        self._committed.extend(session.info.pop(id(self), []))

    def _forget(self, session: AnySession) -> None:
        session.info.pop(id(self), None)


def _order(job: Job) -> tuple[timedelta, bool]:
    return job.delay, job.queue != "now"
