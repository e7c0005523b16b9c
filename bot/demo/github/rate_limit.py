"""The primary rate limit: how many calls each caller has made in its hour, and the end of them when it is enforced."""

from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime, timedelta

HOUR = timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class Usage:
    """What a caller has of a resource (`core`, `graphql`) in this hour; `reset` in Unix time."""

    resource: str
    limit: int
    used: int
    reset: int

    @property
    def remaining(self) -> int:
        """How many calls are left."""
        return max(self.limit - self.used, 0)

    @property
    def headers(self) -> dict[str, str]:
        """As every answer carries it."""
        values = {"Limit": self.limit, "Remaining": self.remaining, "Used": min(self.used, self.limit),
                  "Reset": self.reset, "Resource": self.resource}  # fmt: skip
        return {f"X-RateLimit-{name}": str(value) for name, value in values.items()}


@dataclass(slots=True)
class RateLimit:
    """Counts calls by caller and resource; with `enforced` the calls beyond `limit` are refused until the hour is over."""

    limit: int = 5000
    enforced: bool = False
    _used: Counter[tuple[str, str]] = field(default_factory=Counter)
    _began: dict[tuple[str, str], datetime] = field(default_factory=dict)

    def usage(self, caller: str, resource: str, now: datetime, *, calls: int = 0) -> Usage:
        """What the caller has used with these calls."""
        key = (caller, resource)
        if now >= self._began.setdefault(key, now) + HOUR:
            self._began[key] = now
            del self._used[key]
        self._used[key] += calls
        return Usage(resource, self.limit, self._used[key], int((self._began[key] + HOUR).timestamp()))

    def is_exceeded(self, usage: Usage) -> bool:
        """Whether that call was one too many."""
        return self.enforced and usage.used > usage.limit
