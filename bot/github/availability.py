"""Whether GitHub can be asked at present: what callers are told while it cannot, and how urgent their writes are."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from bot.github.ports import Unreachable

Scope = Literal["host", "app", "nobody", "installation"]
"""Whom a state concerns: GitHub as a whole, the App's own calls, calls without credentials, one installation."""

Condition = Literal["healthy", "failing", "open"]
"""`failing`: the last calls failed; `open`: no call is sent, but for one now and then that tries."""

Priority = Literal["normal", "urgent"]
"""`urgent` is for a write that a person waits for while many others are under way."""

_priority: ContextVar[Priority] = ContextVar("priority", default="normal")  # Each thread has its own.


class CircuitOpen(Unreachable):
    """The call was not sent: GitHub does not answer, or asked us to wait. The message says which, and since when."""


class AppRefused(CircuitOpen):
    """GitHub does not accept the App's key, so it answers nothing that needs it. The message says since when."""


class Paced(Unreachable):
    """The write was not sent: there were as many lately as GitHub allows. `retry_after` is when its turn comes."""


@dataclass(frozen=True, slots=True)
class GitHubState:
    """GitHub's `condition` for a `scope` (and `installation`), its `cause` (safe to show), `since` and `until` when.

    `remaining`: the calls left of the hour's limit, if GitHub said so.
    """

    scope: Scope
    installation: int | None
    condition: Condition
    cause: str = ""
    since: datetime | None = None
    until: datetime | None = None  # Open: when the next call is let through
    remaining: int | None = None


@contextmanager
def write_priority(priority: Priority) -> Iterator[None]:
    """Give that priority to all writes of this thread inside."""
    token = _priority.set(priority)
    try:
        yield
    finally:
        _priority.reset(token)


def current_priority() -> Priority:
    """The priority of what this thread writes now."""
    return _priority.get()
