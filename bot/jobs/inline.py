"""An engine without threads, for tests: committed jobs wait in memory until they are told to run."""

import itertools
from collections.abc import Sequence
from datetime import timedelta

from sqlalchemy import event
from sqlalchemy.orm import Session as AnySession
from sqlmodel import Session

from bot.job_queue import Chore, Job, Runner


class InlineEngine:
    """Keeps the port's promises in one thread; `waiting` shows the committed jobs, `now` ones first."""

    def __init__(self) -> None:
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
        return job_id

    def start(self, runner: Runner, chores: Sequence[Chore] = ()) -> None:
        """Take this runner; nothing runs before `run_all`, and a chore only when somebody calls it from `chores`."""
        self._runner = runner
        self.chores = tuple(chores)

    def stop(self) -> None:
        """Run nothing any more."""
        self._runner = None

    @property
    def waiting(self) -> tuple[Job, ...]:
        """The jobs to run, in order: without delay before delayed, `now` before `later`."""
        return tuple(job for _, job in self._ordered())

    def run_all(self, *, delayed: bool = False, limit: int = 1000) -> int:
        """Run what waits, and what that queues, and say how many ran; delayed jobs wait unless `delayed`."""
        ran = 0
        while ran < limit:
            ready = [entry for entry in self._ordered() if delayed or entry[1].delay == timedelta(0)]
            if not ready:
                return ran
            if self._runner is None:
                raise RuntimeError("the engine was not started")
            self._committed.remove(ready[0])
            job_id, job = ready[0]
            self._runner(job, job_id)
            ran += 1
        raise RuntimeError(f"still jobs after {limit}: they queue each other without end")

    def _ordered(self) -> list[tuple[str, Job]]:
        return sorted(self._committed, key=lambda entry: (entry[1].delay, entry[1].queue != "now"))

    def _commit(self, session: AnySession) -> None:
        self._committed.extend(session.info.pop(id(self), []))

    def _forget(self, session: AnySession) -> None:
        session.info.pop(id(self), None)
