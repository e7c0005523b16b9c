"""The only reader of the clock and the only maker of new ids; everybody else is given them."""

import time
import uuid
from collections.abc import Callable
from datetime import UTC, datetime

Clock = Callable[[], datetime]


def now() -> datetime:
    """The present moment in UTC."""
    return datetime.now(UTC)  # noqa: TID251 - this is the one place


def new_id() -> str:
    """A fresh random identifier, 32 hexadecimal digits."""
    return uuid.uuid4().hex  # noqa: TID251 - this is the one place


def monotonic() -> float:
    """Seconds from an arbitrary start, for measuring how long something took."""
    return time.monotonic()
