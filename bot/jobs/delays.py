"""Delayed jobs: queued when they are due, at the latest after their own delay.

So a job that was stored by a clock that was ahead does not wait longer.
"""

from collections.abc import Callable
from datetime import timedelta
from typing import Any, Final, Protocol

import structlog
from sqlalchemy import Engine, func, select

from bot import clock
from bot.jobs.wakeup import Wakeup

SHORTEN_INTERVAL: Final = timedelta(minutes=1)

_NAME: Final = "delay_ms"
_NEAR_MS: Final = 1000
"""Clocks of two machines differ by that much."""

_FIRST_LOOK_SECONDS = 1.0
"""Seconds until the first look, and until the next after one that failed."""
_MIN_PAUSE_SECONDS = 0.2
"""Seconds between two looks at least: what comes due in between is queued together."""

log = structlog.get_logger()


class Database(Protocol):
    """The engine's own tables."""

    tables: Any

    @property
    def engine(self) -> Engine:
        """Where they are."""

    def transition_delayed_workflows(self) -> None:
        """Queue the jobs whose moment has come."""


class DelayedJobs:
    """Queues what was put off once its moment has come, on a thread that sleeps until then.

    `wakeup` wakes it when a job is put off in this process, and is set to stop it; those that others put off are found by a look
    every `longest` seconds. DBOS's own thread would write twice a second whether there is anything or not.
    """

    def __init__(self, database: Database, wakeup: Wakeup, *, longest: float, queued: Callable[[], None]) -> None:
        self._database, self._wakeup, self._longest, self._queued = database, wakeup, longest, queued
        jobs = database.tables.workflow_status.c
        self._first = select(func.min(jobs.delay_until_epoch_ms)).where(jobs.status == "DELAYED")

    def work(self) -> None:
        """Go on until the wakeup is set."""
        left = _FIRST_LOOK_SECONDS
        while not self._wakeup.wait(left):
            try:
                left = self._look()
            except Exception as error:  # noqa: BLE001 - the next look may find the database well
                log.warning("engine.delays-not-read", why=type(error).__name__)
                left = _FIRST_LOOK_SECONDS

    def _look(self) -> float:
        """Queue what is due; seconds until the next look."""
        left = self._seconds()
        if left <= 0:
            self._database.transition_delayed_workflows()
            self._queued()
            left = self._seconds()
        return max(_MIN_PAUSE_SECONDS, left)

    def _seconds(self) -> float:
        """Until the first of them is due, `longest` at most."""
        with self._database.engine.connect() as connection:
            first = connection.execute(self._first).scalar()
        return self._longest if first is None else min(self._longest, first / 1000 - clock.machine().timestamp())


class Client(Protocol):
    """What is asked of the engine's client."""

    def list_workflows(self, *, status: str, load_input: bool, load_output: bool) -> list[Any]:
        """The jobs of that state."""

    def set_workflow_delay(self, workflow_id: str, *, delay_until_epoch_ms: int) -> None:
        """Change when one is due, if it is still put off."""


def remembered(delay: timedelta) -> dict[str, Any]:
    """What a job keeps of how long it was put off, beside the moment that the engine computes of it."""
    return {_NAME: round(delay / timedelta(milliseconds=1))}


def shorten(client: Client) -> int:
    """Put off anew, by their own delay from now, those that would wait longer than it; the number of jobs."""
    now = round(clock.machine().timestamp() * 1000)  # the engine compares with that, too
    changed = 0
    for job in client.list_workflows(status="DELAYED", load_input=False, load_output=False):
        delay, until = (job.attributes or {}).get(_NAME), job.delay_until_epoch_ms
        if isinstance(delay, int) and until is not None and until > now + delay + _NEAR_MS:
            client.set_workflow_delay(job.workflow_id, delay_until_epoch_ms=now + delay)
            changed += 1
    if changed:
        log.warning("engine.delays-shortened", jobs=changed, why="they were stored by a clock that was ahead")
    return changed
