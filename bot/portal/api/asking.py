"""What a request asks for, read exactly: a parameter that is unknown, stands twice or is misshapen is refused."""

from collections.abc import Mapping
from datetime import datetime

from flask import request

from agreements import moments
from bot.portal.api.problems import InvalidRequest
from bot.portal.forms.typed_values import account_number

MAX_ID = 2**63 - 1
DEFAULT_LIMIT, MAX_LIMIT = 50, 200
MAX_VALUE_CHARACTERS = 200


def parameters(*known: str) -> Mapping[str, str]:
    """The parameters of the address by name. Raises InvalidRequest."""
    found: dict[str, str] = {}
    for name, values in request.args.lists():
        if name not in known:
            raise InvalidRequest(f"unknown parameter; known here: {', '.join(known) or 'none'}")
        if len(values) > 1:
            raise InvalidRequest(f"{name}: give it once")
        if not 0 < len(values[0]) <= MAX_VALUE_CHARACTERS or not values[0].isprintable():
            raise InvalidRequest(f"{name}: from 1 to {MAX_VALUE_CHARACTERS} printable characters")
        found[name] = values[0]
    return found


def account(text: str, name: str = "account") -> int:
    """An account's number. Raises InvalidRequest."""
    number = account_number(text)
    if number is None:
        raise InvalidRequest(f"{name}: a GitHub account's number")
    return number


def moment(text: str | None, name: str) -> datetime | None:
    """A moment with its zone. Raises InvalidRequest."""
    found = moments.moment(text) if text is not None else None
    if text is not None and found is None:
        raise InvalidRequest(f"{name}: a moment with its zone, such as 2026-01-31T12:00:00Z")
    return found


def limit(text: str | None) -> int:
    """How many things a page has. Raises InvalidRequest."""
    if text is None:
        return DEFAULT_LIMIT
    if not text.isascii() or not text.isdecimal() or len(text) > 3 or not 0 < int(text) <= MAX_LIMIT:
        raise InvalidRequest(f"limit: a whole number from 1 to {MAX_LIMIT}")
    return int(text)
