"""GitHub: reachable, in agreement with this machine's clock, accepting the App's key, and granting it what it needs."""

from datetime import timedelta
from typing import Final

from agreements.github_server import GitHubServer
from bot.clock import Clock
from bot.doctor.doctor_report import TRY_AGAIN, DoctorCheck, DoctorResult, sentence, unasked
from bot.github import permissions
from bot.github.app_registration import AppRegistration
from bot.github.availability import AppRefused
from bot.github.client.server_features import FEATURES, OLDEST_SUPPORTED, ServerFeatures
from bot.github.hub import Hub
from bot.github.ports import HubError, Installation, Refused
from bot.webhook.event_parser import ALWAYS_SENT, ROUTED

REACHABLE: Final = DoctorCheck("github.reachable", "critical")
CLOCK: Final = DoctorCheck("github.clock", "high")
APP: Final = DoctorCheck("github.app", "critical")
PERMISSIONS: Final = DoctorCheck("github.permissions", "critical")
GRANTS: Final = DoctorCheck("github.grants", "high")
EVENTS: Final = DoctorCheck("github.events", "high")
INSTALLATIONS: Final = DoctorCheck("github.installations", "low")
VERSION: Final = DoctorCheck("github.version", "medium")
API: Final = DoctorCheck("github.api-version", "medium")
_AFTER_APP: Final = (PERMISSIONS, GRANTS, EVENTS, INSTALLATIONS, VERSION, API)
_ASKED: Final = (APP, *_AFTER_APP)
MAX_CLOCK_OFFSET: Final = timedelta(seconds=30)  # More is no delay on the way; our clock dates signatures and the log.
SET_CLOCK: Final = (
    "Set the clock of this machine and of the database server with NTP (`timedatectl set-ntp true`): "
    "signatures are dated by it."
)
CHECKS: Final = (REACHABLE, CLOCK, *_ASKED)
OF_PEOPLE: Final = ("email_addresses",)  # Each person grants these by signing in, no installation does.
OF_ORGANIZATIONS: Final = ("members",)  # On a person's account they mean nothing, even where shown.


def judge(hub: Hub | None, why: str, clock: Clock, server: GitHubServer) -> list[DoctorResult]:
    """`hub` is None where the settings do not say which App we are; `why` says it then."""
    if hub is None:
        remedy = "Correct the settings of the App, or register one with `countersign setup`."
        return [check.unknown(f"Not checked: {why}.", remedy) for check in CHECKS]
    try:
        offset = hub.clock_offset(clock())
    except HubError as error:
        remedy = "Check COUNTERSIGN_GITHUB_API_URL, HTTPS_PROXY and the firewall, and whether GitHub has an outage."
        return [REACHABLE.failed(sentence(str(error)), remedy), *unasked(CLOCK, *_ASKED)]
    return [REACHABLE.passed("GitHub is reachable."), _clock(offset), *_app(hub, server)]


def _clock(offset: timedelta) -> DoctorResult:
    seconds = round(offset.total_seconds())
    if abs(offset) > MAX_CLOCK_OFFSET:
        said = f"The clock here is {abs(seconds)} seconds {'ahead of' if seconds > 0 else 'behind'} GitHub's."
        return CLOCK.failed(said, SET_CLOCK)
    return CLOCK.passed("The clock here agrees with GitHub's.")


def _version(features: ServerFeatures, server: GitHubServer) -> DoctorResult:
    if not server.is_enterprise_server:
        return VERSION.passed(f"GitHub is {server.host}, which has no versions: it has all that Countersign uses.")
    version = features.version
    if version is None:
        return VERSION.not_applicable(
            f"{server.host} does not say which version of GitHub Enterprise Server it is: what it lacks shows when it is asked."
        )
    lacking = features.lacking()
    without = "; ".join(f"{feature.what} ({feature.instead})" for feature in lacking)
    said = f"GitHub is Enterprise Server {version}." + (f" It has no {without}." if lacking else "")
    if version < OLDEST_SUPPORTED:
        oldest = f"{OLDEST_SUPPORTED.major}.{OLDEST_SUPPORTED.minor}"
        return VERSION.failed(
            f"{said} Versions before {oldest} are not supported.",
            f"Upgrade GitHub Enterprise Server to {oldest} or later.",
        )
    return VERSION.passed(said)


def _api_version(features: ServerFeatures) -> DoctorResult:
    # By the Sunset header (RFC 8594) of the newest answer.
    if features.sunset:
        return API.failed(
            f"GitHub ends the version of its REST API that Countersign uses ({features.sunset[:40]}).",
            "Upgrade Countersign before then: without it no pull request can be checked.",
        )
    return API.passed("GitHub names no end of the version of its REST API that Countersign uses.")


def _app(hub: Hub, server: GitHubServer) -> list[DoctorResult]:
    try:
        hub.identity(again=True)  # Not from memory: the key may have been replaced.
        found, odd = hub.registration(), list[str]()
        installations = hub.installations(on_odd=odd.append)
        features = hub.server_features()
    except (Refused, AppRefused) as error:
        remedy = "Set COUNTERSIGN_APP_ID and a private key of that App. Its settings page at GitHub makes a new key."
        return [APP.failed(sentence(str(error)), remedy), *unasked(*_AFTER_APP)]
    except HubError as error:
        return [APP.unknown(f"GitHub did not answer: {error}.", TRY_AGAIN), *unasked(*_AFTER_APP)]
    return [
        APP.passed(f"GitHub accepts the key of the App {found.slug}."),
        _permissions(found, features),
        _grants(installations, features),
        _events(found, features),
        _odd(odd),
        _version(features, server),
        _api_version(features),
    ]


def _odd(said: list[str]) -> DoctorResult:
    if said:
        remedy = "Look at the App's installations at GitHub (its settings, Install App). Countersign serves all others meanwhile."
        return INSTALLATIONS.failed(sentence(f"GitHub lists what cannot be used: {'; '.join(said)}"), remedy)
    return INSTALLATIONS.passed("GitHub lists every installation in the expected format.")


def _not_offered(features: ServerFeatures) -> frozenset[str]:
    """Permissions and events that this server is not known to have."""
    missing = [feature for feature in FEATURES if not features.is_published(feature)]
    return frozenset(name for feature in missing for name in (feature.permission, feature.event) if name)


def _permissions(found: AppRegistration, features: ServerFeatures) -> DoctorResult:
    lacking = permissions.lacking(found.permissions, without=_not_offered(features))
    if lacking:
        return PERMISSIONS.failed(
            f"The App does not ask for {_named(lacking)}.",
            f"Add them in the App's settings at GitHub (Permissions & events; the App is {found.page}), then accept them in each organisation.",
        )
    return PERMISSIONS.passed("The App asks for every permission that it needs.")


def _grants(installations: tuple[Installation, ...], features: ServerFeatures) -> DoctorResult:
    without = frozenset(OF_PEOPLE) | _not_offered(features)
    if not installations:
        return GRANTS.failed(
            "The App is not installed anywhere.", "Install it on your organisation (the App's page, Install)."
        )
    said = [
        f"{installation.account.login} has suspended the App"
        for installation in installations
        if installation.suspended
    ]
    said += [
        f"{installation.account.login} has not granted {_named(lacking)}"
        for installation in installations
        if not installation.suspended and (lacking := _not_granted(installation, without))
    ]
    if said:
        return GRANTS.failed(
            f"{'; '.join(said)}.",
            "Have an owner accept the App's permissions, or unsuspend it (the organisation's settings, GitHub Apps).",
        )
    return GRANTS.passed(
        f"{len(installations):,} installation{'s have' if len(installations) > 1 else ' has'} granted every permission."
    )


def _not_granted(installation: Installation, without: frozenset[str]) -> dict[str, str]:
    of_account = frozenset() if installation.account.type == "Organization" else frozenset(OF_ORGANIZATIONS)
    return permissions.lacking(installation.permissions, without=without | of_account)


def _events(found: AppRegistration, features: ServerFeatures) -> DoctorResult:
    lacking = sorted(set(ROUTED) - ALWAYS_SENT - found.events - _not_offered(features))  # Some need no subscription.
    if lacking:
        remedy = "Subscribe to them in the App's settings at GitHub (Permissions & events)."
        return EVENTS.failed(f"The App is not subscribed to {', '.join(lacking)}.", remedy)
    return EVENTS.passed("The App is subscribed to every event that it acts on.")


def _named(lacking: dict[str, str]) -> str:
    return ", ".join(f"{name}: {level}" for name, level in lacking.items())
