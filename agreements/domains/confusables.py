"""Domains as a person sees them: in letters, in A-labels, the registered part, and which names look alike."""

import re
import unicodedata
from dataclasses import dataclass

_TOGETHER = (
    frozenset({"LATIN", "CJK", "HIRAGANA", "KATAKANA"}),
    frozenset({"LATIN", "CJK", "BOPOMOFO"}),
    frozenset({"LATIN", "CJK", "HANGUL"}),
)
"""Scripts that are written together in one word (Unicode UTS 39, "highly restrictive")."""

_SCRIPTS = {"KATAKANA-HIRAGANA": "KATAKANA", "IDEOGRAPHIC": "CJK", "VERTICAL": "CJK", "MODIFIER": ""}
"""The script of letters whose name begins otherwise: the long vowel of ソニー, the repetition of 佐々木, the ʻ of Hawaiʻi."""

_CAPITALS = str.maketrans(
    "АВЕЅІЈКМНОРСТУХҮԌԚԜΑΒΕΖΗΙΚΜΝΟΡΤΥΧՏՍՕ",
    "ABESIJKMHOPCTYXYGQWABEZHIKMNOPTYXSUO",
)
"""Capitals that look like Latin ones, though their small letters do not: told apart before the case is dropped."""

_SMALL = str.maketrans(
    "асԁеһіјӏорԛѕԝхуүѵαγικνορυχօսոհցքi1|0",
    "acdehljlopqswxyyvaylknopuxounhgplllo",
)
"""Small letters, digits and signs that look like Latin ones; i, l, 1 and | are all one."""


@dataclass(frozen=True, slots=True)
class DomainInspection:
    """A canonical `domain`, the same in `letters`, and its `mixed` labels, whose letters are of several scripts.

    Under `suffix` the public may register names (the public suffix list); `registered` is the registered part.
    """

    domain: str
    letters: str
    mixed: tuple[str, ...]
    suffix: str
    registered: str


def inspect_domain(domain: str) -> DomainInspection:
    """The look of a canonical domain; one under no known suffix is its own registered part."""
    from agreements.domains.providers import suffix  # noqa: PLC0415 - long lists, read only when a company names a domain

    letters = ".".join(_letters(label) for label in domain.split("."))
    public = suffix(domain) or ""
    below = domain.removesuffix(f".{public}")
    registered = f"{below.rpartition('.')[2]}.{public}" if public and below != domain else domain
    return DomainInspection(
        domain, letters, tuple(label for label in letters.split(".") if _mixes(label)), public, registered
    )


def mixed_words(name: str) -> tuple[str, ...]:
    """The words of a name that mix scripts as no language does in one word; Chinese with Latin is normal."""
    words = re.findall(r"\w+", unicodedata.normalize("NFKC", name))
    return tuple(dict.fromkeys(word for word in words if _mixes(word)))


def skeleton(name: str) -> str:
    """The look of a name: two names with the same one can be taken for each other. Empty for a name without letters.

    Letters of other scripts stand as the Latin ones that they look like (Unicode UTS 39, `confusables.txt`: those of
    the Cyrillic, Greek and Armenian scripts, and digits); case, marks between letters and invisible ones do not count.
    """
    letters = unicodedata.normalize("NFKC", name).translate(_CAPITALS).casefold().translate(_SMALL)
    return "".join(letter for letter in letters if letter.isalnum())


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
    names = {unicodedata.name(letter, "UNKNOWN").partition(" ")[0] for letter in label if letter.isalpha()}
    scripts = {_SCRIPTS.get(name, name) for name in names} - {""}
    return len(scripts) > 1 and not any(scripts <= together for together in _TOGETHER)
