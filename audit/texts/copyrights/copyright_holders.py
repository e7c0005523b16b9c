"""The holders of a work by the copyright lines of its files, without blank forms and holders of a licence's text."""

import re
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Final

from audit import display_text
from audit.licenses.expression import Expression, atoms
from audit.licenses.spdx import texts
from audit.texts.copyrights import copyright_lines

_BLANK: Final = re.compile(r"[<\[{]\s{0,3}[a-zA-Z]{2}")
_BEGINS: Final = re.compile(
    r"[^\w\n]{0,24}(?:copyright\b|copr\.|©|\(c\)|(?:some )?(?:portions|parts)\b)", re.IGNORECASE
)
_SIGNS: Final = "*#/;-| \t"
_NO_HOLDER: Final = frozenset({"allrightsreserved", "somerightsreserved"})  # Lines that name no holder.
_FILLED: Final = re.compile(r"@|://| at ")


def copyrights(files: Iterable[str], under: Expression | None = None) -> tuple[str, ...]:
    """The different lines of these texts, in order, but for those that stand in the text of a licence it is `under`."""
    of_texts = frozenset[str]().union(*(_of_license(atom.license) for atom in atoms(under)))
    # The Free Software Foundation holds the text of the GPL, and not the work.
    said = (line for line in _lines(files) if _squeezed(line) not in of_texts)
    # `<year> <name of author>` is a form; `<ada@example.org>` and `<https://fsf.org/>` are not.
    return tuple(line for line in said if not _BLANK.search(line) or _FILLED.search(line))


def _lines(files: Iterable[str]) -> dict[str, None]:
    said = (notice for text in files for notice in _notices(display_text.text(text)))
    return dict.fromkeys(
        display_text.line(notice, copyright_lines.MAX_NOTICE_CHARACTERS).strip(_SIGNS) for notice in said
    )


def _notices(text: str) -> Iterator[str]:
    """Each notice with the lines right below it that belong to it: further names, "All rights reserved"."""
    said, until = "", 0
    for start, end in copyright_lines.notices(text):
        between = text[until:start]
        line = text[start:end].strip(_SIGNS + "\n")
        if said and between.count("\n") <= 1 and not between.strip(_SIGNS + "\n") and not _BEGINS.match(line):
            said += f" {line}"
        else:
            yield from (said,) if said else ()
            said = "" if _squeezed(line) in _NO_HOLDER else line
        until = end
    yield from (said,) if said else ()


@cache
def _of_license(name: str) -> frozenset[str]:
    return frozenset(map(_squeezed, _lines([texts().get(name, "")])))


def _squeezed(line: str) -> str:
    # The letters alone: texts write the same sign as `(C)`, `©` or not at all.
    return "".join(sign for sign in line.casefold().replace("(c)", "") if sign.isalnum())
