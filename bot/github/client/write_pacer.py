"""Counts how many writes GitHub takes in a minute and in an hour, and whose turn is next: a state machine that is told the time.

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
QUEUE_GRACE_SECONDS: Final = 20.0  # Seconds that a place in the queue is kept after its turn came.
# So many writes of one rank in a minute, none of them urgent: lower ranks then wait until these are written.
STORM_WRITES: Final = 5
# Seconds without such a write after which a storm's are all sent, or in the queue; for each rank between.
STORM_END_SECONDS: Final = 5.0
MAX_WAITING: Final = 5000  # Places in the queue. A caller who comes when it is full waits as long, without a place.


@dataclass(frozen=True, slots=True)
class WriteBudget:
    """Writes `per_minute` and `per_hour`; `reserved_per_minute` and `reserved_per_hour` of these for urgent ones."""

    per_minute: int
    per_hour: int
    reserved_per_minute: int = 0
    reserved_per_hour: int = 0

    def allowed(self, priority: Priority, among: int = 1) -> tuple[int, int]:
        """The writes of that priority in a minute and in an hour, for each of so many who share them; one at least."""
        minute, hour = self.per_minute, self.per_hour
        if priority != "urgent":
            minute, hour = minute - self.reserved_per_minute, hour - self.reserved_per_hour
        return max(minute // among, 1), max(hour // among, 1)  # With 0, a process among many would never write.


# GitHub's documented secondary limits for requests that create content, for each installation.
GITHUB_BUDGET: Final = WriteBudget(80, 500, reserved_per_minute=12, reserved_per_hour=75)


def documented_budget(api_url: str) -> WriteBudget | None:
    """GitHub's documented budget for that address; None for GitHub Enterprise Server, which has no limits by itself."""
    host = urlsplit(api_url).hostname or ""
    return GITHUB_BUDGET if host == "api.github.com" or host.endswith(".ghe.com") else None


@dataclass(frozen=True, slots=True)
class PacedWrite:
    """A write of a `rank` (lower ones first) and a `priority`; the same write again has the same `key` and place."""

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
    """A place in the queue: its `order`, lower ones first, and its `turn`, in seconds of the clock."""

    order: tuple[int, int, int]
    turn: float


class WritePacer:
    """One installation's writes of the last hour, and the queue of those that were told to come back."""

    def __init__(self, budget: WriteBudget, among: int = 1) -> None:
        self._budget = budget
        self.among = among
        """The number of processes that share the budget."""
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
        """Count the write that was sent at `sent_at` from its answer on."""
        if sent_at in self._sent:
            # GitHub may have counted it as late as this.
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
