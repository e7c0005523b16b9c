"""Apps, their installations and webhook deliveries as JSON."""

from bot.demo.github.json.account_json import account
from bot.demo.github.simulated_state import SimulatedState
from bot.demo.github.state import Json, StoredApp, StoredInstallation, timestamp
from bot.demo.github.webhooks import Attempt, SentDelivery
from bot.github import permissions


def app(world: SimulatedState, stored_app: StoredApp) -> Json:
    """`integration`: the App as the world sees it."""
    return {
        "id": stored_app.id, "slug": stored_app.slug, "node_id": f"A_{stored_app.id}",
        "client_id": stored_app.client_id, "owner": account(world, stored_app.owner), "name": stored_app.bot.name,
        "description": None,
        "external_url": world.web_url(), "html_url": world.web_url(f"/apps/{stored_app.slug}"),
        "created_at": timestamp(stored_app.created_at), "updated_at": timestamp(stored_app.created_at),
        # Here GitHub uses a manifest's names, not REST's.
        "permissions": permissions.in_manifest(stored_app.permissions),
        "events": list(stored_app.events),
    }  # fmt: skip


def hook_config(stored_app: StoredApp) -> Json:
    """`webhook-config`."""
    secret = {"secret": "********"} if stored_app.webhook_secret else {}  # GitHub never shows the secret itself.
    address = {"url": stored_app.hook_url} if stored_app.hook_url else {}  # An App without a webhook has no address.
    return {**address, "content_type": "json", "insecure_ssl": "0", **secret}


def selection(stored_installation: StoredInstallation) -> str:
    """Whether it is installed on all repositories of its account or on chosen ones, in GitHub's words."""
    return "all" if stored_installation.repositories is None else "selected"


def installation(world: SimulatedState, stored_installation: StoredInstallation) -> Json:
    """`installation`."""
    suspended = stored_installation.suspended_at is not None
    return {
        "id": stored_installation.id, "app_id": stored_installation.app.id, "app_slug": stored_installation.app.slug,
        "target_id": stored_installation.account.id, "target_type": stored_installation.account.type,
        "account": account(world, stored_installation.account),
        "repository_selection": selection(stored_installation),
        "access_tokens_url": world.api_url(f"/app/installations/{stored_installation.id}/access_tokens"),
        "repositories_url": world.api_url("/installation/repositories"),
        "html_url": world.web_url(
            f"/organizations/{stored_installation.account.login}/settings/installations/{stored_installation.id}"
        ),
        "permissions": dict(stored_installation.app.permissions), "events": list(stored_installation.app.events),
        "single_file_name": None, "has_multiple_single_files": False, "single_file_paths": [],
        "created_at": timestamp(stored_installation.created_at),
        "updated_at": timestamp(stored_installation.created_at),
        "suspended_at": timestamp(stored_installation.suspended_at),
        "suspended_by": account(world, stored_installation.account) if suspended else None,
    }  # fmt: skip


def delivery_item(sent_delivery: SentDelivery, attempt: Attempt) -> Json:
    """`hook-delivery-item`: one attempt, under an id of its own."""
    payload, (words, status) = sent_delivery.body, attempt.outcome
    return {
        "id": attempt.id, "guid": sent_delivery.guid, "delivered_at": timestamp(attempt.at),
        "redelivery": attempt is not sent_delivery.attempts[0], "duration": round(attempt.seconds, 2),
        "status": words, "status_code": status,
        "event": sent_delivery.event, "action": sent_delivery.action,
        "installation_id": (payload.get("installation") or {}).get("id"),
        "repository_id": (payload.get("repository") or {}).get("id"), "throttled_at": None,
    }  # fmt: skip


def delivery(sent_delivery: SentDelivery, attempt: Attempt) -> Json:
    """`hook-delivery`: with what was sent and what was answered."""
    return {
        **delivery_item(sent_delivery, attempt), "url": sent_delivery.app.hook_url,
        "request": {"headers": dict(attempt.sent_headers), "payload": sent_delivery.body},
        "response": {"headers": dict(attempt.headers), "payload": attempt.body or None},
    }  # fmt: skip
