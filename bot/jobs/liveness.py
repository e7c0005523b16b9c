"""Heartbeats of the processes that take jobs, and a thread that does regular chores and goes on when one of them raises."""

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

import structlog

from bot.clock import Clock, monotonic
from bot.db import Sessions
from bot.job_queue import Chore
from bot.store import executors
from bot.telemetry import metrics

HEARTBEAT_INTERVAL = timedelta(seconds=5)
"""How often a process says that it lives."""

DEAD_AFTER = timedelta(seconds=30)
"""A process that has said nothing for so long is dead: its jobs go to others."""

LOST_JOB_AFTER = timedelta(seconds=10)
"""A job of ours that counts as begun and that no thread of ours runs for so long is begun again."""

log = structlog.get_logger()


@dataclass(frozen=True, slots=True, kw_only=True)
class PollPace:
    """The pace of one process: `now_workers`, `later_workers` and `outgoing_workers` are jobs of each queue that run at once.

    Jobs that this process stores are taken at once. Those of others are looked for each `now_poll` or `later_poll`
    seconds, delayed ones each `delayed_poll`. A process says that it lives each `beat`, is dead after `silent`, and a job
    that no thread runs is `lost` after that time.
    """

    now_workers: int = 12
    later_workers: int = 8
    outgoing_workers: int = 4
    now_poll: float = 0.1
    later_poll: float = 0.5
    delayed_poll: float = 1.0
    beat: timedelta = HEARTBEAT_INTERVAL
    silent: timedelta = DEAD_AFTER
    lost: timedelta = LOST_JOB_AFTER


SINGLE_PROCESS_PACE = PollPace(now_poll=2.0, later_poll=4.0, delayed_poll=15.0)
"""Where no other process takes jobs, commands alone store some."""


class Liveness:
    """The processes that live; each is known from before its first job until its last one is done or handed on."""

    def __init__(self, sessions: Sessions, executor_id: str, clock: Clock, *, silent: timedelta = DEAD_AFTER) -> None:
        self._sessions = sessions
        self._executor_id = executor_id
        self._clock = clock
        self._silent = silent
        self._ahead: dict[str, tuple[datetime, datetime]] = {}

    def beat(self) -> None:
        """Say that this process lives."""
        with self._sessions() as session:
            executors.beat(session, self._executor_id, at=self._clock())

    def living(self) -> frozenset[str]:
        """Every process heard of lately; this one always."""
        at = self._clock()
        with self._sessions() as session:
            beats = executors.alive(session, since=at - self._silent)
        # One whose clock is ahead lives as long as what it says changes: else it would live until ours is there, too.
        ahead = {executor_id: beat for executor_id, beat in beats.items() if beat > at + self._silent}
        known = self._ahead
        self._ahead = {
            executor_id: known[executor_id] if executor_id in known and known[executor_id][0] == beat else (beat, at)
            for executor_id, beat in ahead.items()
        }
        dead = {executor_id for executor_id, (_, since) in self._ahead.items() if abs(at - since) > self._silent}
        return frozenset(beats.keys() - dead) | {self._executor_id}

    def forget_silent(self, *, silent: timedelta | None = None) -> None:
        """Forget those that were `silent` for so long, and say so; to be called when they left nothing to do."""
        with self._sessions() as session:
            gone = executors.forget_silent(session, since=self._clock() - (self._silent if silent is None else silent))
        for executor_id in gone:
            log.warning("engine.process-gone", executor=executor_id, why="it ended without saying so")

    def leave(self) -> None:
        """Say that this process takes no more jobs."""
        with self._sessions() as session:
            executors.forget(session, self._executor_id)


class Chores:
    """Does each chore when it is due, on one thread, until stopped."""

    def __init__(
        self,
        chores: Sequence[Chore],
        *,
        name: str = "engine-chores",
        at_once: bool = False,
        stopping: threading.Event | None = None,
    ) -> None:
        """With `at_once` each chore is done first when it begins, else when its interval has passed once.

        `stopping` is set by `stop`, for a chore that takes long and can be ended.
        """
        self._chores = tuple(chores)
        self._at_once = at_once
        self._stop = stopping or threading.Event()
        self._thread = threading.Thread(target=self._work, name=name, daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def stop(self, timeout: float = 5) -> None:
        """Stop; waits at most `timeout` seconds for a chore that runs."""
        self._stop.set()
        if self._thread.ident is not None:  # `join` raises for a thread that never began.
            self._thread.join(timeout)

    def _work(self) -> None:
        if not self._chores:
            return
        start = monotonic()
        due = {chore: start if self._at_once else start + chore.every.total_seconds() for chore in self._chores}
        while not self._stop.wait(max(0.0, min(due.values()) - monotonic())):
            for chore in [chore for chore, moment in due.items() if moment <= monotonic()]:
                self._do(chore)
                due[chore] = monotonic() + chore.every.total_seconds()  # From its end: the other chores get their turn.

    def _do(self, chore: Chore) -> None:
        try:
            chore.do()
            metrics.CHORE_SUCCESS.labels(chore.name).set_to_current_time()
        except Exception as error:  # noqa: BLE001 - a chore that fails must not end the others
            metrics.CHORE_FAILURES.labels(chore.name).inc()
            # Only the kind of error: a message may hold a value of a row.
            log.warning("engine.chore-failed", chore=chore.name, why=type(error).__name__)
