"""An engine without threads: committed jobs wait in memory until they are told to run."""

import itertools
from collections.abc import Sequence
from datetime import datetime, timedelta

from sqlalchemy import event
from sqlalchemy.orm import Session as AnySession
from sqlmodel import Session

from bot.clock import Clock, now
from bot.job_queue import Chore, Job, Runner


class InlineEngine:
    """Keeps the port's promises in one thread; `waiting` shows the committed jobs, `now` ones first.

    A delayed job is due by `clock`.
    """

    def __init__(self, clock: Clock = now) -> None:
        self._clock = clock
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

    def start(self, runner: Runner, chores: Sequence[Chore] = ()) -> None:
        """Take this runner; nothing runs before `run_all`, and a chore only when somebody calls it from `chores`."""
        self._runner = runner
        self.chores = tuple(chores)

    def stop(self) -> None:
        """Run nothing any more."""
        self._runner = None

    def workers(self) -> int:
        """Nobody else."""
        return 1

    def unfinished(self) -> frozenset[tuple[str, tuple[str | int, ...]]]:
        """What waits: nothing else runs while somebody asks."""
        return frozenset((job.name, job.ids) for _, job in self._committed)

    @property
    def waiting(self) -> tuple[Job, ...]:
        """The jobs to run, in order: without delay before delayed, `now` before `later`."""
        return tuple(job for _, job in self._ordered())

    @property
    def next_due(self) -> datetime | None:
        """The moment at which there is something to do; None when no job waits."""
        return min((self._due[job_id] for job_id, _ in self._committed), default=None)

    def run_due(self) -> bool:
        """Run one job that is due, of `now` before the others; False without one."""
        due = [entry for entry in self._committed if self._due[entry[0]] <= self._clock()]
        if due:
            self._run(min(due, key=lambda entry: (entry[1].queue != "now", self._due[entry[0]])))
        return bool(due)

    def run_all(self, *, delayed: bool = False, limit: int = 1000) -> int:
        """Run what waits, and what that queues, and say how many ran; delayed jobs wait unless `delayed`."""
        ran = 0
        while ran < limit:
            ready = [entry for entry in self._ordered() if delayed or entry[1].delay == timedelta(0)]
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
        return sorted(self._committed, key=lambda entry: (entry[1].delay, entry[1].queue != "now"))

    def _commit(self, session: AnySession) -> None:
        self._committed.extend(session.info.pop(id(self), []))

    def _forget(self, session: AnySession) -> None:
        session.info.pop(id(self), None)
