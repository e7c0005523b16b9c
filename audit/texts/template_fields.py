"""The fields that SPDX's own templates leave open in a licence: where in its words they stand, and what may fill each.

SPDX's matching guidelines: "the text … indicated as replaceable may be different". A field for a name takes a name
(`is_name`), one with a choice of words takes one of these, and nothing else.
"""

import re
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache

from audit.licenses import spdx
from audit.texts.normalization import normalize
from audit.texts.replaceable_fields import is_name

PLACEHOLDER = "fieldtofill"
"""The word that stands among a licence's words where it has a place to fill in; with a number, one for a choice of words."""
NAMED = "~name"
"""The word that stands for a name in the choices of a field."""
_MAX_FILLED_WORDS = 40  # Words of a text that fill one field.
# `<year>`, `[name of author]`, `${organization}`; an address in such brackets is no place to fill in.
_PLACES = re.compile(
    r"(?:<|\[|\$?\{)[^<>\[\]{}\n:@/]{0,60}?\b(?:names?|year|yyyy|owner|holders?|organi[sz]ation|author|date|company|program|project|licensor|group|institution)\b"
    r"[^<>\[\]{}\n:@/]{0,60}(?:>|\]|\})",
    re.IGNORECASE,
)


def marked_form(text: str) -> str:
    """A licence's text in its form for comparing, with the places that it marks itself (`<year>`, `[name]`) as one word each."""
    return normalize(_PLACES.sub(f" {PLACEHOLDER.capitalize()} ", text)).form


@lru_cache(maxsize=256)
def fields_form(license_id: str) -> str:
    """The form of SPDX's text of this licence with all places that are left open as one word each."""
    words = marked_form(spdx.texts()[license_id]).split()
    for start, end, number in reversed(_fields().get(license_id, ())):  # From the last: places before it stay.
        words[start:end] = [f"{PLACEHOLDER}{number}" if number else PLACEHOLDER]
    return f" {' '.join(words)} "


def is_place(word: str) -> bool:
    """True for the word that stands where a licence leaves something open."""
    return word.startswith(PLACEHOLDER)


def is_filled(licence: Sequence[str], text: Sequence[str]) -> bool:
    """True when the licence's words are one field and the text's may stand there."""
    if not licence or not all(map(is_place, licence)) or len(text) > _MAX_FILLED_WORDS:
        return False
    said = " ".join(text)
    if set(licence) == {PLACEHOLDER}:
        return bool(text) and is_name(said)
    # The words of two fields in a row, one with a choice, cannot be told apart.
    if len(licence) > 1:
        return False
    found = _choice(int(licence[0].removeprefix(PLACEHOLDER))).fullmatch(f"{said} " if said else "")
    return found is not None and all(is_name(group) for group in found.groups() if group)


@cache
def _choice(number: int) -> re.Pattern[str]:
    """The words that may fill this field, as a pattern with a blank behind each; a figure stands for any."""
    branches = []
    for part in _choices()[number - 1].split("|"):
        words = (
            r"((?:[^ ]+ ){1,25}?)" if word == NAMED else r"\d{1,4} " if word == "0" else f"{re.escape(word)} "
            for word in part.split()
        )
        branches.append("".join(words))
    return re.compile("|".join(branches))


@cache
def _choices() -> Sequence[str]:
    found: Sequence[str] = spdx.data_file("license-fields.json")["choices"]
    return found


@cache
def _fields() -> Mapping[str, Sequence[tuple[int, int, int]]]:
    """The beginning and end of each field in a licence's marked form, and its number of choices (0: a name)."""
    found: Mapping[str, Sequence[tuple[int, int, int]]] = spdx.data_file("license-fields.json")["fields"]
    return found
