"""GitHub: reached, with a clock that agrees with ours, taking the App's key, and granting it what it needs."""

from datetime import timedelta
from typing import Final

from bot.clock import Clock
from bot.doctor.report import Check, Item
from bot.github import permissions
from bot.github.app_registration import AppRegistration, Grant
from bot.github.availability import AppRefused
from bot.github.hub import Hub
from bot.github.ports import HubError, Refused
from bot.webhook.events import ALWAYS_SENT, ROUTED

REACHABLE: Final = Check("github.reachable", "critical")
CLOCK: Final = Check("github.clock", "high")
APP: Final = Check("github.app", "critical")
PERMISSIONS: Final = Check("github.permissions", "critical")
GRANTS: Final = Check("github.grants", "high")
EVENTS: Final = Check("github.events", "high")
_RULESET: Final = Check("github.ruleset", "low")
_ASKED: Final = (APP, PERMISSIONS, GRANTS, EVENTS)
MOST_OFF: Final = timedelta(seconds=30)
"""More is no delay on the way. Calls to GitHub allow for it, but signatures and entries of the log are dated by our clock."""
SET_CLOCK: Final = (
    "Set the clock of this machine and of the database server by NTP (`timedatectl set-ntp true`): "
    "signatures are dated by it."
)
OF_PEOPLE: Final = ("email_addresses",)
"""Permissions that each person grants by signing in, and no installation."""
RULESET: Final = (
    "Require the status check `Countersign` by a ruleset of each organisation, with its source pinned to this App: "
    "otherwise anyone who may write statuses can set one of that name."
)


def judge(hub: Hub | None, why: str, clock: Clock) -> list[Item]:
    """`hub` is None where the settings do not say which App we are; `why` says it then."""
    if hub is None:
        remedy = "Correct the settings of the App first, or register one with `countersign setup`."
        return [check.unknown(f"GitHub was not asked: {why}", remedy) for check in (REACHABLE, CLOCK, *_ASKED)]
    try:
        offset = hub.clock_offset(clock())
    except HubError as error:
        remedy = (
            "Look at the way to GitHub: COUNTERSIGN_GITHUB_API_URL, HTTPS_PROXY, the firewall, GitHub's status page."
        )
        return [REACHABLE.failed(str(error), remedy), *_unasked(CLOCK, *_ASKED)]
    return [REACHABLE.passed("GitHub answers"), _clock(offset), *_app(hub)]


def _unasked(*checks: Check) -> list[Item]:
    return [check.unknown("GitHub was not asked", "Correct what is said about GitHub first.") for check in checks]


def _clock(offset: timedelta) -> Item:
    seconds = round(offset.total_seconds())
    if abs(offset) > MOST_OFF:
        said = f"our clock is {abs(seconds)} seconds {'ahead of' if seconds > 0 else 'behind'} GitHub's"
        return CLOCK.failed(said, SET_CLOCK)
    return CLOCK.passed(f"our clock agrees with GitHub's to {max(abs(seconds), 1)} s")


def _app(hub: Hub) -> list[Item]:
    try:
        hub.identity(again=True)
        found, grants = hub.registration(), hub.grants()
    except (Refused, AppRefused) as error:
        remedy = "Set COUNTERSIGN_APP_ID and a private key of that very App; make a new key on its settings page."
        return [APP.failed(str(error), remedy), *_unasked(PERMISSIONS, GRANTS, EVENTS)]
    except HubError as error:
        return [APP.unknown(str(error), "Run this again."), *_unasked(PERMISSIONS, GRANTS, EVENTS)]
    return [
        APP.passed(f"GitHub takes the key of the App {found.slug}"),
        _permissions(found),
        _grants(grants),
        _events(found),
        _RULESET.not_applicable(f"not looked at. {RULESET}"),
    ]


def _permissions(found: AppRegistration) -> Item:
    lacking = permissions.lacking(found.permissions)
    if lacking:
        return PERMISSIONS.failed(
            f"the App lacks {_named(lacking)}",
            f"Grant them to the App (its settings at GitHub, Permissions & events: {found.page}), then accept them in each organisation.",
        )
    return PERMISSIONS.passed("the App has every permission that it needs")


def _grants(grants: tuple[Grant, ...]) -> Item:
    if not grants:
        return GRANTS.failed(
            "the App is installed nowhere", "Install it on your organisation: the App's page, Install."
        )
    said = [f"{one.account} has suspended the App" for one in grants if one.suspended]
    said += [
        f"{one.account} has not granted {_named(lacking)}"
        for one in grants
        if not one.suspended and (lacking := permissions.lacking(one.permissions, without=OF_PEOPLE))
    ]
    if said:
        return GRANTS.failed(
            "; ".join(said), "Have an owner accept the App's permissions: the organisation's settings, GitHub Apps."
        )
    return GRANTS.passed(f"{len(grants)} installation{'s have' if len(grants) > 1 else ' has'} granted them")


def _events(found: AppRegistration) -> Item:
    lacking = sorted(set(ROUTED) - ALWAYS_SENT - found.events)
    if lacking:
        remedy = "Subscribe to them on the App's settings page, Permissions & events."
        return EVENTS.failed(f"the App is not told of {', '.join(lacking)}", remedy)
    return EVENTS.passed("the App is told of every event that it acts on")


def _named(lacking: dict[str, str]) -> str:
    return ", ".join(f"{name}: {level}" for name, level in lacking.items())
