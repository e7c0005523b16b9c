"""Lines of a licence file that only say who wrote the work and where they are reached, and lines that are for programs."""

import re
from collections.abc import Iterator
from itertools import islice
from typing import Final

from audit.texts.copyrights.copyright_lines import MAX_NOTICES, conditional, names_only

_ADDRESS: Final = re.compile(r"[^\s<>()@,;]{1,64}@[^\s<>()@,;]{1,64}\.[a-z]{2,12}\b", re.IGNORECASE)
_MAX_CHARACTERS: Final = 200  # Characters of a line.
_MAX_LINES: Final = 20  # Lines of a paragraph.
_BREAK: Final = re.compile(r"\n[^\w\n]{0,40}(?=\n)")
# Keywords that RCS and CVS fill in; `^L` is a page break, written out.
_KEYWORD: Final = re.compile(
    r"\$(?:Id|Header|Revision|Date|RCSfile|Source|Author|File|OpenBSD|NetBSD|FreeBSD|XFree86|COPYRIGHT|HEADER)(?::[^$\n]{0,200})?\$|^\^L$",
    re.MULTILINE,
)
# Settings of Vim and Emacs.
_MODE: Final = re.compile(
    r"^[^\w\n]{0,8}(?:(?:vim?|ex|vile):[^\n]{0,120}|-\*-[^\n]{0,120}-\*-[^\w\n]{0,8})$", re.MULTILINE
)


def contacts(text: str) -> Iterator[tuple[int, int]]:
    """The offsets from and to (not included) of such lines, in order: names by addresses, settings, keywords."""
    found: set[tuple[int, int]] = set()
    if "$" in text or "^L" in text:
        found.update(match.span() for match in islice(_KEYWORD.finditer(text), MAX_NOTICES))
    if "vi" in text or "-*-" in text or "ex:" in text:
        found.update(match.span() for match in islice(_MODE.finditer(text), MAX_NOTICES) if not conditional(match[0]))
    if "@" in text:
        found.update(_addresses(text))
    end = 0
    for start, stop in sorted(found):
        if start >= end:
            yield start, stop
            end = stop


def _addresses(text: str) -> Iterator[tuple[int, int]]:
    """Paragraphs of names and addresses alone: within one of a licence's own, a line of an address belongs to its sentence."""
    end = 0
    for match in islice(_ADDRESS.finditer(text), MAX_NOTICES):
        if match.start() < end:
            continue
        start, end = _paragraph(text, match.start(), end)
        lines = text[start:end].split("\n")
        if len(lines) <= _MAX_LINES and all(len(line) <= _MAX_CHARACTERS and _is_contact(line) for line in lines):
            yield start, end


def _paragraph(text: str, at: int, since: int) -> tuple[int, int]:
    start = max(since, at - _MAX_LINES * _MAX_CHARACTERS)  # A file may be one paragraph.
    breaks = [match.end() for match in _BREAK.finditer(text, start, at)]
    found = _BREAK.search(text, at, min(len(text), at + _MAX_LINES * _MAX_CHARACTERS))
    return (breaks[-1] if breaks else start), (found.start() if found else len(text))


def _is_contact(line: str) -> bool:
    rest = _ADDRESS.sub(" ", line)
    # The second half of a name ("Jean-loup") has a small letter.
    return not re.search(r"\w", rest) or names_only(re.sub(r"(?<=\w)-[a-z]{1,30}", "", rest))
