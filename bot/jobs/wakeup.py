"""Wakes the threads that look for jobs, once one is committed in this process or has ended; else they poll now and then."""

import threading
from collections.abc import Callable
from typing import Final

from sqlalchemy import event
from sqlalchemy.orm import Session as AnySession
from sqlmodel import Session

from bot.clock import monotonic

DELAYED: Final = "delayed"
"""The name of the thread for jobs that wait for their moment; the others are named as their queues."""

_CALLS = "countersign.wakeups"
_WAKEUP_DELAY_SECONDS = 0.02
"""Seconds that a wake-up waits for others: jobs are taken together, and what was taken has begun when it is counted next."""


class Wakeup(threading.Event):
    """An event whose `wait` also ends when `wake` is called; `set` stops the thread that waits."""

    def __init__(self) -> None:
        super().__init__()
        self._changed = threading.Condition()
        self._due: float | None = None

    def wake(self, after: float = _WAKEUP_DELAY_SECONDS) -> None:
        """End the waiting, so many seconds from now; a call while no thread waits ends the next waiting."""
        due = monotonic() + after
        with self._changed:
            if self._due is None or due < self._due:
                self._due = due
                self._changed.notify_all()

    def set(self) -> None:
        """Stop, at once."""
        super().set()
        self.wake(0)

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until it is set or woken, or the time is over; whether it is set."""
        end = monotonic() + (timeout if timeout is not None else threading.TIMEOUT_MAX)
        with self._changed:
            while not self.is_set() and (left := min(end, end if self._due is None else self._due) - monotonic()) > 0:
                self._changed.wait(left)
            self._due = None  # A call from now on ends the next waiting.
        return self.is_set()


def call_after_commit(session: Session, wake: Callable[[], object]) -> None:
    """Call `wake` once when the session's transaction is committed; a rollback forgets it."""
    session.info.setdefault(_CALLS, set()).add(wake)  # A set: many jobs of a transaction wake a thread once.


def _call(session: AnySession) -> None:
    for wake in session.info.pop(_CALLS, ()):
        wake()


event.listen(Session, "after_commit", _call)
event.listen(Session, "after_rollback", lambda session: session.info.pop(_CALLS, None))  # Nothing was stored.
