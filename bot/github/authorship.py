"""Whether something at GitHub is ours: written by our App's account and with our marker in it."""

from typing import Any

from bot.github.client.transport import TransportPool


def login(pool: TransportPool) -> str:
    """The login of our App's account."""
    return f"{pool.identity().slug}[bot]"


def is_ours(pool: TransportPool, item: Any) -> bool:
    """Written by our bot account: what a person writes through an App keeps the person as author."""
    author, through = item.get("user") or {}, item.get("performed_via_github_app") or {}
    if author.get("type") != "Bot":
        return False
    if through:
        return bool(through.get("id") == pool.app_id)
    return bool(author.get("login") == login(pool))


def has_mark(pool: TransportPool, item: Any, marker: str) -> bool:
    """Ours, with that mark in its body."""
    return marker in (item.get("body") or "") and is_ours(pool, item)
