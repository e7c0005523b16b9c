"""Apps, their installations and webhook deliveries as JSON."""

from bot.demo.github.json.account_json import account
from bot.demo.github.simulated_state import SimulatedState
from bot.demo.github.state import Json, StoredApp, StoredInstallation, timestamp
from bot.demo.github.webhooks import Attempt, SentDelivery
from bot.github import permissions


def app(world: SimulatedState, one: StoredApp) -> Json:
    """`integration`: the App as the world sees it."""
    return {
        "id": one.id, "slug": one.slug, "node_id": f"A_{one.id}", "client_id": one.client_id,
        "owner": account(world, one.owner), "name": one.bot.name, "description": None,
        "external_url": world.web_url(), "html_url": world.web_url(f"/apps/{one.slug}"),
        "created_at": timestamp(one.created_at), "updated_at": timestamp(one.created_at),
        "permissions": permissions.in_manifest(one.permissions),  # Here GitHub uses a manifest's names, not REST's.
        "events": list(one.events),
    }  # fmt: skip


def hook_config(one: StoredApp) -> Json:
    """`webhook-config`."""
    secret = {"secret": "********"} if one.webhook_secret else {}  # GitHub never shows the secret itself.
    address = {"url": one.hook_url} if one.hook_url else {}  # An App without a webhook has no address.
    return {**address, "content_type": "json", "insecure_ssl": "0", **secret}


def selection(one: StoredInstallation) -> str:
    """Whether it is installed on all repositories of its account or on chosen ones, in GitHub's words."""
    return "all" if one.repositories is None else "selected"


def installation(world: SimulatedState, one: StoredInstallation) -> Json:
    """`installation`."""
    suspended = one.suspended_at is not None
    return {
        "id": one.id, "app_id": one.app.id, "app_slug": one.app.slug,
        "target_id": one.account.id, "target_type": one.account.type, "account": account(world, one.account),
        "repository_selection": selection(one),
        "access_tokens_url": world.api_url(f"/app/installations/{one.id}/access_tokens"),
        "repositories_url": world.api_url("/installation/repositories"),
        "html_url": world.web_url(f"/organizations/{one.account.login}/settings/installations/{one.id}"),
        "permissions": dict(one.app.permissions), "events": list(one.app.events), "single_file_name": None,
        "has_multiple_single_files": False, "single_file_paths": [],
        "created_at": timestamp(one.created_at), "updated_at": timestamp(one.created_at),
        "suspended_at": timestamp(one.suspended_at), "suspended_by": account(world, one.account) if suspended else None,
    }  # fmt: skip


def delivery_item(one: SentDelivery, attempt: Attempt) -> Json:
    """`hook-delivery-item`: one attempt, under an id of its own."""
    payload, (words, status) = one.body, attempt.outcome
    return {
        "id": attempt.id, "guid": one.guid, "delivered_at": timestamp(attempt.at),
        "redelivery": attempt is not one.attempts[0], "duration": round(attempt.seconds, 2),
        "status": words, "status_code": status,
        "event": one.event, "action": one.action, "installation_id": (payload.get("installation") or {}).get("id"),
        "repository_id": (payload.get("repository") or {}).get("id"), "throttled_at": None,
    }  # fmt: skip


def delivery(one: SentDelivery, attempt: Attempt) -> Json:
    """`hook-delivery`: with what was sent and what was answered."""
    return {
        **delivery_item(one, attempt), "url": one.app.hook_url,
        "request": {"headers": dict(attempt.sent_headers), "payload": one.body},
        "response": {"headers": dict(attempt.headers), "payload": attempt.body or None},
    }  # fmt: skip
