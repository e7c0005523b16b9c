"""The accounts that are served and the team that administers: each is one at GitHub, and the App is installed there."""

from collections.abc import Iterable
from typing import Final

from bot.doctor.report import Check, Item
from bot.doctor.settings import ADMINISTRATORS
from bot.github.hub import Hub
from bot.github.ports import HubError, Installation, Missing
from bot.settings import Settings

_SERVED: Final = Check("settings.accounts", "critical")


def judge(settings: Settings, hub: Hub | None) -> list[Item]:
    """`hub` is None where GitHub cannot be asked."""
    if not settings.accounts:
        return [
            _SERVED.failed("COUNTERSIGN_ACCOUNTS is not set", "Set it to the organisations that this server serves.")
        ]
    if hub is None:
        remedy = "Correct what is said about GitHub first."
        unasked = [_SERVED.unknown("GitHub was not asked who they are", remedy)]
        return unasked + (
            [ADMINISTRATORS.unknown("GitHub was not asked for the team", remedy)]
            if settings.administrators.team
            else []
        )
    return [_served(settings.accounts, hub), *_team(settings, hub)]


def _served(accounts: Iterable[str], hub: Hub) -> Item:
    wrong: list[str] = []
    try:
        installations = hub.installations()
        for word in accounts:
            wrong += _wrong(word, installations, hub)
    except HubError as error:
        return _SERVED.unknown(str(error), "Run this again.")
    if wrong:
        return _SERVED.failed(
            "; ".join(wrong), "Correct COUNTERSIGN_ACCOUNTS, or install the App there (its page, Install)."
        )
    return _SERVED.passed(f"the App is installed on {', '.join(accounts)}")


def _wrong(word: str, installations: tuple[Installation, ...], hub: Hub) -> list[str]:
    """Why that account is not served, at most one clause; raises HubError."""
    for one in installations:
        if word in (str(one.account.id), one.account.login) or word.lower() == one.account.login.lower():
            return [f"{word} has suspended the App"] if one.suspended else []
    if not word.isdecimal():
        try:
            hub.account_by_login(word)
        except Missing:
            return [f"GitHub knows no account {word}"]
    return [f"the App is not installed on {word}"]


def _team(settings: Settings, hub: Hub) -> list[Item]:
    if settings.administrators.team is None:
        return []
    organization, team = settings.administrators.team
    remedy = "Correct COUNTERSIGN_ADMIN_TEAM: a team of an organisation where the App is installed."
    try:
        members = hub.team_members(hub.team_by_name(organization, team))
    except Missing:
        return [ADMINISTRATORS.failed(f"GitHub shows the App no team {organization}/{team}", remedy)]
    except HubError as error:
        return [ADMINISTRATORS.unknown(str(error), "Run this again.")]
    if not members:
        return [ADMINISTRATORS.failed(f"nobody is in the team {organization}/{team}", "Add somebody to it.")]
    return [ADMINISTRATORS.passed(f"{len(members)} in the team {organization}/{team} administer")]
