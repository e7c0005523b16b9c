"""Sentences of a licence file that only say that the licences below are its licences, and whether one of them may be chosen."""

import re
from collections.abc import Collection, Sequence

from audit.texts.vocabulary import CONDITIONS, PLAIN, VERBS

_MAX_WORDS = 120
_CHOICE = ("either", "dual", "dually", "tri", "choice", "option", "choose")
_NAMED = re.compile(
    r"(?:^|(?<= below )|(?<= parts of ))((?:[^ ]+ ){1,4}?)(?:(?:project |library |package )?(?:is|are) )?(?=(?:dual )?(?:licensed|released|distributed) )"
)
_PURPOSE = re.compile(r"(?<=license) for (?:the )?((?:[^ ]+ ){1,3})(?:software|project|library|package)$")


def without_purpose(words: Sequence[str]) -> Sequence[str]:
    """A title without what it is for: "BSD License for the Foo software" is that of a BSD licence."""
    found = _PURPOSE.search(" ".join(words))
    if found is None or not CONDITIONS.isdisjoint(found[1].split()):
        return words
    return words[: found.string.count(" ", 0, found.start()) + 1]


def is_statement(words: Sequence[str], titles: Collection[str]) -> bool:
    """True when there is nothing in it but names of the licences and of what they are for, and the words of such a sentence."""
    if len(words) > _MAX_WORDS or VERBS.isdisjoint(words):
        return False
    rest = _NAMED.sub(_without_name, " ".join(words) + " ").split()
    return all(word in PLAIN or word in titles for word in rest)


def _without_name(found: re.Match[str]) -> str:
    """Nothing in place of "Foo is" before "licensed"; as it was when that is no name."""
    return "" if CONDITIONS.isdisjoint(found[1].split()) else found[0]


def offers_choice(words: Sequence[str]) -> bool:
    """True when the sentence says clearly that one of the licences may be chosen: "either", "dual licensed", "at your option"."""
    return "both" not in words and "licensed" in words and any(word in _CHOICE for word in words)
