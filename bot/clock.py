"""The only reader of the clock and the only maker of new ids; all other modules are given them."""

import time
import uuid
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Final

Clock = Callable[[], datetime]

# Clocks that are right differ by less: then this machine's own counts.
TOLERATED_DIFFERENCE: Final = timedelta(seconds=2)
_MIN_CHANGE: Final = timedelta(seconds=1)
_MAX_ASKED: Final = timedelta(seconds=1)  # An answer that took longer says too little of when the clock was read.


class _SharedOffset:
    """The time by which the clock that counts is ahead of this machine's."""

    # Processes of several machines compare moments that they stored: all go by the database server's clock.
    ahead = timedelta(0)


def now() -> datetime:
    """The present moment in UTC, by the clock that counts."""
    return machine() + _SharedOffset.ahead


def machine() -> datetime:
    """The present moment in UTC, as this machine shows it: for moments that are compared with its own only."""
    return datetime.now(UTC)  # noqa: TID251 - this is the one place


def machine_ahead() -> timedelta:
    """The time by which this machine's clock is ahead of the one that counts: nothing as long as it is its own."""
    return -_SharedOffset.ahead


def follow(shown: datetime, *, asked: datetime) -> timedelta | None:
    """Go by a clock that, asked at `asked` by `machine`, has just answered `shown`.

    How far this machine is ahead of it, when that is something new; None as long as all is as it was.
    """
    answered = machine()
    if not timedelta(0) <= answered - asked <= _MAX_ASKED:  # Negative: this clock was set back meanwhile.
        return None
    found = shown - (asked + (answered - asked) / 2)  # Read in the middle of the question, as far as can be known.
    ahead = found if abs(found) > TOLERATED_DIFFERENCE else timedelta(0)
    if abs(ahead - _SharedOffset.ahead) < _MIN_CHANGE:  # Each measurement differs a little.
        return None
    _SharedOffset.ahead = ahead
    return -ahead


def new_id() -> str:
    """A fresh random identifier, 32 hexadecimal digits."""
    return uuid.uuid4().hex  # noqa: TID251 - this is the one place


def monotonic() -> float:
    """Seconds from an arbitrary start, for measuring how long something took."""
    return time.monotonic()
