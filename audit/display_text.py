"""Words of strangers made harmless: no control signs, no turned directions, one line where one is wanted."""

import re
from typing import Final

_LINES: Final = re.compile(r"\r\n?|[\x0b\x0c\x85\u2028\u2029]")
_HIDDEN: Final = re.compile(
    r"[\x00-\x08\x0e-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\U000e0000-\U000e007f]"
)
_ALONE: Final = re.compile(r"[\ud800-\udfff]")
_SPACE: Final = re.compile(r"\s+")
MAX_SHOWN_CHARACTERS: Final = 200
"""Characters of a name that are shown."""


def text(words: str) -> str:
    """The text without what cannot be seen or turns the direction of writing, its lines ended in one way only."""
    return _ALONE.sub("\ufffd", _HIDDEN.sub("", _LINES.sub("\n", words)))


def count(number: int, one: str, more: str) -> str:
    """`1 repository`, `1,000 repositories`."""
    return f"{number:,} {one if number == 1 else more}"


def line(words: str, longest: int = MAX_SHOWN_CHARACTERS) -> str:
    """The same on one line, cut to so many characters."""
    plain = words.isprintable() and "  " not in words  # nearly always, and ten times faster
    one = (words if plain else _SPACE.sub(" ", text(words))).strip()
    return one if len(one) <= longest else f"{one[: longest - 1]}…"
