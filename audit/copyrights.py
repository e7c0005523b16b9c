"""Whose a work is, by the copyright lines of its own files: neither blanks that nobody filled in, nor who wrote the licence's text."""

import re
from collections.abc import Iterable
from functools import cache
from typing import Final

from audit import notices, plain
from audit.expression import Expression, atoms
from audit.spdx import texts

_BLANK: Final = re.compile(r"[<\[{]\s{0,3}[a-zA-Z]{2}")
_FILLED: Final = re.compile(r"@|://| at ")


def copyrights(given: Iterable[str], under: Expression | None = None) -> tuple[str, ...]:
    """The different lines of these texts, in order, but for those that stand in the text of a licence it is `under`."""
    of_texts = frozenset[str]().union(*(_of_license(one.license) for one in (atoms(under) if under else ())))
    return tuple(line for line in _lines(given) if _squeezed(line) not in of_texts and not _is_blank(line))


def _lines(given: Iterable[str]) -> dict[str, None]:
    found: dict[str, None] = {}
    for one in map(plain.text, given):
        for start, end in notices.notices(one):
            found[plain.line(one[start:end], notices.LONGEST).strip("*#/;-| ")] = None
    return found


def _is_blank(line: str) -> bool:
    """`<year> <name of author>` is a form; `<ada@example.org>` and `<https://fsf.org/>` are not."""
    return bool(_BLANK.search(line)) and not _FILLED.search(line)


@cache
def _of_license(name: str) -> frozenset[str]:
    return frozenset(map(_squeezed, _lines([texts().get(name, "")])))


def _squeezed(line: str) -> str:
    """The letters alone: texts write the same sign as `(C)`, `©` or not at all."""
    return "".join(sign for sign in line.casefold().replace("(c)", "") if sign.isalnum())
