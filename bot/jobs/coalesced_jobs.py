"""Jobs of which one that waits is enough: they are stored after the commit that asked for them, unless one waits already.

A job that takes all that is due needs to be stored once for all that came due before it begins. What is due stands in the
rows, and is looked for every second: a crash before the job is stored loses nothing.
"""

import threading
from collections.abc import Callable
from queue import SimpleQueue
from typing import Final

import structlog

from bot.clock import monotonic
from bot.job_queue import Job

MAX_WAIT_SECONDS: Final = 30.0
"""A job that has not begun for so long is stored once more: an operator may have deleted it."""

log = structlog.get_logger()


class CoalescedJobs:
    """`store` stores a job in a transaction of its own, on a thread of this object's."""

    def __init__(self, store: Callable[[Job], object]) -> None:
        self._store = store
        self._lock = threading.Lock()
        self._waiting: dict[Job, float] = {}
        self._asked: SimpleQueue[Job | None] = SimpleQueue()
        self._thread = threading.Thread(target=self._work, name="jobs-coalesced", daemon=True)

    def start(self) -> None:
        """Begin to store."""
        self._thread.start()

    def stop(self, timeout: float) -> None:
        """Store nothing more; wait so many seconds for what is being stored."""
        self._asked.put(None)
        self._thread.join(timeout)

    def ask(self, job: Job) -> None:
        """Have the job stored unless one like it waits to begin."""
        now = monotonic()
        with self._lock:
            if now - self._waiting.get(job, -MAX_WAIT_SECONDS) < MAX_WAIT_SECONDS:
                return
            self._waiting[job] = now
        self._asked.put(job)

    def begun(self, job: Job) -> None:
        """Note that a job has begun, which takes what is due by now: for what comes later it has to be stored again."""
        with self._lock:
            self._waiting.pop(job, None)

    def _work(self) -> None:
        while (job := self._asked.get()) is not None:
            try:
                self._store(job)
            except Exception as error:  # noqa: BLE001 - the regular look for due rows asks again
                log.warning("engine.not-stored", job=job.name, why=type(error).__name__)
                self.begun(job)  # Else it would not be stored for `MAX_WAIT_SECONDS`.
