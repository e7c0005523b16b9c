"""How many writes GitHub takes in a minute and in an hour, and whose turn is next: a state machine that is told the time.

Seconds are those of any clock that never goes back. It is not locked: one thread at a time.
"""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

from bot.github.availability import Priority

MINUTE: Final = 60.0
HOUR: Final = 3600.0
GRACE: Final = 20.0
"""Seconds that a place in the queue is kept after its turn came."""
MAX_WAITING: Final = 5000
"""Places that are kept; whoever comes then is told the same wait, and has no place."""


@dataclass(frozen=True, slots=True)
class WriteBudget:
    """Writes in a minute and in an hour; of these, so many are kept for what is urgent."""

    per_minute: int
    per_hour: int
    reserved_per_minute: int = 0
    reserved_per_hour: int = 0

    def allowed(self, priority: Priority) -> tuple[int, int]:
        """For that priority, in a minute and in an hour."""
        if priority == "urgent":
            return self.per_minute, self.per_hour
        return self.per_minute - self.reserved_per_minute, self.per_hour - self.reserved_per_hour


GITHUB_BUDGET: Final = WriteBudget(80, 500, reserved_per_minute=12, reserved_per_hour=75)
"""GitHub's documented secondary limits for requests that create content, for each installation."""


def documented_budget(api_url: str) -> WriteBudget | None:
    """What GitHub documents for that address; None for GitHub Enterprise Server, which has no limits by itself."""
    host = urlsplit(api_url).hostname or ""
    return GITHUB_BUDGET if host == "api.github.com" or host.endswith(".ghe.com") else None


@dataclass(frozen=True, slots=True)
class Write:
    """A write that wants to be sent: the same one again has the same key, and keeps its place."""

    key: str
    rank: int
    priority: Priority = "normal"


def rank(path: str) -> int:
    """Check runs go first, then labels, then all that is only to be read."""
    parts = urlsplit(path).path.split("/")
    return 1 if "check-runs" in parts else 2 if "labels" in parts else 3


@dataclass(frozen=True, slots=True)
class _Place:
    """A place in the queue, lower ones first, and when its turn comes."""

    order: tuple[int, int]
    turn: float


class RequestPacer:
    """One installation's writes of the last hour, and the queue of those that were told to come back."""

    def __init__(self, budget: WriteBudget) -> None:
        self._budget = budget
        self._sent: deque[float] = deque(maxlen=budget.per_hour)
        self._queue: dict[str, _Place] = {}
        self._arrivals = 0

    def wait(self, write: Write, at: float) -> float:
        """0.0: send it now, it is counted. Else the seconds until its turn, for which it has a place in the queue."""
        self._tidy(at)
        place = self._queue.get(write.key)
        rank = 0 if write.priority == "urgent" else write.rank
        order = (rank, place.order[1] if place else self._arrivals + 1)
        ahead = [other.turn for key, other in self._queue.items() if key != write.key and other.order < order]
        turn = self._turn(sorted([*self._sent, *ahead]), write.priority, at)
        if turn <= at:
            self._queue.pop(write.key, None)
            self._sent.append(at)
            return 0.0
        if place or len(self._queue) < MAX_WAITING:
            self._arrivals = max(self._arrivals, order[1])
            self._queue[write.key] = _Place(order, turn)
        return turn - at

    def _turn(self, planned: Sequence[float], priority: Priority, at: float) -> float:
        """The first moment with room after all that is planned, in order."""
        per_minute, per_hour = self._budget.allowed(priority)
        turn = at
        if len(planned) >= per_minute:
            turn = max(turn, planned[-per_minute] + MINUTE)
        if len(planned) >= per_hour:
            turn = max(turn, planned[-per_hour] + HOUR)
        return turn

    def _tidy(self, at: float) -> None:
        while self._sent and self._sent[0] <= at - HOUR:
            self._sent.popleft()
        for key in [key for key, place in self._queue.items() if place.turn < at - GRACE]:
            del self._queue[key]
