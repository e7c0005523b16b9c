"""Reading a webhook's JSON without trusting its shape: ask by path, get the right type or one clear line."""

from collections.abc import Mapping
from typing import Any

from agreements.facts import Account

Payload = Mapping[str, Any]


class BadPayload(Exception):  # noqa: N818 - reads as what happened
    """An event that we handle lacks something we need; the message is one line without personal data."""


def dig(payload: object, *path: str) -> Any:
    """What stands at the path, None when any part of it is missing, null or no object."""
    for key in path:
        if not isinstance(payload, Mapping):
            return None
        payload = payload.get(key)
    return payload


def number(payload: object, *path: str) -> int:
    """The positive whole number at the path (GitHub's ids and numbers). Raises `BadPayload`."""
    found = dig(payload, *path)
    if not isinstance(found, int) or isinstance(found, bool) or found <= 0:
        raise BadPayload(f"{'.'.join(path)}: a positive number is needed")
    return found


def text(payload: object, *path: str) -> str:
    """The non-empty text at the path. Raises `BadPayload`."""
    found = dig(payload, *path)
    if not isinstance(found, str) or not found:
        raise BadPayload(f"{'.'.join(path)}: text is needed")
    return found


def account(payload: object, *path: str) -> Account:
    """The account at the path: the id must be there, login and type are labels. Raises `BadPayload`."""
    found = dig(payload, *path)
    login, kind = dig(found, "login"), dig(found, "type")
    return Account(
        number(payload, *path, "id"),
        login if isinstance(login, str) else "",
        kind if isinstance(kind, str) and kind else "User",
    )
