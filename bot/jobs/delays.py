"""A job that was put off waits no longer than that from any moment on: a clock that was ahead when it was stored counts for nothing."""

from datetime import timedelta
from typing import Any, Final, Protocol

import structlog

from bot import clock

EVERY: Final = timedelta(minutes=1)

_NAME: Final = "delay_ms"
_NEAR_MS: Final = 1000
"""Clocks of two machines differ by that much."""

log = structlog.get_logger()


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
