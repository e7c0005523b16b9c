"""Grants that sources make by their headers and no text does: "or any later version", "one of the licenses"."""

import re
from collections import Counter
from collections.abc import Collection
from dataclasses import replace
from typing import Final

from audit.licenses.expression import And, Atom, Expression, all_of, any_of

_HEADER_CHARACTERS: Final = 8_000  # Characters of a source in which its header stands.
_WORDS: Final = re.compile(r"[a-z0-9.]+")
_NOTICE: Final = re.compile(r"\bgnu (lesser |library |affero )?general public licen[cs]e ((?:[a-z0-9.]+ ){0,28})")
_VERSION: Final = re.compile(r"\b(?:version |v)(\d)(\.\d)?\b((?: [a-z0-9.]+){0,12})")
_TAG: Final = re.compile(
    r"SPDX-License-Identifier:[ \t]*([AL]?GPL-\d\.\d)(-or-later|\+|-only)?(?:[ \t*/]*$|[ \t]*\*/)", re.MULTILINE
)
_OPTION: Final = re.compile(
    r"\b(?:at your option|select|choose) one of the (?:above listed|following|two) licen[cs]es\b"
)
_OTHER_VERSION: Final = re.compile(r" or (?:at your option )?(?:version |v)(\d)(\.\d)?\b")
CHOICE: Final = ("choice", True)
"""The key under which is counted how many sources let choose."""
_KINDS: Final = {"lesser ": "LGPL", "library ": "LGPL", "affero ": "AGPL", None: "GPL"}

Grants = Counter[tuple[str, bool]]
"""Numbers of sources by licence and version (`LGPL-2.1`, `GPL-2.0/GPL-3.0`) and "or later", and by `CHOICE`."""


def grants(source: str) -> set[tuple[str, bool]]:
    """The GNU licences that a header names with a version, each with "or later" or without, and if it lets choose."""
    head = source[:_HEADER_CHARACTERS]
    words = " ".join(_WORDS.findall(head.lower())) + " "
    found = {(match[1], match[2] in {"-or-later", "+"}) for match in _TAG.finditer(head)}
    if _OPTION.search(words):
        found.add(CHOICE)
    for notice in _NOTICE.finditer(words):
        version = _VERSION.search(notice[2])
        if version:
            name, other = _version(notice[1], version), _OTHER_VERSION.search(f"{version[3]} ")
            later = " later " in f"{version[3]} "
            # "Version 2 or version 3" is one of the two, and no later one.
            found.add((name if later or not other else f"{name}/{_version(notice[1], other)}", later))
    return found


def _version(kind: str | None, found: re.Match[str]) -> str:
    return f"{_KINDS[kind]}-{found[1]}{found[2] or '.0'}"


def _is_choice(parts: Collection[Expression], found: Grants) -> bool:
    names = [part.license.removesuffix("-only") for part in parts if isinstance(part, Atom)]
    several = {key: count for key, count in found.items() if "/" in key[0] and set(key[0].split("/")) == set(names)}
    # Headers of a few files do not speak for the work.
    return 0 < (sum(several.values()) or found.get(CHOICE, 0)) >= found.total() / 2


def granted(said: Expression, found: Grants) -> Expression:
    """The licence by the texts, with "or later" where all headers that name one say so, `OR` where most let choose."""
    if isinstance(said, And):
        parts = tuple(granted(part, found) for part in said.parts)
        return any_of(parts) if _is_choice(said.parts, found) else all_of(parts)
    if not isinstance(said, Atom):
        return said
    version = said.license.removesuffix("-only")
    # One header without "or later" is enough: the work holds a part that no later version covers.
    is_later = version != said.license and found[version, True] and not found[version, False]
    return replace(said, license=f"{version}-or-later") if is_later else said
