"""Decides which call to GitHub may be sent: a circuit breaker for GitHub as a whole and for each caller, a pacer for each installation.

Many threads may use one; no call of it waits.
"""

import itertools
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from types import TracebackType
from typing import Any, Final, Literal, Self

import structlog

from bot import clock
from bot.clock import Clock
from bot.github.availability import AppRefused, CircuitOpen, GitHubState, Paced, Scope
from bot.github.client.answer_headers import number
from bot.github.client.circuit_breaker import CircuitBreaker, Permit
from bot.github.client.failures import is_used_up, named_wait
from bot.github.client.write_pacer import PacedWrite, WriteBudget, WritePacer
from bot.telemetry import metrics

Caller = int | Literal["app", "nobody"]
"""On whose behalf a call is sent: an installation by its number, the App by its JWT, or without credentials."""

OnRecovery = Callable[[int | None], None]
"""Told that calls are sent again: those of one installation, or (None) perhaps those of all. It raises nothing."""

_SEVERITY: Final = {"healthy": 0, "failing": 1, "open": 2}

_CLOCK_STEP: Final = timedelta(seconds=2)  # A larger difference means that the wall clock was set anew.

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class ExchangeOutcome:
    """The outcome of an exchange: its `kind` and `cause`; `wait` in seconds, if GitHub named a moment.

    `unauthorized`: GitHub does not accept the caller. `unclear`: it answered, but not about whether this caller is
    served. `nothing`: no request was sent. `remaining`: the calls left of the hour's limit for REST; None: not told.
    """

    kind: Literal["answered", "failed", "limited", "unauthorized", "unreached", "unclear", "nothing"]
    cause: str = ""
    wait: float | None = None
    remaining: int | None = None


@dataclass(slots=True)
class _CallerState:
    """The `breaker` and `pacer` (None: not paced) of a caller; the `remaining` calls of its hour (None: unknown)."""

    breaker: CircuitBreaker = field(default_factory=CircuitBreaker)
    pacer: WritePacer | None = None
    remaining: int | None = None


class AdmissionControl:
    """All breakers and pacers, behind one lock that is never held during a call."""

    def __init__(
        self,
        budget: WriteBudget | None = None,
        *,
        on_recovery: OnRecovery | None = None,
        now: Clock = clock.now,
        monotonic: Callable[[], float] = clock.monotonic,
    ) -> None:
        """`budget` is what each installation may write; None: as much as it likes."""
        self._budget = budget
        self._among = 1  # Processes that share the budget.
        self._on_recovery = on_recovery
        self.now, self._monotonic = now, monotonic
        self._start: datetime | None = None  # The wall clock's moment at second 0 of the other
        self._lock = threading.Lock()
        self._host = CircuitBreaker()
        self._lanes: dict[Caller, _CallerState] = {}
        self._calls = itertools.count(1)

    def share_writes(self, among: int) -> None:
        """So many processes write, this one included: they share GitHub's limit for writes."""
        with self._lock:
            self._among = among
            for lane in self._lanes.values():
                if lane.pacer is not None:
                    lane.pacer.among = among

    def new_call(self) -> int:
        """A number for a call, which its repeats share."""
        return next(self._calls)

    def check(self, caller: Caller) -> None:
        """`CircuitOpen` when a call would be refused now."""
        with self._lock:
            self._check(self._lane(caller), self._monotonic())

    def admit(self, caller: Caller, call: int, write: PacedWrite | None = None) -> "Admission":
        """Admit one exchange. `CircuitOpen` when GitHub must be left alone, `Paced` when it is not a write's turn."""
        with self._lock, _counting_refusals():
            at, lane = self._monotonic(), self._lane(caller)
            # Before the pacer is asked, which counts a write as sent when it lets it through.
            self._check(lane, at)
            if write is not None and lane.pacer is not None and (wait := lane.pacer.wait(write, at)) > 0:
                text = f"GitHub's limit for writes is reached; writes resume at {self._shown(at + wait)}"
                raise Paced(text, wait)
            written_at = at if write is not None and lane.pacer is not None else None
            return Admission(self, caller, lane.breaker.admit(call, at), self._host.admit(call, at), written_at)

    def state(self, caller: Caller) -> GitHubState:
        """The state that a call meets now: the worse of its own breaker and of that for GitHub as a whole."""
        with self._lock:
            lane = self._lanes.get(caller) or _CallerState()
            own = self._state(caller, lane.breaker, lane.remaining)
            host = self._state("host", self._host)
        return max(own, host, key=lambda state: _SEVERITY[state.condition])  # Of equals its own, which is first.

    def states(self) -> tuple[GitHubState, ...]:
        """GitHub as a whole, then every caller so far."""
        with self._lock:
            lanes = [self._state(caller, lane.breaker, lane.remaining) for caller, lane in self._lanes.items()]
            return (self._state("host", self._host), *lanes)

    def due(self) -> tuple[Caller | Literal["host"], ...]:
        """The callers whose wait is over and who need a probe. While GitHub as a whole is away, only "host"."""
        with self._lock:
            at = self._monotonic()
            if self._host.state().condition == "open":  # One probe tells for all: no caller's own could succeed.
                return ("host",) if self._host.is_due(at) else ()
            return tuple(caller for caller, lane in self._lanes.items() if lane.breaker.is_due(at))

    def record_outcome(self, admission: "Admission", outcome: ExchangeOutcome) -> float:
        """Record the outcome of an exchange; gives the seconds to wait where GitHub asked for it. Recoveries are told before it returns."""
        if outcome.kind != "nothing":
            metrics.GITHUB_CALLS.labels(kind_of(admission.caller), outcome.kind).inc()
        with self._lock:
            at, lane = self._monotonic(), self._lane(admission.caller)
            breakers = ((self._host, admission.host), (lane.breaker, admission.own))
            before = [breaker.state().condition for breaker, _ in breakers]
            seconds = _record_outcome(breakers, outcome, at)
            after = [breaker.state().condition for breaker, _ in breakers]
            lane.remaining = lane.remaining if outcome.remaining is None else outcome.remaining
            if admission.written_at is not None and lane.pacer is not None:
                lane.pacer.ended(admission.written_at, at)
        # Outside the lock: the listener may send calls, which need it.
        whom: tuple[Scope | Caller, ...] = ("host", admission.caller)
        for who, old, new in zip(whom, before, after, strict=True):
            if old != new and "open" in (old, new):
                self._changed(who, new, outcome)
        return seconds

    def _changed(self, who: Scope | Caller, condition: str, outcome: ExchangeOutcome) -> None:
        if condition == "open":
            log.warning("github.open", whose=who, why=outcome.cause)
            return
        log.info("github.closed", whose=who)
        if self._on_recovery is not None:
            try:
                self._on_recovery(who if isinstance(who, int) else None)
            except Exception as error:  # noqa: BLE001 - the caller still needs the answer that brought the recovery
                log.error("github.recovery-failed", why=type(error).__name__)  # noqa: TRY400 - a trace may hold values

    def _lane(self, caller: Caller) -> _CallerState:
        if caller not in self._lanes:
            pacer = WritePacer(self._budget, self._among) if isinstance(caller, int) and self._budget else None
            self._lanes[caller] = _CallerState(pacer=pacer)
        return self._lanes[caller]

    def _check(self, lane: _CallerState, at: float) -> None:
        for breaker in (self._host, lane.breaker):
            wait = breaker.refusal(at)
            if wait is not None:
                kind = AppRefused if breaker.state().kind == "refusal" else CircuitOpen
                raise kind(self._reason(breaker), wait)

    def _reason(self, breaker: CircuitBreaker) -> str:
        state = breaker.state()
        if state.kind == "limit" and state.until is not None:
            return f"GitHub asked to wait until {self._shown(state.until)}: {state.cause}"
        return f"{state.cause}, since {self._shown(state.since or 0.0)}"

    def _state(self, whose: Scope | Caller, breaker: CircuitBreaker, remaining: int | None = None) -> GitHubState:
        found = breaker.state()
        number = whose if isinstance(whose, int) else None
        return GitHubState(
            scope="installation" if isinstance(whose, int) else whose,
            installation=number,
            condition=found.condition,
            cause="" if found.condition == "healthy" else self._reason(breaker),
            since=None if found.since is None else self._moment(found.since),
            until=None if found.until is None else self._moment(found.until),
            remaining=remaining,
        )

    def _moment(self, at: float) -> datetime:
        start = self.now() - timedelta(seconds=self._monotonic())
        # A moment is always shown alike, unless the wall clock was set anew.
        if self._start is None or abs(start - self._start) > _CLOCK_STEP:
            self._start = start
        return self._start + timedelta(seconds=at)

    def _shown(self, at: float) -> str:
        return f"{self._moment(at):%Y-%m-%d %H:%M:%S} UTC"


def kind_of(caller: Caller) -> str:
    """A caller as the metrics name it, where an installation's number would say too much."""
    return "installation" if isinstance(caller, int) else caller


@contextmanager
def _counting_refusals() -> Iterator[None]:
    try:
        yield
    except (CircuitOpen, Paced) as error:
        metrics.GITHUB_REFUSED.labels("paced" if isinstance(error, Paced) else "open").inc()
        raise


def _record_outcome(breakers: tuple[tuple[CircuitBreaker, Permit], ...], outcome: ExchangeOutcome, at: float) -> float:
    (host, for_host), (own, permit) = breakers
    # Without a connection only the host is in doubt; any answer of GitHub's shows that the host works.
    if outcome.kind == "unreached":
        host.failed(for_host, outcome.cause, at)
        own.abandon(permit)
        return 0.0
    if outcome.kind == "nothing":
        host.abandon(for_host)
    else:
        host.answered(for_host)
    if outcome.kind in ("nothing", "unclear"):  # Neither tells whether GitHub serves this caller.
        own.abandon(permit)
    elif outcome.kind == "failed":
        own.failed(permit, outcome.cause, at, outcome.wait)
    elif outcome.kind == "unauthorized":
        own.refused(permit, outcome.cause, at)
    elif outcome.kind == "limited":
        return own.limited(permit, outcome.cause, at, outcome.wait)
    else:
        own.answered(permit)
        if outcome.wait is not None:  # The last one that is allowed: the next would be refused
            own.limited(permit, outcome.cause, at, outcome.wait)
    return 0.0


class Admission:
    """One exchange that may be sent. One of its methods records the outcome; leaving without one records `nothing`."""

    def __init__(
        self, control: AdmissionControl, caller: Caller, own: Permit, host: Permit, written_at: float | None = None
    ) -> None:
        """`written_at`: when it was counted as a write, if it was."""
        self.caller, self.own, self.host, self.written_at = caller, own, host, written_at
        self._control = control
        self._is_settled = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if not self._is_settled:  # Else a probe that was never sent would hold up all other calls.
            self._record(ExchangeOutcome("nothing"))

    def answered(self, headers: Mapping[str, Any]) -> None:
        """GitHub answered, perhaps with a refusal. `headers`, by lower-case names, may say that it was the last call for now."""
        wait = self._named(headers) if is_used_up(headers) else None
        self._record(ExchangeOutcome("answered", "its rate limit is used up", wait, _remaining(headers)))

    def limited(self, cause: str, headers: Mapping[str, Any]) -> float:
        """Record a rate limit; gives the seconds to wait."""
        return self._record(ExchangeOutcome("limited", cause, self._named(headers), _remaining(headers)))

    def failed(self, cause: str, headers: Mapping[str, Any] | None = None) -> None:
        """A 5xx, or something that is no answer of GitHub's."""
        self._record(ExchangeOutcome("failed", f"GitHub does not answer: {cause}", self._named(headers or {})))

    def unauthorized(self, cause: str) -> None:
        """GitHub does not accept the caller's credentials: it will answer no other call of this caller."""
        self._record(ExchangeOutcome("unauthorized", cause))

    def unreached(self, cause: str) -> None:
        """No connection, or it broke before the answer was there."""
        self._record(ExchangeOutcome("unreached", cause))

    def unclear(self) -> None:
        """GitHub answered with a failure that may concern this very question alone."""
        self._record(ExchangeOutcome("unclear"))

    def _named(self, headers: Mapping[str, Any]) -> float | None:
        return named_wait(headers, self._control.now())

    def _record(self, outcome: ExchangeOutcome) -> float:
        self._is_settled = True
        return self._control.record_outcome(self, outcome)


def _remaining(headers: Mapping[str, Any]) -> int | None:
    # GraphQL's and other limits are counted apart; writes need what is left for REST ("core").
    is_rest = str(headers.get("x-ratelimit-resource") or "core") == "core"
    return number(headers.get("x-ratelimit-remaining")) if is_rest else None
