"""How many writes GitHub takes in a minute and in an hour, and whose turn is next: a state machine that is told the time.

Seconds are those of any clock that never goes back. It is not locked: one thread at a time.
"""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

from bot.github.availability import Priority

MINUTE_SECONDS: Final = 60.0
HOUR_SECONDS: Final = 3600.0
QUEUE_GRACE_SECONDS: Final = 20.0
"""Seconds that a place in the queue is kept after its turn came."""
STORM_WRITES: Final = 5
"""So many writes of one rank in a minute, none of them urgent, are a storm: lower ranks then wait until that rank is written."""
STORM_END_SECONDS: Final = 5.0
"""Seconds without such a write after which a storm's are all written, or have a place in the queue; for each rank between."""
MAX_WAITING: Final = 5000
"""Places in the queue; a caller who comes when it is full is told the same wait, but gets no place."""


@dataclass(frozen=True, slots=True)
class WriteBudget:
    """Writes in a minute and in an hour; of these, so many are kept for what is urgent."""

    per_minute: int
    per_hour: int
    reserved_per_minute: int = 0
    reserved_per_hour: int = 0

    def allowed(self, priority: Priority, among: int = 1) -> tuple[int, int]:
        """For that priority, in a minute and in an hour, to each of so many who share it; one at least."""
        minute, hour = self.per_minute, self.per_hour
        if priority != "urgent":
            minute, hour = minute - self.reserved_per_minute, hour - self.reserved_per_hour
        return max(minute // among, 1), max(hour // among, 1)


GITHUB_BUDGET: Final = WriteBudget(80, 500, reserved_per_minute=12, reserved_per_hour=75)
"""GitHub's documented secondary limits for requests that create content, for each installation."""


def documented_budget(api_url: str) -> WriteBudget | None:
    """GitHub's documented budget for that address; None for GitHub Enterprise Server, which has no limits by itself."""
    host = urlsplit(api_url).hostname or ""
    return GITHUB_BUDGET if host == "api.github.com" or host.endswith(".ghe.com") else None


@dataclass(frozen=True, slots=True)
class PacedWrite:
    """A write that wants to be sent: the same one again has the same key, and keeps its place."""

    key: str
    rank: int
    priority: Priority = "normal"


CHECK_RUN_WRITE, LABEL_WRITE, OTHER_WRITE = 1, 2, 3


def rank(path: str) -> int:
    """Check runs go first, since they decide about merging, then labels, then comments and all else that people read."""
    parts = urlsplit(path).path.split("/")
    return CHECK_RUN_WRITE if "check-runs" in parts else LABEL_WRITE if "labels" in parts else OTHER_WRITE


@dataclass(frozen=True, slots=True)
class _Place:
    """A place in the queue, lower ones first, and when its turn comes."""

    order: tuple[int, int, int]
    turn: float


class RequestPacer:
    """One installation's writes of the last hour, and the queue of those that were told to come back."""

    def __init__(self, budget: WriteBudget, among: int = 1) -> None:
        self._budget = budget
        self.among = among
        """How many processes share the budget."""
        self._sent: deque[float] = deque(maxlen=budget.per_hour)
        self._recent: dict[int, deque[float]] = {
            kind: deque(maxlen=STORM_WRITES) for kind in (CHECK_RUN_WRITE, LABEL_WRITE, OTHER_WRITE)
        }
        self._queue: dict[str, _Place] = {}
        self._arrivals = 0

    def wait(self, write: PacedWrite, at: float) -> float:
        """0.0: send it now, it is counted. Else the seconds until its turn, for which it has a place in the queue."""
        while self._sent and self._sent[0] <= at - HOUR_SECONDS:
            self._sent.popleft()
        # A write that did not come at its turn must not hold up the others.
        for key in [key for key, place in self._queue.items() if place.turn < at - QUEUE_GRACE_SECONDS]:
            del self._queue[key]
        place = self._queue.get(write.key)
        is_urgent = write.priority == "urgent"
        arrival = place.order[2] if place else self._arrivals + 1
        order = (0 if is_urgent else 1, write.rank, arrival)
        ahead = [other.turn for key, other in self._queue.items() if key != write.key and other.order < order]
        turn = self._turn(sorted([*self._sent, *ahead]), write.priority, at)
        if not is_urgent:
            turn = max(turn, self._calm_from(write.rank))
        if turn <= at:
            self._queue.pop(write.key, None)
            self._sent.append(at)
            if not is_urgent:
                self._recent[write.rank].append(at)
            return 0.0
        if place or len(self._queue) < MAX_WAITING:
            self._arrivals = max(self._arrivals, arrival)
            self._queue[write.key] = _Place(order, turn)
        return turn - at

    def ended(self, sent_at: float, at: float) -> None:
        """The write that was sent then has its answer: it counts from now on, since GitHub may have counted it this late."""
        if sent_at in self._sent:
            self._sent.remove(sent_at)
            self._sent.append(at)

    def _turn(self, planned: Sequence[float], priority: Priority, at: float) -> float:
        """The first moment with room after all that is planned, in order."""
        per_minute, per_hour = self._budget.allowed(priority, self.among)
        turn = at
        if len(planned) >= per_minute:
            turn = max(turn, planned[-per_minute] + MINUTE_SECONDS)
        if len(planned) >= per_hour:
            turn = max(turn, planned[-per_hour] + HOUR_SECONDS)
        return turn

    def _calm_from(self, rank: int) -> float:
        """When a storm's writes of higher ranks are all sent, as far as they come one after the other; 0.0 without a storm."""
        storms = {
            kind: sent
            for kind, sent in self._recent.items()
            if len(sent) == STORM_WRITES and sent[-1] - sent[0] < MINUTE_SECONDS
        }
        return max(
            (sent[-1] + STORM_END_SECONDS * (rank - kind) for kind, sent in storms.items() if kind < rank), default=0.0
        )
