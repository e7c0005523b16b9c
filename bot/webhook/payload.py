"""Reading a webhook's JSON without trusting its shape: ask by path, get the right type or one clear line."""

from collections.abc import Mapping
from typing import Any

from agreements.facts import Account

Payload = Mapping[str, Any]

MAX_ID = 2**63 - 1
"""What a database's big integer holds."""
MAX_NUMBER = 2**31 - 1
"""What GitHub's GraphQL takes as a pull request's number (`Int`)."""


class BadPayload(Exception):
    """An event that we handle lacks something we need; the message is one line without personal data."""


def dig(payload: object, *path: str) -> Any:
    """What stands at the path, None when any part of it is missing, null or no object."""
    for key in path:
        if not isinstance(payload, Mapping):
            return None
        payload = payload.get(key)
    return payload


def number(payload: object, *path: str, most: int = MAX_ID) -> int:
    """The positive whole number at the path (GitHub's ids and numbers), at most `most`. Raises `BadPayload`."""
    found = dig(payload, *path)
    if not isinstance(found, int) or isinstance(found, bool) or found <= 0:
        raise BadPayload(f"{'.'.join(path)}: a positive number is needed")
    if found > most:
        raise BadPayload(f"{'.'.join(path)}: the number is too large")
    return found


def text(payload: object, *path: str) -> str:
    """The non-empty text at the path, fit to be stored. Raises `BadPayload`."""
    found = label(payload, *path)
    if not found:
        raise BadPayload(f"{'.'.join(path)}: text is needed")
    return found


def label(payload: object, *path: str) -> str:
    """The text at the path; "" for none, and for what no database stores (NUL, half of a surrogate pair)."""
    found = dig(payload, *path)
    if not isinstance(found, str) or "\0" in found or any("\ud800" <= letter <= "\udfff" for letter in found):
        return ""
    return found


def account(payload: object, *path: str) -> Account:
    """The account at the path: the id must be there, login and type are labels. Raises `BadPayload`."""
    return Account(
        number(payload, *path, "id"), label(payload, *path, "login"), label(payload, *path, "type") or "User"
    )
