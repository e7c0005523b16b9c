"""The webhook: GitHub sends it to this server, signed with our secret, and the server accepts it."""

from datetime import timedelta
from typing import Final

from bot.clock import Clock
from bot.db import Sessions
from bot.doctor import database_checks, webhook_secret
from bot.doctor.doctor_report import TRY_AGAIN, DoctorCheck, DoctorResult, unasked
from bot.doctor.webhook_secret import FORWARD_SIGNATURE, OPEN_TO_WEBHOOKS, SECRET, SEND_ONE
from bot.github.app_registration import WebhookConfig
from bot.github.delivery_log import DeliveryAttempt
from bot.github.hub import Hub
from bot.github.ports import HubError, Missing
from bot.settings import Settings
from bot.store import inbox
from bot.webhook.event_parser import ROUTED
from bot.webhook.signature import ABSENT, MISMATCH, refusal

ADDRESS: Final = DoctorCheck("webhook.address", "critical")
ANSWERED: Final = DoctorCheck("webhook.answered", "critical")
_LOST: Final = DoctorCheck("webhook.lost", "medium")
CHECKS: Final = (ADDRESS, SECRET, ANSWERED, _LOST)
_CHECKED_PERIOD: Final = timedelta(days=1)  # GitHub's log reaches three days back.


def judge(settings: Settings, hub: Hub | None, sessions: Sessions | None, clock: Clock) -> list[DoctorResult]:
    """`hub` and `sessions` are None where GitHub or the database cannot be asked."""
    if hub is None:
        return unasked(*CHECKS)
    return [*delivered(settings, hub), *database_checks.read(sessions, lambda found: [_lost(hub, found, clock)], _LOST)]


def delivered(settings: Settings, hub: Hub) -> list[DoctorResult]:
    """Address, secret and the newest answer, as GitHub has them."""
    try:
        config = hub.webhook()
    except HubError as error:
        said = f"GitHub did not show the App's webhook: {error}."
        return [check.unknown(said, TRY_AGAIN) for check in (ADDRESS, SECRET, ANSWERED)]
    try:
        newest = hub.newest_deliveries()
    except Missing:  # An older GitHub Enterprise Server
        newest = ()
    except HubError as error:
        said = f"GitHub did not list its newest webhooks: {error}."
        return [_address(settings, config), *(check.unknown(said, TRY_AGAIN) for check in (SECRET, ANSWERED))]
    return [
        _address(settings, config),
        webhook_secret.check(settings, config, newest, hub),
        _answered(settings, newest[0] if newest else None, hub),
    ]


def _address(settings: Settings, config: WebhookConfig) -> DoctorResult:
    wanted = f"{settings.url}/webhook"
    where = "in the App's settings at GitHub (General, Webhook)."
    if not settings.url:
        return ADDRESS.unknown("COUNTERSIGN_URL is not set.", "Set it to the public address of this server.")
    if config.url != wanted:
        return ADDRESS.failed(
            f"GitHub sends webhooks to {config.url or 'no address'}.", f"Set the webhook URL to {wanted} {where}"
        )
    if config.content_type != "json":
        return ADDRESS.failed(
            f"GitHub sends webhooks as {config.content_type}, not as JSON.",
            f"Set the content type to application/json {where}",
        )
    if not config.verifies_tls and wanted.startswith("https:"):
        return ADDRESS.failed("GitHub does not verify this server's certificate.", f"Enable SSL verification {where}")
    return ADDRESS.passed(f"GitHub sends webhooks to {wanted}.")


def _answered(settings: Settings, newest: DeliveryAttempt | None, hub: Hub) -> DoctorResult:
    if newest is None:
        return ANSWERED.unknown("GitHub sent no webhook in the last three days.", SEND_ONE)
    said = f"GitHub's newest webhook ({newest.event}, {newest.at:%Y-%m-%d %H:%M} UTC) was answered {newest.status}"
    if newest.is_accepted:
        return ANSWERED.passed(f"{said}.")
    if newest.status == 401:
        return _unauthorized(said, newest, hub)
    return ANSWERED.failed(
        f"{said}." if newest.status else f"{said.rpartition(' was ')[0]} was not answered.",
        f"Make {settings.url}/webhook reachable from GitHub (proxy, firewall, certificate), then select Redeliver in the "
        "App's settings (Advanced, Recent deliveries).",
    )


def _unauthorized(said: str, newest: DeliveryAttempt, hub: Hub) -> DoctorResult:
    """Whether Countersign refused it, and why, or a proxy in front of it."""
    try:
        reason = refusal(hub.sent_webhook(newest.id).answer)
    except HubError:
        return ANSWERED.failed(f"{said}.", TRY_AGAIN)
    if reason == MISMATCH:
        return ANSWERED.failed(
            f"{said}: the running server has a different webhook secret than GitHub.",
            "Restart the server with the settings that webhook.secret is about, then select Redeliver in the App's settings.",
        )
    if reason == ABSENT:
        return ANSWERED.failed(f"{said}: GitHub's signature did not reach Countersign.", FORWARD_SIGNATURE)
    return ANSWERED.failed(f"{said}, but not by Countersign.", OPEN_TO_WEBHOOKS)


def _lost(hub: Hub, sessions: Sessions, clock: Clock) -> DoctorResult:
    try:
        # An event that no part acts on is not missed.
        failed = [
            delivery.guid for delivery in hub.failed_deliveries(clock() - _CHECKED_PERIOD) if delivery.event in ROUTED
        ]
    except HubError as error:
        return _LOST.unknown(f"GitHub did not list failed webhooks: {error}.", TRY_AGAIN)
    with sessions() as session:
        lost = set(failed) - inbox.arrived(session, failed)  # It may have been sent again.
    if lost:
        return _LOST.failed(
            f"{len(lost):,} webhook{'s' if len(lost) > 1 else ''} of the last 24 hours never arrived.",
            "Run `countersign redeliver` to have GitHub send them again. A running server does so every ten minutes.",
        )
    return _LOST.passed("All webhooks of the last 24 hours arrived.")
