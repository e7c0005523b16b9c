"""GitHub: reachable, in agreement with this machine's clock, accepting the App's key, and granting it what it needs."""

from datetime import timedelta
from typing import Final

from bot.clock import Clock
from bot.doctor.report import TRY_AGAIN, DoctorCheck, DoctorResult, sentence, unasked
from bot.github import permissions
from bot.github.app_registration import AppRegistration
from bot.github.availability import AppRefused
from bot.github.hub import Hub
from bot.github.ports import HubError, Installation, Refused
from bot.webhook.events import ALWAYS_SENT, ROUTED

REACHABLE: Final = DoctorCheck("github.reachable", "critical")
CLOCK: Final = DoctorCheck("github.clock", "high")
APP: Final = DoctorCheck("github.app", "critical")
PERMISSIONS: Final = DoctorCheck("github.permissions", "critical")
GRANTS: Final = DoctorCheck("github.grants", "high")
EVENTS: Final = DoctorCheck("github.events", "high")
_ASKED: Final = (APP, PERMISSIONS, GRANTS, EVENTS)
MAX_CLOCK_OFFSET: Final = timedelta(seconds=30)
"""More is no delay on the way. Calls to GitHub allow for it, but signatures and entries of the log are dated by our clock."""
SET_CLOCK: Final = (
    "Set the clock of this machine and of the database server with NTP (`timedatectl set-ntp true`): "
    "signatures are dated by it."
)
OF_PEOPLE: Final = ("email_addresses",)
"""Permissions that each person grants by signing in, and no installation."""
OF_ORGANIZATIONS: Final = ("members",)
"""Permissions that mean nothing on a person's account, whatever its installation shows."""


def judge(hub: Hub | None, why: str, clock: Clock) -> list[DoctorResult]:
    """`hub` is None where the settings do not say which App we are; `why` says it then."""
    if hub is None:
        remedy = "Correct the settings of the App, or register one with `countersign setup`."
        return [check.unknown(f"Not checked: {why}.", remedy) for check in (REACHABLE, CLOCK, *_ASKED)]
    try:
        offset = hub.clock_offset(clock())
    except HubError as error:
        remedy = "Check COUNTERSIGN_GITHUB_API_URL, HTTPS_PROXY and the firewall, and whether GitHub has an outage."
        return [REACHABLE.failed(sentence(str(error)), remedy), *unasked(CLOCK, *_ASKED)]
    return [REACHABLE.passed("GitHub is reachable."), _clock(offset), *_app(hub)]


def _clock(offset: timedelta) -> DoctorResult:
    seconds = round(offset.total_seconds())
    if abs(offset) > MAX_CLOCK_OFFSET:
        said = f"The clock here is {abs(seconds)} seconds {'ahead of' if seconds > 0 else 'behind'} GitHub's."
        return CLOCK.failed(said, SET_CLOCK)
    return CLOCK.passed("The clock here agrees with GitHub's.")


def _app(hub: Hub) -> list[DoctorResult]:
    try:
        hub.identity(again=True)
        found, installations = hub.registration(), hub.installations()
    except (Refused, AppRefused) as error:
        remedy = "Set COUNTERSIGN_APP_ID and a private key of that App. Its settings page at GitHub makes a new key."
        return [APP.failed(sentence(str(error)), remedy), *unasked(PERMISSIONS, GRANTS, EVENTS)]
    except HubError as error:
        return [APP.unknown(f"GitHub did not answer: {error}.", TRY_AGAIN), *unasked(PERMISSIONS, GRANTS, EVENTS)]
    return [
        APP.passed(f"GitHub accepts the key of the App {found.slug}."),
        _permissions(found),
        _grants(installations),
        _events(found),
    ]


def _permissions(found: AppRegistration) -> DoctorResult:
    lacking = permissions.lacking(found.permissions)
    if lacking:
        return PERMISSIONS.failed(
            f"The App does not ask for {_named(lacking)}.",
            f"Add them in the App's settings at GitHub (Permissions & events; the App is {found.page}), then accept them in each organisation.",
        )
    return PERMISSIONS.passed("The App asks for every permission that it needs.")


def _grants(installations: tuple[Installation, ...]) -> DoctorResult:
    if not installations:
        return GRANTS.failed(
            "The App is not installed anywhere.", "Install it on your organisation (the App's page, Install)."
        )
    said = [f"{one.account.login} has suspended the App" for one in installations if one.suspended]
    said += [
        f"{one.account.login} has not granted {_named(lacking)}"
        for one in installations
        if not one.suspended and (lacking := _not_granted(one))
    ]
    if said:
        return GRANTS.failed(
            f"{'; '.join(said)}.",
            "Have an owner accept the App's permissions, or unsuspend it (the organisation's settings, GitHub Apps).",
        )
    return GRANTS.passed(
        f"{len(installations):,} installation{'s have' if len(installations) > 1 else ' has'} granted every permission."
    )


def _not_granted(one: Installation) -> dict[str, str]:
    ignored = OF_PEOPLE if one.account.type == "Organization" else (*OF_PEOPLE, *OF_ORGANIZATIONS)
    return permissions.lacking(one.permissions, without=ignored)


def _events(found: AppRegistration) -> DoctorResult:
    lacking = sorted(set(ROUTED) - ALWAYS_SENT - found.events)
    if lacking:
        remedy = "Subscribe to them in the App's settings at GitHub (Permissions & events)."
        return EVENTS.failed(f"The App is not subscribed to {', '.join(lacking)}.", remedy)
    return EVENTS.passed("The App is subscribed to every event that it acts on.")


def _named(lacking: dict[str, str]) -> str:
    return ", ".join(f"{name}: {level}" for name, level in lacking.items())
