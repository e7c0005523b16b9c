"""Who may read a private repository, as GitHub says: asked for one account, and believed for five minutes."""

from collections import OrderedDict
from collections.abc import Callable
from datetime import datetime, timedelta
from threading import Lock

from agreements.facts import Account
from bot.clock import Clock
from bot.github.ports import RepositoryPlace

CACHE_LIFETIME = timedelta(minutes=5)
_CACHE_ENTRIES = 10_000  # pairs of an account and a repository; the oldest are forgotten first


class ReadPermission:
    """Remembers GitHub's answers, yes and no alike."""

    def __init__(self, ask: Callable[[RepositoryPlace, Account], bool], clock: Clock) -> None:
        self._ask = ask
        self._clock = clock
        self._kept: OrderedDict[tuple[int, int], tuple[datetime, bool]] = OrderedDict()
        self._lock = Lock()

    def may_read(self, place: RepositoryPlace, account: Account) -> bool:
        """Whether that very account may read the repository. Raises HubError when GitHub does not answer."""
        key = (place.repository_id, account.id)
        with self._lock:
            kept = self._kept.get(key)
        if kept is not None and self._clock() - kept[0] < CACHE_LIFETIME:
            return kept[1]
        answer = self._ask(place, account)
        with self._lock:
            self._kept[key] = (self._clock(), answer)
            self._kept.move_to_end(key)
            while len(self._kept) > _CACHE_ENTRIES:
                self._kept.popitem(last=False)
        return answer
