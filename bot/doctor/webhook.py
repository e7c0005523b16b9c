"""The webhook: sent to this server, signed with a secret that this server knows, and taken."""

from datetime import timedelta
from typing import Final

from sqlalchemy.exc import SQLAlchemyError

from bot import db
from bot.clock import Clock
from bot.db import Sessions
from bot.doctor.report import Check, Item
from bot.github.app_registration import WebhookConfig
from bot.github.hub import Hub
from bot.github.ports import DeliveryAttempt, HubError, Missing
from bot.settings import Settings
from bot.store import inbox
from bot.webhook.events import ROUTED

ADDRESS: Final = Check("webhook.address", "critical")
SECRET: Final = Check("webhook.secret", "critical")
ANSWERED: Final = Check("webhook.answered", "critical")
_LOST: Final = Check("webhook.lost", "medium")
_LATELY: Final = timedelta(days=1)
_UNASKED: Final = "Correct what is said about GitHub first."
_SEND: Final = (
    "Send something: push to a branch, or press Redeliver in the App's settings (Advanced, Recent deliveries)."
)


def judge(settings: Settings, hub: Hub | None, sessions: Sessions | None, clock: Clock) -> list[Item]:
    """`hub` and `sessions` are None where GitHub or the database cannot be asked."""
    if hub is None:
        return [check.unknown("GitHub was not asked", _UNASKED) for check in (ADDRESS, SECRET, ANSWERED, _LOST)]
    return [*delivered(settings, hub), _lost(hub, sessions, clock)]


def delivered(settings: Settings, hub: Hub) -> list[Item]:
    """Address, secret and the newest answer, as GitHub has them."""
    try:
        config = hub.webhook()
    except HubError as error:
        return [check.unknown(str(error), "Run this again.") for check in (ADDRESS, SECRET, ANSWERED)]
    try:
        log = hub.newest_deliveries()
    except Missing:  # an older GitHub Enterprise Server
        log = ()
    except HubError as error:
        unread = [check.unknown(str(error), "Run this again.") for check in (SECRET, ANSWERED)]
        return [_address(settings, config), *unread]
    newest = log[0] if log else None
    return [_address(settings, config), _secret(settings, config, newest), _answered(settings, newest)]


def _address(settings: Settings, config: WebhookConfig) -> Item:
    wanted = f"{settings.url}/webhook"
    on_page = "in the App's settings at GitHub, General, Webhook."
    if not settings.url:
        return ADDRESS.unknown("COUNTERSIGN_URL is not set", "Set COUNTERSIGN_URL.")
    if config.url != wanted:
        return ADDRESS.failed(
            f"GitHub sends webhooks to {config.url or 'nowhere'}", f"Set the webhook URL to {wanted} {on_page}"
        )
    if config.content_type != "json":
        return ADDRESS.failed(f"the content type is {config.content_type}", f"Choose application/json {on_page}")
    if not config.verifies_tls and wanted.startswith("https:"):
        return ADDRESS.failed("GitHub does not verify this server's certificate", f"Enable SSL verification {on_page}")
    return ADDRESS.passed(f"GitHub sends webhooks to {wanted}")


def _secret(settings: Settings, config: WebhookConfig, newest: DeliveryAttempt | None) -> Item:
    """GitHub never shows the secret: that a webhook was taken proves that it is ours."""
    remedy = "Set the same secret in the App's settings (General, Webhook) and in COUNTERSIGN_WEBHOOK_SECRET."
    if not config.has_secret:
        return SECRET.failed("GitHub signs no webhooks: the App has no webhook secret", remedy)
    if not settings.webhook_secrets:
        return SECRET.failed("COUNTERSIGN_WEBHOOK_SECRET is not set", remedy)
    if newest is None:
        return SECRET.unknown("GitHub has sent nothing lately that would show whether the secret fits", _SEND)
    if newest.status == 401:
        return SECRET.failed("the newest webhook was refused (401): its signature does not fit our secret", remedy)
    if not _is_taken(newest):
        return SECRET.unknown("the newest webhook was not taken, so it does not show whether the secret fits", _SEND)
    return SECRET.passed("the newest webhook was signed with our secret")


def _answered(settings: Settings, newest: DeliveryAttempt | None) -> Item:
    if newest is None:
        return ANSWERED.unknown("GitHub has sent nothing lately", _SEND)
    said = f"the newest webhook ({newest.event}, {newest.at:%Y-%m-%d %H:%M} UTC) was answered {newest.status}"
    if _is_taken(newest):
        return ANSWERED.passed(said)
    return ANSWERED.failed(
        said, f"Make {settings.url}/webhook reach this server from GitHub: proxy, firewall, certificate; then press Redeliver in the App's settings."
    )  # fmt: skip


def _is_taken(one: DeliveryAttempt) -> bool:
    return 200 <= one.status < 300


def _lost(hub: Hub, sessions: Sessions | None, clock: Clock) -> Item:
    if sessions is None:
        return _LOST.unknown(
            "the database was not asked what arrived", "Correct what is said about the database first."
        )
    try:
        failed = [one.guid for one in hub.failed_deliveries(clock() - _LATELY) if one.event in ROUTED]
        with sessions() as session:
            lost = set(failed) - inbox.arrived(session, failed)
    except HubError as error:
        return _LOST.unknown(str(error), "Run this again.")
    except SQLAlchemyError as error:
        return _LOST.unknown(db.explain(error), "Correct what is said about the database first.")
    if lost:
        remedy = "Run `countersign redeliver`; a running server does so every ten minutes."
        return _LOST.failed(f"{len(lost)} webhook{'s' if len(lost) > 1 else ''} of the last day did not arrive", remedy)
    return _LOST.passed("every webhook of the last day arrived")
