"""The administrators, the auditors and the readers of a private repository: by account ids, or as GitHub says."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from threading import Lock
from typing import Generic, TypeVar

from agreements.facts import Account
from bot.clock import Clock
from bot.github.ports import RepositoryPlace

CACHE_LIFETIME = timedelta(minutes=5)
"""How long GitHub's answer about a team or a reader is believed."""
_CACHE_ENTRIES = 10_000  # Of teams, and of pairs of an account and a repository

_Key = TypeVar("_Key")
_Answer = TypeVar("_Answer")

Team = Callable[[str, str], frozenset[int]]
"""Gives the account ids of a configured team's members (organisation, team), by `bot.access.teams`. Raises HubError."""


@dataclass(frozen=True, slots=True)
class RoleMembers:
    """The people with a role: the accounts `ids`, or the members of `team` (organization and team by their names)."""

    ids: frozenset[int] = frozenset()
    team: tuple[str, str] | None = None

    @classmethod
    def parse(cls, text: str) -> "RoleMembers":
        """Read `org/team` or account ids separated by commas; empty means no one. Raises ValueError for all else."""
        if "/" in text:
            organization, _, team = text.partition("/")
            if not organization.strip() or not team.strip() or "/" in team or "," in text:
                raise ValueError("must be organisation/team, or account ids separated by commas")
            return cls(team=(organization.strip(), team.strip()))
        words = [word.strip() for word in text.split(",") if word.strip()]
        if not all(word.isascii() and word.isdecimal() and int(word) > 0 for word in words):
            raise ValueError("must be organisation/team, or account ids separated by commas (logins change hands)")
        return cls(ids=frozenset(map(int, words)))


NO_MEMBERS = RoleMembers()


class _Answers(Generic[_Key, _Answer]):
    """GitHub's answer for each key, believed for five minutes; of too many the oldest are dropped. Many threads may use one."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._kept: dict[_Key, tuple[datetime, _Answer]] = {}
        self._lock = Lock()

    def get(self, key: _Key, ask: Callable[[], _Answer]) -> _Answer:
        """The kept answer while it is believed, else a new one. Raises what `ask` raises."""
        with self._lock:
            kept = self._kept.get(key)
        if kept is not None and self._clock() - kept[0] < CACHE_LIFETIME:
            return kept[1]
        # Asked outside the lock: a slow GitHub must not hold up the other keys.
        answer = ask()
        with self._lock:
            # A dict keeps the place of a key: without this the newest answer could be dropped as the oldest.
            self._kept.pop(key, None)
            self._kept[key] = (self._clock(), answer)
            while len(self._kept) > _CACHE_ENTRIES:
                del self._kept[next(iter(self._kept))]
        return answer

    def newest(self, key: _Key) -> _Answer | None:
        """The newest answer, however old; None before the first."""
        with self._lock:
            return self._kept[key][1] if key in self._kept else None


class Roles:
    """Answers who has a role now; a team's members are asked of GitHub and kept for five minutes."""

    def __init__(self, administrators: RoleMembers, auditors: RoleMembers, team: Team, clock: Clock) -> None:
        self._administrators = administrators
        self._auditors = auditors
        self._team = team
        self._answers: _Answers[tuple[str, str], frozenset[int]] = _Answers(clock)

    def administrators(self) -> frozenset[int]:
        """The account ids of people who may change everything. Raises HubError when GitHub does not answer."""
        return self._ids(self._administrators)

    def auditors(self) -> frozenset[int]:
        """The account ids of people who may read everything and change nothing. Raises HubError."""
        return self._ids(self._auditors)

    def last_seen_reading(self, account_id: int) -> bool:
        """Whether the newest answer, however old, lets the account read all: to show a link, never to open a page."""
        appointed = (self._administrators, self._auditors)
        return any(
            account_id in (self._answers.newest(members.team) or () if members.team else members.ids)
            for members in appointed
        )

    def _ids(self, appointed: RoleMembers) -> frozenset[int]:
        team = appointed.team
        return appointed.ids if team is None else self._answers.get(team, lambda: self._team(*team))


class ReadPermission:
    """Asks whether an account may read a private repository; yes and no alike are believed for five minutes."""

    def __init__(self, ask: Callable[[RepositoryPlace, Account], bool], clock: Clock) -> None:
        self._ask = ask
        self._answers: _Answers[tuple[int, int], bool] = _Answers(clock)

    def may_read(self, place: RepositoryPlace, account: Account) -> bool:
        """Whether that very account may read the repository. Raises HubError when GitHub does not answer."""
        # By ids: names of repositories and logins change hands.
        return self._answers.get((place.repository_id, account.id), lambda: self._ask(place, account))
