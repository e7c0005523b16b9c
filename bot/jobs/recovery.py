"""Recovery of jobs that were begun and run nowhere: their process is gone, or their outcome could not be written or read."""

from collections.abc import Callable, Collection, Sequence
from datetime import timedelta

from dbos import WorkflowStatus

from bot.clock import machine, monotonic
from bot.jobs.job_rows import JobRows


class Recovery:
    """Queues lost jobs again; `executor_id` is this process, of whose jobs one is lost after `lost_after`."""

    def __init__(self, rows: JobRows, executor_id: str, *, lost_after: timedelta) -> None:
        self._rows = rows
        self._executor_id = executor_id
        self._lost_after = lost_after.total_seconds()
        self._first_missed: dict[tuple[str, int | None], float] = {}

    def recover(self, living: Collection[str], running: Callable[[], Collection[str]]) -> int:
        """Queue again what no process of `living` has begun, and what this one began and does not run; the number of jobs.

        `running` gives the ids of the rows that threads of this process run, from before a job until its outcome is written.
        """
        begun = self._rows.begun()
        # Asked after the rows were read: else a job that was just begun would seem to run nowhere.
        here = running()
        gone = [row for row in begun if row.executor_id not in living]
        missed = [row for row in begun if row.executor_id == self._executor_id and row.workflow_id not in here]
        return sum(map(self._rows.queue_again, [*gone, *self._lost(missed)]))

    def _lost(self, missed: Sequence[WorkflowStatus]) -> list[WorkflowStatus]:
        """Those missed for long enough: a job is begun a moment before a thread runs it, after an outage long before."""
        at, now = monotonic(), machine().timestamp()
        self._first_missed = {key: self._first_missed.get(key, at) for key in map(_key, missed)}

        def seconds(row: WorkflowStatus) -> float:
            since_begun = now - row.dequeued_at / 1000 if row.dequeued_at else 0.0
            return max(at - self._first_missed[_key(row)], since_begun)

        return [row for row in missed if seconds(row) >= self._lost_after]


def _key(row: WorkflowStatus) -> tuple[str, int | None]:
    return row.workflow_id, row.dequeued_at  # A job that was begun once more is missed anew.
