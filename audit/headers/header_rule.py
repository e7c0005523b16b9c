"""The licence header that a rulebook asks for: SPDX's tag and a copyright line, or a whole text, and of which files.

Its globs are as `.gitignore` and CODEOWNERS have them: `**` is any folders, `*` stays within a name, a folder means all below it.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cached_property, lru_cache
from typing import Final

from audit.licenses.expression import Expression, read
from audit.texts.spdx_tags import tags

YEARS: Final = "{years}"  # Any years when it is looked for, this one when it is added.
HOLDER: Final = "{holder}"  # The holder's name.
_WORD: Final = re.compile(r"\w+")


@dataclass(frozen=True, kw_only=True)
class HeaderRule:
    """A rulebook's header: `spdx`, an expression, for a `holder`; or `text`. `paths`, `exclude`: globs (none: all).

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
        tag = f"SPDX-License-Identifier: {read(self.spdx)}"  # In SPDX's spelling.
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
    # A line of code becomes a line feed, which no word matches.
    found = (" ".join(_WORD.findall(line.lower())) if line is not None else "\n" for line in lines)
    return f" {' '.join(filter(None, found))} "


def fits(globs: Iterable[str], path: str) -> bool:
    """Whether one of them names the file, or a folder that it is in. Paths are below the root, with slashes.

    A glob without a slash means that name in any folder. Linear in the path for each part of a glob.

    >>> fits(["docs/**"], "docs/a/b.md"), fits(["*.md"], "docs/a.md"), fits(["/*.md"], "docs/a.md")
    (True, True, False)
    """
    names = path.split("/")
    return any(_fits(_parts(glob), names) for glob in globs)


@lru_cache(maxsize=4096)  # The same globs meet each path.
def _parts(glob: str) -> tuple[str, ...]:
    plain = glob.removeprefix("./")
    # As in `.gitignore`, a slash within a glob ties it to the root.
    anchored = "/" in plain.rstrip("/")
    found = [part for part in plain.split("/") if part]
    return tuple(found) if anchored else ("**", *found)


def _fits(parts: tuple[str, ...], names: list[str]) -> bool:
    """Walks all ways through the glob at once: which parts may come next."""
    last = len(parts)
    # One way after the other would take exponential time where there are many `**`.
    at = _open({0}, parts)
    for name in names:
        following = set()
        for index in at:
            if parts[index] != "**":
                following |= {index + 1} if fnmatchcase(name, parts[index]) else set()
            else:
                following |= {index, index + 1} if index == last - 1 else {index}
        at = _open(following, parts)
        if last in at:
            return True
    return False


def _open(at: set[int], parts: tuple[str, ...]) -> set[int]:
    """The places, with those behind a `**` that stands for no folder; the last `**` stands for something."""
    found = set(at)
    for index in sorted(at):
        following = index
        while following < len(parts) - 1 and parts[following] == "**":
            following += 1
            found.add(following)
    return found
