"""The parts of licence texts that SPDX's own templates call optional: a file may have them or not, and is the same licence.

SPDX's matching guidelines: "Optional text … can be ignored". The table holds, by id, the words of those parts that stand once in
the licence's text; they are left out of the words that are compared where a file has none of them.
"""

import json
from collections.abc import Sequence
from functools import cache
from importlib import resources

FILE = "data/license-optional.json"


def without_missing(license_id: str, licence: Sequence[str], text: Sequence[str]) -> tuple[str, ...]:
    """The words of a licence's form, without the optional parts that the text does not hold."""
    parts = _table().get(license_id, ())
    if not parts:
        return tuple(licence)
    left, held = f" {' '.join(licence)} ", f" {' '.join(text)} "
    for part in parts:
        without = left.replace(f" {part} ", " ", 1)
        if f" {part} " not in held and not _is_altered(part.split(), held, without):
            left = without
    return tuple(left.split())


def _is_altered(part: Sequence[str], held: str, without: str) -> bool:
    """True where half of an optional part is there: then it was altered, and not left out. One word changed leaves one half."""
    half = len(part) // 2
    halves = (f" {' '.join(part[:half])} ", f" {' '.join(part[-half:])} ") if half > 1 else ()
    return any(held.count(one) > without.count(one) for one in halves)


@cache
def _table() -> dict[str, list[str]]:
    """By id, the longest part first: one may stand within another."""
    found: dict[str, list[str]] = json.loads((resources.files("audit") / FILE).read_text(encoding="utf-8"))
    return found
