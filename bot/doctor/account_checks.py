"""The accounts that are served and the team of administrators: each exists at GitHub, and the App is installed there."""

from collections.abc import Iterable
from typing import Final

from agreements.facts import Account
from bot.doctor.doctor_report import TRY_AGAIN, DoctorCheck, DoctorResult, unasked
from bot.doctor.setting_checks import ADMINISTRATORS
from bot.github.hub import Hub
from bot.github.ports import HubError, Installation, Missing
from bot.settings import Settings

_SERVED: Final = DoctorCheck("settings.accounts", "critical")


def checks(settings: Settings) -> tuple[DoctorCheck, ...]:
    """The checks that `judge` has a result for."""
    return (_SERVED, ADMINISTRATORS) if settings.administrators.team else (_SERVED,)


def judge(settings: Settings, hub: Hub | None) -> list[DoctorResult]:
    """`hub` is None where GitHub cannot be asked."""
    team = settings.administrators.team
    if not settings.accounts:
        return [
            _SERVED.failed("COUNTERSIGN_ACCOUNTS is not set.", "Set it to the organisations that this server is for.")
        ]
    if hub is None:
        return unasked(_SERVED, ADMINISTRATORS) if team else unasked(_SERVED)
    return [_served(settings.accounts, hub), *([_administrators(team, hub)] if team else [])]


def _served(accounts: Iterable[str], hub: Hub) -> DoctorResult:
    wrong: list[str] = []
    try:
        installations = hub.installations()  # Once, for all accounts.
        for word in accounts:
            wrong += _wrong(word, installations, hub)
    except HubError as error:
        return _SERVED.unknown(f"GitHub did not say where the App is installed: {error}.", TRY_AGAIN)
    if wrong:
        return _SERVED.failed(
            f"{'; '.join(wrong)}.",
            "Correct COUNTERSIGN_ACCOUNTS, or have an owner install or unsuspend the App there (the App's page, Install).",
        )
    return _SERVED.passed(f"The App is installed on {', '.join(accounts)}.")


def names(word: str, account: Account) -> bool:
    """Whether that word of COUNTERSIGN_ACCOUNTS, an id or a login in any case, is that account."""
    return word.lower() in (str(account.id), account.login.lower())  # GitHub ignores the case of logins.


def _wrong(word: str, installations: tuple[Installation, ...], hub: Hub) -> list[str]:
    for installation in installations:
        if names(word, installation.account):
            return [f"{word} has suspended the App"] if installation.suspended else []
    if not word.isdecimal():  # Only a login is looked up: it may be misspelt.
        try:
            hub.account_by_login(word)
        except Missing:
            return [f"GitHub has no account named {word}"]
    return [f"the App is not installed on {word}"]


def _administrators(team: tuple[str, str], hub: Hub) -> DoctorResult:
    name = "/".join(team)
    remedy = (
        "Set COUNTERSIGN_ADMIN_TEAM to a team, as organisation/team, of an organisation where the App is installed."
    )
    try:
        members = hub.team_members(hub.team_by_name(*team))
    except Missing:
        return ADMINISTRATORS.failed(f"The App sees no team {name} at GitHub.", remedy)
    except HubError as error:
        return ADMINISTRATORS.unknown(f"GitHub did not say who is in the team: {error}.", TRY_AGAIN)
    if not members:
        return ADMINISTRATORS.failed(f"The team {name} has no members.", "Add the administrators to it.")
    count = f"{len(members):,} member{'s' if len(members) > 1 else ''}"
    return ADMINISTRATORS.passed(f"The team {name} administers, with {count}.")
