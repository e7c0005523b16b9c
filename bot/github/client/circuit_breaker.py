"""Decides when to stop asking a server that does not answer, and when to try again: a state machine that is told the time.

Seconds are those of any clock that never goes back. It is not locked: one thread at a time.
"""

from dataclasses import dataclass
from typing import Final, Literal

from bot.github.availability import Condition

FAILURES_TO_OPEN: Final = 3  # In a row.
CALLS_TO_OPEN: Final = 2  # A call that is repeated proves nothing by itself.

OUTAGE_WAITS: Final = (5.0, 10.0)  # Seconds to the first probe and to each later one, from the start of the one before.
MAX_OUTAGE_WAIT: Final = 60.0  # Seconds; a 5xx answer may name a longer wait, which is not taken over.
REFUSAL_WAITS: Final = (5.0, 60.0)  # Also in seconds: GitHub locks out callers who ask often with bad credentials.

SECONDARY_WAIT: Final = 60.0  # GitHub's documentation: at least a minute after a limit whose end it did not name.
MAX_SECONDARY_WAIT: Final = 900.0  # The wait doubles each time the limit comes back, up to this.
LIMIT_MEMORY: Final = 600.0  # Seconds after a limit's end in which another one counts as the same coming back.
MIN_LIMIT_WAIT: Final = 1.0
MAX_LIMIT_WAIT: Final = 3660.0  # GitHub renews its limits each hour: a longer wait is not believed.

PROBE_WAIT: Final = 1.0  # Seconds after which to come back while another call's probe is under way.


Cause = Literal["outage", "limit", "refusal"]
"""The reason that it is open. `refusal`: GitHub answers, but does not accept who we say we are."""


@dataclass(frozen=True, slots=True)
class Permit:
    """Leave to send one exchange of `call`, which repeats share, in a `period`; `is_probe`: it was open then."""

    call: int
    period: int
    is_probe: bool


@dataclass(frozen=True, slots=True)
class CircuitState:
    """The `condition`, and unless healthy its `cause` and `kind`; open `since` and `until`, in seconds of the clock."""

    condition: Condition
    cause: str = ""
    since: float | None = None
    until: float | None = None
    kind: Cause = "outage"


class CircuitBreaker:
    """Healthy, failing after a failure, open after several or a limit; open, one probe at a time decides what follows."""

    def __init__(self) -> None:
        self._failures = 0
        self._calls: set[int] = set()
        self._cause = ""
        self._since: float | None = None
        self._until: float | None = None
        self._kind: Cause = "outage"
        self._probe_at: float | None = None  # When the probe under way began.
        self._failed_probes = 0
        self._limits = 0
        self._limit_over: float | None = None  # When the probe that ended the last limit began.
        self._period = 0

    def state(self) -> CircuitState:
        """The present state, for reports."""
        condition: Condition = "open" if self._until is not None else "failing" if self._failures else "healthy"
        return CircuitState(condition, self._cause, self._since, self._until, self._kind)

    def refusal(self, at: float) -> float | None:
        """Seconds after which another try makes sense; None when a call may be sent now."""
        if self._until is None:
            return None
        if at < self._until:
            return self._until - at
        return None if self._probe_at is None else PROBE_WAIT  # One probe at a time spares a server that recovers.

    def is_due(self, at: float) -> bool:
        """Whether its wait is over and no probe is under way."""
        return self._until is not None and self.refusal(at) is None

    def admit(self, call: int, at: float) -> Permit:
        """To be asked after `refusal` gave None; when open, this call is the probe, and all others are refused."""
        is_probe = self._until is not None
        if is_probe:
            self._probe_at = at
        return Permit(call, self._period, is_probe)

    def answered(self, permit: Permit) -> None:
        """Close the breaker: GitHub answered, perhaps with a refusal. Answers to calls sent before it opened do not close it."""
        # The period ends whenever the breaker opens or closes: an older answer says nothing of the present one.
        if permit.period != self._period:
            return
        # Another limit soon after this one counts as the same coming back, and is waited for longer.
        if self._kind == "limit":
            self._limit_over = self._probe_at
        if self._until is not None:
            self._period += 1
        self._failures, self._failed_probes, self._calls = 0, 0, set()
        self._cause, self._since, self._until, self._kind, self._probe_at = "", None, None, "outage", None

    def failed(self, permit: Permit, cause: str, at: float, wait: float | None = None) -> None:
        """Count a failure: no answer, or an invalid one. `wait` in seconds, if it named a moment, opens the breaker at once."""
        if permit.period != self._period:
            return
        if permit.is_probe:
            began = at if self._probe_at is None else self._probe_at
            self._failed_probes += 1
            # Counted from the probe's start, so that a slow timeout does not add to the wait.
            self._open(cause, at, max(began + _outage_wait(self._failed_probes, wait), at), "outage")
            return
        self._failures += 1
        self._calls.add(permit.call)
        self._cause, self._since = cause, at if self._since is None else self._since
        if wait is not None or (self._failures >= FAILURES_TO_OPEN and len(self._calls) >= CALLS_TO_OPEN):
            self._open(cause, at, at + _outage_wait(0, wait), "outage")

    def refused(self, permit: Permit, cause: str, at: float) -> None:
        """Open the breaker at once: GitHub does not accept the caller, so it will answer none of their calls."""
        if permit.period != self._period:
            return
        self._failed_probes += permit.is_probe
        self._open(cause, at, at + REFUSAL_WAITS[min(self._failed_probes, len(REFUSAL_WAITS) - 1)], "refusal")

    def limited(self, permit: Permit, cause: str, at: float, wait: float | None) -> float:
        """Open the breaker for a rate limit, of `wait` seconds if its end was named; gives the seconds to wait."""
        # Calls that were under way when it was met prolong the wait, but only to a moment that was named.
        if self._until is not None and permit.period != self._period:
            self._until = max(self._until, at + (_limit_wait(wait) if wait is not None else 0.0))
            if self._kind != "limit":
                self._kind, self._cause = "limit", cause
            return max(self._until - at, MIN_LIMIT_WAIT)
        if wait is None:  # GitHub did not say how long.
            is_back = self._kind == "limit" or (self._limit_over is not None and at <= self._limit_over + LIMIT_MEMORY)
            self._limits = self._limits + 1 if is_back else 1
        unnamed = min(SECONDARY_WAIT * 2 ** min(self._limits - 1, 10), MAX_SECONDARY_WAIT)
        seconds = float(unnamed) if wait is None else _limit_wait(wait)
        if self._kind != "limit":
            self._since = at
        self._open(cause, at, at + seconds, "limit")
        return seconds

    def abandon(self, permit: Permit) -> None:
        """The exchange proved nothing; another call may send the probe."""
        if permit.is_probe and permit.period == self._period:
            self._probe_at = None

    def _open(self, cause: str, at: float, until: float, kind: Cause) -> None:
        self._cause, self._until, self._kind = cause, until, kind
        self._since = at if self._since is None else self._since
        self._probe_at = None
        self._period += 1


def _outage_wait(failed_probes: int, named: float | None) -> float:
    wait = OUTAGE_WAITS[min(failed_probes, len(OUTAGE_WAITS) - 1)]
    return wait if named is None else max(wait, min(named, MAX_OUTAGE_WAIT))


def _limit_wait(named: float) -> float:
    return min(max(named, MIN_LIMIT_WAIT), MAX_LIMIT_WAIT)
