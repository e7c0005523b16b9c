"""What a domain looks like to whoever decides about it: in letters, in A-labels, and which part of it was registered."""

import unicodedata
from dataclasses import dataclass

from agreements.providers import suffix

_TOGETHER = (
    frozenset({"LATIN", "CJK", "HIRAGANA", "KATAKANA"}),
    frozenset({"LATIN", "CJK", "BOPOMOFO"}),
    frozenset({"LATIN", "CJK", "HANGUL"}),
)
"""Scripts that are written together in one word (Unicode UTS 39, "highly restrictive")."""


@dataclass(frozen=True, slots=True)
class Look:
    """A canonical `domain`, the same in `letters`, and the labels of it whose letters are of several scripts.

    Under `suffix` anybody may register a name (the public suffix list); `registered` is the part that somebody did.
    """

    domain: str
    letters: str
    mixed: tuple[str, ...]
    suffix: str
    registered: str


def look(domain: str) -> Look:
    """The look of a canonical domain; one under no known suffix is its own registered part."""
    letters = ".".join(_letters(label) for label in domain.split("."))
    public = suffix(domain) or ""
    below = domain.removesuffix(f".{public}")
    registered = f"{below.rpartition('.')[2]}.{public}" if public and below != domain else domain
    return Look(domain, letters, tuple(label for label in letters.split(".") if _mixes(label)), public, registered)


def _letters(label: str) -> str:
    """An A-label as people read it."""
    if not label.startswith("xn--"):
        return label
    import idna  # noqa: PLC0415 - its tables are big and few labels need them

    try:
        return idna.ulabel(label)
    except (UnicodeError, ValueError, IndexError):
        return label


def _mixes(label: str) -> bool:
    """Whether the label's letters are of scripts that no language writes in one word."""
    scripts = {unicodedata.name(letter, "UNKNOWN").partition(" ")[0] for letter in label if letter.isalpha()}
    return len(scripts) > 1 and not any(scripts <= together for together in _TOGETHER)
