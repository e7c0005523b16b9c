"""Changes to DBOS's own behaviour: it reports when a job has ended, does not poll in vain, and prints nothing."""

import logging
from collections.abc import Callable

from dbos import DBOS
from dbos._core import ActiveWorkflowById, QueueBucket


class Active(ActiveWorkflowById):
    """DBOS's list of what runs, which also tells when something has ended."""

    def __init__(self, ended: Callable[[str], None]) -> None:
        super().__init__()
        self._ended = ended

    def _remove(self, key: str, bucket: QueueBucket) -> None:
        super()._remove(key, bucket)
        if bucket is not None:
            self._ended(bucket[0])


def end_looking(dbos: DBOS) -> None:
    """End the threads of a launched DBOS that ask the database every second whether there is anything to do.

    What was put off is queued by `delays`. There are no schedules, no deadlines and no jobs in DBOS's internal queue,
    and every job has the one version that counts.
    """
    for stop in (dbos._background_jobs_stop_event, *dbos.background_thread_stop_events):  # noqa: SLF001 - no option does it
        stop.set()
    dbos._sys_db._is_latest_version = lambda *_of_which: True  # type: ignore[method-assign]  # noqa: SLF001 - as above


def quiet() -> None:
    """DBOS would print to the terminal by itself; with a handler in place it leaves that to the root logger."""
    logger = logging.getLogger("dbos")
    if not logger.handlers:
        logger.addHandler(logging.NullHandler())
    logger.propagate = True
