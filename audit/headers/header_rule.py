"""The licence header that a rulebook asks for: SPDX's tag and a copyright line, or a whole text, and of which files."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from audit.licenses.expression import Expression, read
from audit.texts.spdx_tags import tags

YEARS: Final = "{years}"
HOLDER: Final = "{holder}"
"""What a header's text may leave open: any years when it is looked for, this one when it is added; and the holder's name."""
_WORD: Final = re.compile(r"\w+")


@dataclass(frozen=True, kw_only=True)
class HeaderRule:
    """What the rulebook asks for: `spdx`, an expression, or else `text`; `paths` and `exclude` are globs (none: all source code).

    `fails`: a pull request's new file without it fails the check, and is not only told.
    """

    spdx: str | None = None
    text: str | None = None
    holder: str | None = None
    paths: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    fails: bool = True

    def lines(self, years: str) -> tuple[str, ...]:
        """The header as it is written."""
        if self.text is not None:
            filled = self.text.replace(YEARS, years).replace(HOLDER, self.holder or "")
            return tuple(line.rstrip() for line in filled.strip("\n").split("\n"))
        tag = f"SPDX-License-Identifier: {read(self.spdx)}"
        return (f"SPDX-FileCopyrightText: {years} {self.holder}", tag) if self.holder else (tag,)

    @cached_property
    def license(self) -> Expression | None:
        """The licence that it states in a tag; None for a text without one."""
        if self.text is None:
            return read(self.spdx)
        return next((tag.expression for tag in tags(self.text)), None)

    @cached_property
    def wanted(self) -> tuple[str, ...]:
        """The words of its text, cut where the years stand."""
        parts = (self.text or "").replace(HOLDER, self.holder or "").split(YEARS)
        return tuple(words for part in parts if (words := words_of([part]).strip()))


def words_of(lines: Iterable[str | None]) -> str:
    """The words of the lines between spaces, in small letters; a line of code keeps apart what is around it."""
    found = (" ".join(_WORD.findall(line.lower())) if line is not None else "\n" for line in lines)
    return f" {' '.join(filter(None, found))} "
