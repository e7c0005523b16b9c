"""The durable job queue as the rest of the bot sees it: jobs, chores, and what the engine can be asked."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Literal, Protocol

from sqlmodel import Session

QueueName = Literal["now", "later", "outgoing"]
"""`now`: someone waits for it; `outgoing`: it speaks to a mail server or an endpoint, which may hang; `later`: all else."""


@dataclass(frozen=True, slots=True)
class Job:
    """A piece of work: the flow's `name`, and `ids`, which are numbers and ids only, never personal data.

    It waits in `queue`, and begins after `delay` at the earliest.
    """

    name: str
    ids: tuple[str | int, ...] = ()  # They are stored in DBOS's own tables, where no erasure looks.
    queue: QueueName = "now"
    delay: timedelta = field(default=timedelta(0))


Runner = Callable[[Job, str], None]
"""Does one job; the second argument is the job's id, the same again when the job is run again after a crash."""


@dataclass(frozen=True, slots=True)
class Chore:
    """Something to `do` `every` so often beside the jobs, under a `name`; it may raise: it is done again next time."""

    name: str
    every: timedelta
    do: Callable[[], object]


class Engine(Protocol):  # An interface of our own: only `bot.jobs` knows DBOS.
    """A durable queue whose jobs are stored in the caller's own transaction."""

    def enqueue(self, session: Session, job: Job) -> str:
        """Store the job in the session's transaction and return its id: rolled back with it, run after its commit."""

    def request(self, session: Session, job: Job) -> None:
        """Have a job that takes all that is due run after the session's commit; of those that wait one is enough.

        A crash may forget it: only for what is looked for in the rows, too.
        """

    def begun(self, job: Job) -> None:
        """A job that was asked for by `request` takes what is due from now on: what comes later needs another."""

    def start(self, runner: Runner, chores: Sequence[Chore] = ()) -> None:
        """Begin to take jobs, first those that a crash interrupted, and to do the chores."""

    def stop(self) -> None:
        """Let running jobs end (bounded), then stop taking new ones."""

    def workers(self) -> int:
        """The number of processes that take jobs, this one included."""

    def now(self) -> datetime:
        """The present moment: what is due by then is taken."""
