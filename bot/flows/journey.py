"""One run of a job on a mailbox: its claims are judged, and what goes wrong is tried again; nothing is lost."""

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import copy_context
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final, TypeVar

import structlog
from sqlmodel import Session

from bot.clock import monotonic
from bot.flows import recovery
from bot.flows.flow_services import Services
from bot.github.availability import CircuitOpen, Paced
from bot.github.ports import HubError, Unreachable
from bot.store.mailbox import Claim, Mailbox
from bot.store.retry_policy import RetryDelay
from bot.telemetry import metrics
from bot.telemetry.logs import where

# Work that waits for GitHub is queued this long after GitHub may be asked again, if nothing wakes it earlier.
MAX_SLEEP = timedelta(minutes=5)

# A claim that was held so short a time ago has half a lease left: it is not asked for again.
HOLD_FRESH = timedelta(seconds=10)

# What is judged within this time shows its conclusion alone: each call costs GitHub and us as much as the verdict.
SLOW_AFTER: Final = timedelta(seconds=2)

log = structlog.get_logger()


class LostClaim(Exception):
    """Our time ran out and another run took the subject over: what we know is old, nothing more is written."""


class TryAgain(Exception):
    """All that is known is shown, the rest needs another try. The message says why, and names no person."""


class NotAnswered(Exception):
    """A service beside GitHub that the judgement needs did not answer. The message says which, and names no person."""


C = TypeVar("C", bound=Claim[Any, Any])


def hold(mailbox: Mailbox[Any, Any, C], claim: C, services: Services) -> None:
    """Lengthen the claim's lease. Raises LostClaim."""
    with services.sessions() as session:
        is_ours = mailbox.hold(session, claim, at=services.clock())
    if not is_ours:
        raise LostClaim


class ClaimHolder:
    """Keeps a claim while it is being written at GitHub. Raises LostClaim when another run took the subject over."""

    def __init__(self, mailbox: Mailbox[Any, Any, C], claim: C, services: Services) -> None:
        self._mailbox, self._claim, self._services = mailbox, claim, services
        self._held_at: datetime | None = None

    def __call__(self) -> None:
        """Hold it, in a transaction of its own where one is needed."""
        if self._held_at is None or abs(self._services.clock() - self._held_at) >= HOLD_FRESH:
            with self._services.sessions() as session:
                self.within(session)

    def within(self, session: Session) -> None:
        """Hold it in this transaction."""
        now = self._services.clock()
        if not self._mailbox.hold(session, self._claim, at=now):
            raise LostClaim
        self._held_at = now


def give_up(mailbox: Mailbox[Any, Any, C], claim: C, services: Services, why: str, wait: RetryDelay | None) -> bool:
    """Have the subject judged again later; False when another run took over."""
    with services.sessions() as session:
        is_ours = mailbox.give_up(session, services.engine, claim, why, at=services.clock(), wait=wait)
    if (
        is_ours
        and wait is not None
        and wait.is_woken
        and all(state.condition != "open" for state in services.hub.states())
    ):
        # GitHub came back between its refusal and our note, when this subject did not wait yet and was not woken.
        recovery.queue(services.sessions, services.engine, None)
    return is_ours


def wait_for(error: BaseException | None) -> RetryDelay | None:
    """The time that GitHub has us wait, if an error of its calls says so; what waits for an open circuit is woken."""
    if isinstance(error, TryAgain):
        return wait_for(error.__cause__)  # The refusal of a label or comment says how long.
    if not isinstance(error, Unreachable) or error.retry_after is None:
        return None
    delay = timedelta(seconds=error.retry_after)
    return RetryDelay(delay + MAX_SLEEP, is_woken=True) if isinstance(error, CircuitOpen) else RetryDelay(delay)


@dataclass(frozen=True, slots=True, kw_only=True)
class Journey:
    """One run on what it claimed, and what follows when it fails. `name` and `about` are for the log.

    `judge` may raise LostClaim, TryAgain, NotAnswered and HubError. `show_doubt` says at GitHub why it could not be
    judged, and may raise LostClaim. `give_up` has it tried again later, after `RetryDelay` if GitHub said so; it is
    False when another run took over. Then `write_anew` has everything written again.
    """

    name: str
    about: Mapping[str, str | int]
    judge: Callable[[], None]
    show_doubt: Callable[[str], None]
    give_up: Callable[[str, RetryDelay | None], bool]
    write_anew: Callable[[], None]

    def run(self) -> None:
        """Once, to its end; raises nothing."""
        try:
            self.judge()
        except LostClaim:
            self._lost()
        except (TryAgain, Paced, CircuitOpen) as error:
            # The check does not say that we wait: writing that would take a turn of the limit, or be refused.
            log.warning(self._event("again"), **self.about, why=str(error))
            self._again(str(error), wait_for(error))
        except (HubError, NotAnswered) as error:
            log.warning(self._event("postponed"), **self.about, why=str(error))
            self._postpone(str(error), wait_for(error))
        except Exception as error:  # noqa: BLE001 - every failure is a reason to try again
            log.error(self._event("failed"), **self.about, why=type(error).__name__, at=where(error))  # noqa: TRY400 - a trace may hold values
            self._postpone(f"internal error ({type(error).__name__})")

    def _event(self, what: str) -> str:
        metrics.JUDGEMENT_RETRIES.labels(self.name, what).inc()
        return f"{self.name}.{what}"

    def _postpone(self, why: str, wait: RetryDelay | None = None) -> None:
        try:  # Shown first: once the claim is given up, another run may write.
            self.show_doubt(why)
        except LostClaim:
            return self._lost()
        return self._again(why, wait)

    def _again(self, why: str, wait: RetryDelay | None) -> None:
        if not self.give_up(why, wait):
            self._lost()

    def _lost(self) -> None:
        log.warning(self._event("overtaken"), **self.about, why="it took too long, and another run took over")
        self.write_anew()  # What we wrote last may have replaced what the other run wrote.


@contextmanager
def shown_when_slow(show: Callable[[], None], *, begun: float) -> Iterator[None]:
    """Call `show` on another thread if the block is not left `SLOW_AFTER` after `begun`, by `clock.monotonic`."""
    turn, is_over = threading.Lock(), False

    def announce() -> None:
        with turn:
            if is_over:
                return
            try:
                show()
            except (HubError, LostClaim) as error:  # The verdict counts also without it.
                log.warning("in-progress.not-shown", why=str(error) or type(error).__name__)

    left = begun + SLOW_AFTER.total_seconds() - monotonic()
    timer = threading.Timer(max(0.0, left), copy_context().run, (announce,))
    timer.daemon = True  # A process that ends does not wait for it.
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        # Under the lock: a `show` that has begun ends before the verdict is written over it.
        with turn:
            is_over = True
