"""Waiting for something to appear: asked again with growing pauses, until a step's time is over or somebody ends the rehearsal."""

import time
from collections.abc import Callable
from itertools import chain, repeat
from typing import Final, TypeVar

from bot.clock import monotonic
from bot.github.ports import Unreachable

_FIRST_PAUSES: Final = (0.5, 1.0, 2.0)
"""Seconds between the first looks."""
_LAST_PAUSE: Final = 3.0
"""Seconds between all others."""
_PAUSE_SLICE: Final = 0.1
"""Seconds after which the end of the rehearsal is noticed."""

_Found = TypeVar("_Found")


class Interrupted(Exception):
    """Somebody ended the rehearsal."""


class StepDeadline:
    """The end of one step's time, in seconds from now; `is_ended` says whether somebody ended the rehearsal."""

    def __init__(self, seconds: float, is_ended: Callable[[], bool]) -> None:
        self._end = monotonic() + seconds
        self._is_ended = is_ended

    def wait(self, look: Callable[[], _Found | None]) -> _Found | None:
        """What the look gives, as soon as it gives something; None at the end of the time.

        Raises Interrupted; Unreachable where GitHub does not answer at the end of the time either.
        """
        for pause in chain(_FIRST_PAUSES, repeat(_LAST_PAUSE)):
            if self._is_ended():
                raise Interrupted
            left = self._end - monotonic()
            try:
                found = look()
            except Unreachable:
                if left <= 0:
                    raise
                found = None
            if found is not None or left <= 0:
                return found
            self._pause(monotonic() + min(pause, left))
        raise AssertionError("the pauses never end")

    def _pause(self, until: float) -> None:
        """In slices: no lock is waited for, which a signal's handler could find taken."""
        while (left := until - monotonic()) > 0 and not self._is_ended():
            time.sleep(min(left, _PAUSE_SLICE))
