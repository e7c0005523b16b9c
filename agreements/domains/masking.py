"""Text for the public: addresses masked, invisible characters written as escapes."""

import re
from functools import lru_cache

from agreements.domains.canonical_form import canonical_domain
from agreements.domains.invisible import shows_nothing

_MAX_SHOWN_CHARACTERS = 253  # Of a domain, valid or not.
_MAX_TEXT_CHARACTERS = 1000  # Of a name, a path, a line.
_BETWEEN = frozenset("<>()[]{},;:\"'`|")  # Characters around addresses in free text.
_IN_DOMAIN = "abcdefghijklmnopqrstuvwxyz0123456789-."
_SHOWN_CHARACTER = r"(?:[^\\\s]|\\[nrt]|\\x[0-9a-f]{2}|\\u[0-9a-f]{4}|\\U[0-9a-f]{8})"
_MASKED = re.compile(f"{_SHOWN_CHARACTER}…{_SHOWN_CHARACTER}?")
"""A local part as `masked` writes it: what is masked twice must not lose the escape of its last character."""


def masked(address: str) -> str:
    """The address as it may be shown in public: `a…e@huawei.com`, `a…@huawei.com` for one or two characters.

    Anything comes in, also what is no address at all; what shows nothing is written as an escape.

    >>> masked("ada.lovelace@example.org"), masked("al@example.org")
    ('a…e@example.org', 'a…@example.org')
    """
    local, at, domain = _plain_at(address).rpartition("@")
    if not at:
        local, domain = domain, ""
    if _MASKED.fullmatch(local):
        return f"{local}{at}{_cut(visible(domain[: _MAX_SHOWN_CHARACTERS + 1]))}"
    first, last = visible(local[:1]), visible(local[-1:]) if len(local) > 2 else ""
    return f"{first}…{last}{at}{_cut(visible(domain[: _MAX_SHOWN_CHARACTERS + 1]))}" if address else ""


def _cut(text: str) -> str:
    return text if len(text) <= _MAX_SHOWN_CHARACTERS else f"{text[:_MAX_SHOWN_CHARACTERS]}…"


@lru_cache(maxsize=4096)
def masked_text(text: str) -> str:
    """Free text with every address in it masked, and everything invisible in it escaped; cut when it is very long."""
    text = _plain_at(text)
    if len(text) > _MAX_TEXT_CHARACTERS:  # Whole words only: half an address would be its local part.
        return masked_text(f"{text[: _MAX_TEXT_CHARACTERS - 2].rpartition(' ')[0]} …")
    if "@" not in text:
        return visible(text)
    pieces: list[str] = []
    start = 0
    for place, char in enumerate(text + " "):
        if char in _BETWEEN or char.isspace():
            run = text[start:place]
            pieces += [masked(run) if "@" in run else visible(run), visible(char)]
            start = place + 1
    return "".join(pieces[:-1])


def names_mailbox(text: str) -> bool:
    """Whether text that no mask may change, such as a branch in a command, holds what looks like an address."""
    places = [part[: len(part) - len(part.lstrip(_IN_DOMAIN))] for part in _plain_at(text).lower().split("@")[1:]]
    # `release@2.0` does not: no domain of two labels follows.
    return any(canonical_domain(place.strip(".-")) is not None for place in places)


def _plain_at(text: str) -> str:
    """The wide and the small commercial at read as the plain one."""
    return text if text.isascii() else text.replace("\uff20", "@").replace("\ufe6b", "@")


def visible(text: str) -> str:
    """Text in which every invisible character is written as an escape (U+200B); the plain space stays a space."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(char.encode("unicode_escape").decode() if shows_nothing(char) else char for char in text)
