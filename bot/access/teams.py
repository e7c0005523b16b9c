"""The teams of the settings: the ids of organisation and team, resolved once, and only where we serve."""

import threading
from collections.abc import Mapping
from contextlib import suppress
from datetime import timedelta
from typing import Final

import structlog

from bot.access import served_accounts as accounts
from bot.access.roles import RoleMembers
from bot.access.served_accounts import ServedAccounts
from bot.db import Sessions
from bot.github.hub import Hub
from bot.github.ports import HubError, Missing, Team
from bot.store import team_records

REFRESH_INTERVAL: Final = timedelta(minutes=10)
"""How often the configured teams are looked at, beside the questions of the portal."""

log = structlog.get_logger()


class Teams:
    """The members of each configured team; none if its name means another team by now. Many threads may use one."""

    def __init__(
        self,
        administrators: RoleMembers,
        auditors: RoleMembers,
        repositories: Hub,
        sessions: Sessions,
        served: ServedAccounts,
    ) -> None:
        self._roles: Mapping[str, RoleMembers] = {
            "COUNTERSIGN_ADMIN_TEAM": administrators,
            "COUNTERSIGN_AUDITOR_TEAM": auditors,
        }
        self._repositories = repositories
        self._sessions = sessions
        self._served = served
        self._refused: Mapping[tuple[str, str], str] = {}
        self._lock = threading.Lock()

    @property
    def configured(self) -> frozenset[tuple[str, str]]:
        """Organisation and team of each role that a team has."""
        return frozenset(role.team for role in self._roles.values() if role.team is not None)

    @property
    def refused(self) -> tuple[str, ...]:
        """A line for each team that gives no role, and why, as far as we know; never asks GitHub."""
        return tuple(why for _, why in sorted(self._refused.items()))

    def members(self, organization: str, team: str) -> frozenset[int]:
        """Account ids of the members; none where the name is refused, which is logged once. Raises HubError."""
        before = self._refused.get((organization, team))
        found = self._ask(organization, team)
        why = self._refused.get((organization, team))
        if why not in (None, before):
            log.warning("teams.refused", team=f"{organization}/{team}", why=why)
        return found

    def refresh(self) -> None:
        """Ask for every configured team; refusals are logged and kept in `refused`. Raises nothing of GitHub's."""
        for organization, team in sorted(self.configured):
            try:
                self.members(organization, team)
            except HubError as error:
                log.warning("teams.unanswered", team=f"{organization}/{team}", why=str(error))

    def ask(self) -> tuple[str, ...]:
        """Ask for every configured team without logging; gives a line for each team that gives no role."""
        for organization, team in self.configured:
            with suppress(HubError):
                self._ask(organization, team)
        return self.refused

    def _ask(self, organization: str, team: str) -> frozenset[int]:
        try:
            found = self._repositories.team_members(self._resolved(organization, team))
        except _Refusal as refusal:
            self._refuse((organization, team), str(refusal))
            return frozenset()
        except Missing:
            self._refuse((organization, team), _GONE)
            return frozenset()
        with self._lock:
            self._refused = {name: why for name, why in self._refused.items() if name != (organization, team)}
        return found

    def _resolved(self, organization: str, team: str) -> Team:
        name = f"{organization}/{team}"
        with self._sessions() as session:
            kept = team_records.find(session, name)
        # The organisation may have left COUNTERSIGN_ACCOUNTS since.
        if kept is not None and kept.organization_id not in self._served:
            raise _Refusal(_ELSEWHERE)
        try:
            now = self._repositories.team_by_name(organization, team)
        except Missing:
            if kept is None:
                raise _Refusal(_UNKNOWN) from None
            return self._renamed(kept, organization)  # Renamed, or gone: the ids that were kept decide.
        if kept is None:
            # An organisation of strangers must not name our administrators.
            if now.organization_id not in self._served:
                raise _Refusal(_ELSEWHERE)
            with self._sessions() as session:
                return team_records.keep(session, name, now)
        # A stranger may have taken the name: only the ids that it first meant have the role.
        _same("organisation", kept.organization_id, now.organization_id)
        _same("team", kept.id, now.id)
        return kept

    def _renamed(self, kept: Team, organization: str) -> Team:
        try:
            now = self._repositories.account_by_login(organization)
        except Missing:
            return kept  # Its organisation is renamed, too, and the old login is free.
        _same("organisation", kept.organization_id, now.id)  # A stranger may have taken the login.
        return kept

    def _refuse(self, team: tuple[str, str], why: str) -> None:
        settings = " and ".join(name for name, role in self._roles.items() if role.team == team)
        line = f"{settings}: nobody has this role: {why.format(name='/'.join(team))}"
        with self._lock:
            self._refused = {**self._refused, team: line}


class _Refusal(Exception):
    """The reason why a configured name gives no role; `{name}` stands for it."""


_UNKNOWN: Final = "GitHub shows the App no team {name}: correct the name, or install the App in that organisation"
_ELSEWHERE: Final = f"{{name}} is in an organisation that is not served: name a team of one in {accounts.SETTING}"
_GONE: Final = (
    "the team that was {name} is gone, or the App is suspended or no longer installed in its organisation: "
    "name another, or accept a new one of that name with `countersign team forget {name}`"
)
_OTHER: Final = (
    "{{name}} is another {what} now (id {now}, it was {before}): find out who took the name, "
    "then name another team, or accept this one with `countersign team forget {{name}}`"
)


def _same(what: str, before: int, now: int) -> None:
    if before != now:
        raise _Refusal(_OTHER.format(what=what, now=now, before=before))
