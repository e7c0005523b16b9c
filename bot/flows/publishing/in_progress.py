"""Shows that a judgement is in progress, once it takes so long that people would wonder."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import copy_context
from datetime import timedelta
from typing import Final

import structlog

from bot.clock import monotonic
from bot.flows.journey import LostClaim
from bot.github.ports import HubError

SLOW_AFTER: Final = timedelta(seconds=2)
"""What is judged within this time shows its conclusion alone: each call costs GitHub and us as much as the verdict."""

log = structlog.get_logger()


@contextmanager
def shown_when_slow(show: Callable[[], None], *, begun: float) -> Iterator[None]:
    """Call `show` on another thread if the block is not left `SLOW_AFTER` after `begun`, a moment of `clock.monotonic`.

    The block is left once `show` is done, or will not be called any more. A failure to show it changes nothing.
    """
    turn, is_over = threading.Lock(), False

    def announce() -> None:
        with turn:
            if is_over:
                return
            try:
                show()
            except (HubError, LostClaim) as error:
                log.warning("in-progress.not-shown", why=str(error) or type(error).__name__)

    left = begun + SLOW_AFTER.total_seconds() - monotonic()
    timer = threading.Timer(max(0.0, left), copy_context().run, (announce,))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        with turn:
            is_over = True
