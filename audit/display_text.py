"""Text of others made harmless: no control signs, no turned directions, one line where one is wanted, and no Markdown."""

import re
from typing import Final

_LINES: Final = re.compile(r"\r\n?|[\x0b\x0c\x85\u2028\u2029]")
# Controls, zero-width signs, turned directions and Unicode's tags: they hide or reorder what a person reads.
_HIDDEN: Final = re.compile(
    r"[\x00-\x08\x0e-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\U000e0000-\U000e007f]"
)
_ALONE: Final = re.compile(r"[\ud800-\udfff]")  # JSON may hold half of a surrogate pair, and UTF-8 cannot.
_SPACE: Final = re.compile(r"\s+")
_SIGNS: Final = re.compile(r"[\\`*_\[\]|~$#<>&]")
_ENTITIES: Final = {"<": "&lt;", ">": "&gt;", "&": "&amp;", "#": "&#35;", "|": "&#124;"}
_MENTION: Final = re.compile(r"(?<![A-Za-z0-9])@")  # GitHub takes no mention behind a letter or a digit.
# GitHub makes links of bare addresses: an empty HTML comment within one prevents it.
_ADDRESS: Final = re.compile(r"(?i)(?<=[a-z])(?=://)|(?<=www)(?=\.)|(?<=[a-z0-9])(?=@[a-z0-9-]{1,60}\.[a-z])")
MAX_SHOWN_CHARACTERS: Final = 200
"""Characters of a name that are shown."""


def text(words: str) -> str:
    """The text without what cannot be seen or turns the direction of writing, its lines ended in one way only."""
    return _ALONE.sub("\ufffd", _HIDDEN.sub("", _LINES.sub("\n", words)))


def count(number: int, one: str, more: str) -> str:
    """`1 repository`, `1,000 repositories`."""
    return f"{number:,} {one if number == 1 else more}"


def line(words: str, longest: int = MAX_SHOWN_CHARACTERS) -> str:
    """The text on one line, cut to so many characters."""
    plain = words.isprintable() and "  " not in words  # nearly always, and ten times faster
    single_line = (words if plain else _SPACE.sub(" ", text(words))).strip()
    return single_line if len(single_line) <= longest else f"{single_line[: longest - 1]}…"


def markdown(words: str, longest: int = MAX_SHOWN_CHARACTERS) -> str:
    """The text on one line, good for a sentence, a heading and a cell of a table (GitHub's Markdown).

    It shows as it is: never as a table, a link, a mention, a picture, HTML or a formula.
    """
    plain = _SIGNS.sub(lambda sign: _ENTITIES.get(sign[0], "\\" + sign[0]), line(words, longest))
    return _ADDRESS.sub("<!-- -->", _MENTION.sub("&#64;", plain))
