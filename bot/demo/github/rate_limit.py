"""Rate limits: how many calls each caller has made in its hour, and how much it has written."""

from collections import Counter, defaultdict, deque
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from bot.clock import Clock

ONE_MINUTE, ONE_HOUR = timedelta(minutes=1), timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class RateLimitUsage:
    """A caller's calls of a `resource` (`core`, `graphql`) in an hour: `used` of `limit`, `reset` in Unix time."""

    resource: str
    limit: int
    used: int
    reset: int

    @property
    def remaining(self) -> int:
        """The calls that are left."""
        return max(self.limit - self.used, 0)

    @property
    def headers(self) -> dict[str, str]:
        """The headers of every answer."""
        values = {"Limit": self.limit, "Remaining": self.remaining, "Used": min(self.used, self.limit),
                  "Reset": self.reset, "Resource": self.resource}  # fmt: skip
        return {f"X-RateLimit-{name}": str(value) for name, value in values.items()}


@dataclass(slots=True)
class RateLimit:
    """Counts calls by caller and resource (`_used` of the `limit`) in hours that `_began` with the first call."""

    limit: int = 5000  # No call is refused: a long test or benchmark must not stop at it.
    _used: Counter[tuple[str, str]] = field(default_factory=Counter)
    _began: dict[tuple[str, str], datetime] = field(default_factory=dict)

    def usage(self, caller: str, resource: str, now: datetime, *, calls: int = 0) -> RateLimitUsage:
        """The caller's usage, these calls included."""
        key = (caller, resource)
        if not self._began.setdefault(key, now) <= now < self._began[key] + ONE_HOUR:  # A clock may be put back, too
            self._began[key] = now
            del self._used[key]
        self._used[key] += calls
        return RateLimitUsage(resource, self.limit, self._used[key], int((self._began[key] + ONE_HOUR).timestamp()))


@dataclass(slots=True)
class ContentLimit:
    """GitHub's secondary limit, `per_minute` and `per_hour`, for what was `_written`; refused only if `enforced`."""

    clock: Clock
    per_minute: int = 80
    per_hour: int = 500  # Both as GitHub documents them.
    enforced: bool = False
    _written: defaultdict[str, deque[datetime]] = field(default_factory=lambda: defaultdict(deque))

    def is_exceeded(self, caller: str) -> bool:
        """Whether one write more would be too many; if not, it is counted."""
        written, now = self._written[caller], self.clock()
        while written and written[0] <= now - ONE_HOUR:
            written.popleft()
        in_minute = sum(at > now - ONE_MINUTE for at in written)
        if self.enforced and (in_minute >= self.per_minute or len(written) >= self.per_hour):
            return True
        written.append(now)
        return False
