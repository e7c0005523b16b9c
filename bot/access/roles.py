"""Who administers and who audits: lists of account ids, or teams of an organisation as GitHub knows them."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from threading import Lock

from bot.clock import Clock

CACHE_LIFETIME = timedelta(minutes=5)
"""How long GitHub's answer about a team is believed."""

Team = Callable[[str, str], frozenset[int]]
"""Gives the account ids of a configured team's members (organisation, team), by `bot.access.teams`. Raises HubError."""


@dataclass(frozen=True, slots=True)
class RoleMembers:
    """Who was given a role: these accounts, or the members of a team (`organization/team`)."""

    ids: frozenset[int] = frozenset()
    team: tuple[str, str] | None = None

    @classmethod
    def parse(cls, text: str) -> "RoleMembers":
        """Read `org/team` or account ids separated by commas; empty is nobody. Raises ValueError for anything else."""
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


class Roles:
    """Answers who has a role now; a team's members are asked of GitHub and kept for five minutes."""

    def __init__(self, administrators: RoleMembers, auditors: RoleMembers, team: Team, clock: Clock) -> None:
        self._administrators = administrators
        self._auditors = auditors
        self._team = team
        self._clock = clock
        self._kept: dict[tuple[str, str], tuple[datetime, frozenset[int]]] = {}
        self._lock = Lock()

    def administrators(self) -> frozenset[int]:
        """Account ids of those who may change everything. Raises HubError when GitHub does not answer."""
        return self._ids(self._administrators)

    def auditors(self) -> frozenset[int]:
        """Account ids of those who may read everything and change nothing. Raises HubError."""
        return self._ids(self._auditors)

    def last_seen_reading(self, account_id: int) -> bool:
        """Whether the newest answer, however old, lets that account read everything: to show a link, never to open a page."""
        with self._lock:
            newest = {team: members for team, (_, members) in self._kept.items()}
        appointed = (self._administrators, self._auditors)
        return any(account_id in (newest.get(one.team, ()) if one.team else one.ids) for one in appointed)

    def _ids(self, appointed: RoleMembers) -> frozenset[int]:
        if appointed.team is None:
            return appointed.ids
        with self._lock:
            kept = self._kept.get(appointed.team)
        if kept is not None and self._clock() - kept[0] < CACHE_LIFETIME:
            return kept[1]
        found = self._team(*appointed.team)
        with self._lock:
            self._kept[appointed.team] = (self._clock(), found)
        return found
