"""Apps, their installations and webhook deliveries as JSON."""

from bot.demo.github.json.account_json import account
from bot.demo.github.register import Register
from bot.demo.github.state import App, Installation, Json, timestamp
from bot.demo.github.webhooks import Delivery

_SHORT = {"email_addresses": "emails"}
"""In `integration` GitHub calls this permission otherwise than in `app-permissions`."""


def app(world: Register, one: App) -> Json:
    """`integration`: the App as the world sees it."""
    return {
        "id": one.id, "slug": one.slug, "node_id": f"A_{one.id}", "client_id": one.client_id,
        "owner": account(world, one.owner), "name": one.bot.name, "description": None,
        "external_url": world.web_url(), "html_url": world.web_url(f"/apps/{one.slug}"),
        "created_at": timestamp(one.created_at), "updated_at": timestamp(one.created_at),
        "permissions": {_SHORT.get(name, name): level for name, level in one.permissions.items()},
        "events": list(one.events),
    }  # fmt: skip


def installation(world: Register, one: Installation) -> Json:
    """`installation`."""
    suspended = one.suspended_at is not None
    return {
        "id": one.id, "app_id": one.app.id, "app_slug": one.app.slug,
        "target_id": one.account.id, "target_type": one.account.type, "account": account(world, one.account),
        "repository_selection": "all" if one.repositories is None else "selected",
        "access_tokens_url": world.api_url(f"/app/installations/{one.id}/access_tokens"),
        "repositories_url": world.api_url("/installation/repositories"),
        "html_url": world.web_url(f"/organizations/{one.account.login}/settings/installations/{one.id}"),
        "permissions": dict(one.app.permissions), "events": list(one.app.events), "single_file_name": None,
        "has_multiple_single_files": False, "single_file_paths": [],
        "created_at": timestamp(one.created_at), "updated_at": timestamp(one.created_at),
        "suspended_at": timestamp(one.suspended_at), "suspended_by": account(world, one.account) if suspended else None,
    }  # fmt: skip


_ATTEMPTS = 100
"""Ids that each delivery has for its attempts."""


def arrived(one: Delivery, attempt: int) -> bool:
    """Whether that attempt was answered well."""
    status = one.statuses[attempt]
    return status is not None and 200 <= status < 300


def first_attempt(number: int) -> int:
    """The delivery that an attempt's id belongs to."""
    return number // _ATTEMPTS


def delivery(one: Delivery, attempt: int) -> Json:
    """`hook-delivery-item`: one attempt, under an id of its own."""
    status = one.statuses[attempt]
    told = one.body
    return {
        "id": one.id * _ATTEMPTS + attempt, "guid": one.guid, "delivered_at": timestamp(one.at), "redelivery": attempt > 0,
        "duration": 0.01, "status": "OK" if arrived(one, attempt) else "Invalid HTTP Response",
        "status_code": 502 if status is None else status, "event": one.event, "action": one.action,
        "installation_id": (told.get("installation") or {}).get("id"),
        "repository_id": (told.get("repository") or {}).get("id"), "throttled_at": None,
    }  # fmt: skip
