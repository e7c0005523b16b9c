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
        if f" {part} " not in held:
            left = left.replace(f" {part} ", " ", 1)
    return tuple(left.split())


@cache
def _table() -> dict[str, list[str]]:
    """By id, the longest part first: one may stand within another."""
    found: dict[str, list[str]] = json.loads((resources.files("audit") / FILE).read_text(encoding="utf-8"))
    return found
