"""A lot: one job takes many rows that are due, and works on them on a few threads, each for itself."""

import threading
from collections import defaultdict, deque
from collections.abc import Callable, Sequence
from contextvars import copy_context
from dataclasses import replace
from functools import cache, partial
from typing import Any, Final, TypeVar

import structlog
from sqlalchemy.exc import SQLAlchemyError

from bot import db
from bot.clock import monotonic
from bot.flows.flow_services import Services
from bot.flows.group_commit import GroupCommit
from bot.job_queue import Job, QueueName
from bot.store import outbox, outgoing_webhooks
from bot.store.leases import MAX_CLAIMS, Lease, Leases
from bot.store.license_checks import LICENSE_CHECKS
from bot.store.merge_groups import MERGE_GROUPS
from bot.store.pulls.review_mailbox import REVIEWS
from bot.telemetry import metrics

LEASED: Final[tuple[Leases[Any, Any], ...]] = (
    REVIEWS,
    LICENSE_CHECKS,
    MERGE_GROUPS,
    outbox.EMAILS,
    outgoing_webhooks.QUEUE,
)

PATIENCE_SECONDS: Final = 2.0  # Then a lot gives back what it has not begun.
# While several rows are worked on, the next lot of that kind and queue begins so long after the last one: it will be
# larger.
LOT_INTERVAL_SECONDS: Final = 0.15

C = TypeVar("C", bound=Lease[Any])
Member = Callable[[C, Services], None]
"""Does what is to be done with one row, and has it tried again where it cannot."""

log = structlog.get_logger()


class Lots:
    """The lots of one process, each on so many threads at most."""

    def __init__(self, services: Services, *, threads: int = MAX_CLAIMS) -> None:
        self._services, self._threads = services, threads
        self._turns: defaultdict[tuple[str, QueueName], _Turns] = defaultdict(_Turns)

    def work(self, leases: Leases[Any, C], member: Member[C], job: Job, job_id: str) -> None:
        """Judge the rows that are due; with the same `job_id`, after a crash, first those that job held.

        Nothing is done where another job waits to begin: that one finds the same. Raises what a member raised.
        """
        services, turns = self._services, self._turns[leases.job, job.queue]
        if job.ids:  # For one subject: the release before stored it.
            with services.sessions() as session:
                leases.admit(session, job.ids, at=services.clock())
        wanted = leases.threads[job.queue], leases.max_threads
        # A job that a crash interrupted must run: no other takes the rows that it holds.
        if not turns.take(job_id, *wanted) and not (
            self._was_interrupted(leases, job_id) and turns.take(job_id, *wanted, always=True)
        ):
            return
        try:
            # Said before the claim: rows that come due from now on need another job.
            services.engine.begun(job)
            with services.sessions() as session:
                claims = leases.claim(session, services.engine, job.queue, job_id, at=services.clock())
            threads = min(len(claims), self._threads, leases.threads[job.queue])
            turns.takes(job_id, threads)
            if len(claims) < 2:
                errors = _alone(claims, member, services)
            else:
                errors = self._together(leases, claims, member, threads)
        finally:
            turns.give(job_id)
        if errors:
            raise errors[0]

    def _was_interrupted(self, leases: Leases[Any, Any], job_id: str) -> bool:
        with self._services.sessions() as session:
            return leases.is_held_by(session, job_id)

    def _together(self, leases: Leases[Any, C], claims: Sequence[C], member: Member[C], many: int) -> list[Exception]:
        # All are judged by the same texts, which are read once.
        services = replace(self._services, texts=cache(self._services.texts))
        left, errors = deque(claims), list[Exception]()
        group = GroupCommit(self._services.sessions, many)

        def judge() -> None:
            while True:
                try:
                    claim = left.popleft()
                except IndexError:
                    return group.left()
                write = partial(group.write, place=leases.place(claim))
                errors.extend(_alone([claim], member, replace(services, group=write)))

        threads = [threading.Thread(target=judge, name=f"lot-{leases.job}", daemon=True) for _ in range(many)]
        # A thread for each: a slow member, or a failure of one, leaves the others alone.
        for thread in threads:
            thread.start()
        end = monotonic() + PATIENCE_SECONDS
        for thread in threads:
            thread.join(max(0.0, end - monotonic()))
        # Rows that no thread has begun are given back, so that another process may take them.
        waiting = []
        while left:  # From the end: the threads take from the front.
            waiting.append(left.pop())
        if waiting:
            errors += self._give_back(leases, waiting)
        for thread in threads:
            thread.join()
        return errors

    def _give_back(self, leases: Leases[Any, C], claims: Sequence[C]) -> list[Exception]:
        services = self._services
        try:
            for claim in claims:  # Each in a transaction of its own, against deadlocks.
                with services.sessions() as session:
                    leases.give_back(session, services.engine, claim, at=services.clock())
        except Exception as error:  # noqa: BLE001 - the job is run again, and takes them again
            return [error]
        return []


def repair(services: Services) -> None:
    """A chore: have judged what no job would look at, and store jobs for what is due and has none."""
    for leases in LEASED:
        with services.sessions() as session:
            found = leases.repair(session, services.engine, at=services.clock())
        if found:
            metrics.JOBS_RECOVERED.inc(found)
            log.warning("lot.repaired", job=leases.job, subjects=found)


def queue_due(services: Services) -> None:
    """A chore: store a job where something has come due, as a try that was put off."""
    try:
        with services.sessions() as session:
            for leases in LEASED:
                leases.queue_due(session, services.engine, at=services.clock())
    except SQLAlchemyError as error:
        # Others report an outage, and the next look comes in a second.
        if db.outage(error) is None:
            raise


class _Turns:
    """The threads that work on lots of each kind and queue at the moment."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._begun: dict[str, tuple[float, int]] = {}
        self._waiting = 0

    def take(self, job_id: str, threads: int, most: int, *, always: bool = False) -> bool:
        """Wait for so many `threads` of `most`; False, at once, where another waits and it is not to wait `always`."""
        with self._changed:
            if self._is_full(threads, most):
                if self._waiting and not always:  # One that waits is enough: it will find these rows, too.
                    return False
                self._waiting += 1
                while self._is_full(threads, most):
                    left = self._next_change()
                    self._changed.wait(left if left > 0 else None)
                self._waiting -= 1
            self._begun[job_id] = (monotonic(), threads)
            return True

    def takes(self, job_id: str, threads: int) -> None:
        """Note that a lot needs only so many threads."""
        with self._changed:
            self._begun[job_id] = (self._begun[job_id][0], threads)
            self._changed.notify_all()

    def give(self, job_id: str) -> None:
        """Free the threads of a lot that has ended."""
        with self._changed:
            self._begun.pop(job_id, None)
            self._changed.notify_all()

    def _is_full(self, threads: int, most: int) -> bool:
        busy = sum(taken for _, taken in self._begun.values())
        return busy + threads > most or (busy > 1 and self._next_change() > 0)

    def _next_change(self) -> float:
        # 0 or less: the next lot may begin now.
        newest = max((begun for begun, _ in self._begun.values()), default=-LOT_INTERVAL_SECONDS)
        return newest + LOT_INTERVAL_SECONDS - monotonic()


def _alone(claims: Sequence[C], member: Member[C], services: Services) -> list[Exception]:
    for claim in claims:
        try:
            # Each in a context of its own: log lines and traces name the subject.
            copy_context().run(member, claim, services)
        except Exception as error:  # noqa: BLE001 - the others are judged, and the job is run again for this one
            return [error]
    return []
