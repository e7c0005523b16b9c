"""Licence headers at the top of source files: which file lacks the one that the rulebook asks for, and the file with it.

A header is SPDX's tag, with a copyright line where a holder is named, or a whole text. Nothing that a file says already is ever
taken out of it.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from audit.facts import Finding, Place
from audit.headers.comment_styles import (
    HEADER_SEARCH_CHARACTERS,
    CommentStyle,
    comment_lines,
    kind_of,
    preamble,
    style_of,
)
from audit.headers.header_rule import YEARS, HeaderRule, fits, words_of
from audit.licenses.expression import read
from audit.scan.package_folders import INSTALLED
from audit.scan.vendored_works import VENDOR_FOLDERS
from audit.texts.identification import detect
from audit.texts.spdx_tags import Tag, tags

MAX_SOURCE_BYTES: Final = 2_000_000  # Of a file; larger ones are made by programs.
_YEARS: Final = r"(?: (?:\d{2,4}|present))*+"
_COPYRIGHT: Final = re.compile(r"(?:spdx-filecopyrighttext:|copyright\b|©|\(c\) ?\d)", re.IGNORECASE)
_GRANT: Final = re.compile(
    r"licen[cs]ed (?:under|to)|under the terms of|licen[cs]e:|all rights reserved|permission is hereby granted"
    r"|redistribution and use|free software|(?:public|apache|mit|bsd|boost|mozilla) licen[cs]e|public domain"
    r"|governed by (?:a|an|the) |confidential",
    re.IGNORECASE,
)
_MADE: Final = re.compile(r"@generated\b|(?:do not|don't) (?:edit|modify)", re.IGNORECASE)


class HeaderStatus(StrEnum):
    """The state of a file's header."""

    PRESENT = "present"
    MISSING = "missing"
    OTHER = "other"
    """It bears another header, of another licence or another holder: a person has to look at it."""


@dataclass(frozen=True, slots=True)
class FileHeader:
    """A file's header by its `kind`, with a `message` and its `line`; `lacks` are lines to add, the years left open."""

    kind: HeaderStatus
    message: str = ""
    line: int | None = None
    lacks: tuple[str, ...] = ()


def is_asked(path: str, header: HeaderRule) -> bool:
    """Whether a file is one that should bear it: source code, or what `paths` names, that is not another author's."""
    style = style_of(path)
    if style is None or (header.paths and not fits(header.paths, path)) or fits(header.exclude, path):
        return False
    folders = path.split("/")[:-1]
    # Files of other authors keep their own headers.
    return (style.code or bool(header.paths)) and not any(
        folder in VENDOR_FOLDERS or folder in INSTALLED for folder in folders
    )


def left_out(text: str, path: str) -> str:
    """The reason for which a file is not asked after all: `empty`, `binary`, `generated`; "" when it is asked."""
    if not text.strip():
        return "empty"
    if "\0" in text[:HEADER_SEARCH_CHARACTERS]:  # Git, too, takes a file with a NUL for binary.
        return "binary"
    for _, said in _top(text, path):
        if _MADE.search(said) and "generated" in said.lower():  # People write "do not edit" themselves, too.
            return "generated"
    return ""


def check_header(path: str, text: str, header: HeaderRule) -> FileHeader:
    """The header that a file has. Each of its lines ends in a line feed; only its beginning is looked at."""
    said = list(comment_lines(text, style_of(path) or CommentStyle()))
    # One that cannot be read may be another's: no program may write a licence above it.
    found = tags(text, only_known=False)
    lacks = _lacks(said, found, header)
    if not lacks:
        return FileHeader(HeaderStatus.PRESENT)
    other = next((tag for tag in found if tag.expression != header.license), None)
    if other is not None:
        return FileHeader(HeaderStatus.OTHER, f"its header says {other.expression}", other.line)
    # A tag of the same licence is not the text: a person decides which of the two stays.
    if header.text is not None and found:
        return FileHeader(HeaderStatus.OTHER, "its header is not the text that the rulebook requires", found[0].line)
    return _stated(list(_top(text, path)), header) or FileHeader(HeaderStatus.MISSING, _what_lacks(lacks), None, lacks)


def _lacks(said: Sequence[tuple[int, str | None]], found: Sequence[Tag], header: HeaderRule) -> tuple[str, ...]:
    if header.text is not None:
        # All parts stand there one behind the other, with nothing but years between.
        parts = f"{_YEARS} ".join(map(re.escape, header.wanted))
        is_there = bool(header.wanted) and re.search(f" {parts} ", words_of(words for _, words in said))
        return () if is_there else header.lines(YEARS)
    *copyright_line, tag_line = header.lines(YEARS)
    has_copyright = any(words and _COPYRIGHT.match(words) for _, words in said)
    has_tag = any(tag.expression == header.license for tag in found)
    return (*(() if has_copyright else copyright_line), *(() if has_tag else (tag_line,)))


def _stated(top: Sequence[tuple[int, str]], header: HeaderRule) -> FileHeader | None:
    """Another's copyright, or a licence in words: then no program may write a licence above it."""
    for line, words in top:
        names_holder = header.holder is not None and words_of([header.holder]) in words_of([words])
        # Adding a licence to another's work would speak in that person's name.
        if _COPYRIGHT.match(words) and (header.text is not None or header.holder) and not names_holder:
            return FileHeader(HeaderStatus.OTHER, "its header names another holder", line)
    line = next((line for line, words in top if _GRANT.search(words)), 0)
    if not line:
        return None
    spdx = read(detect("\n".join(words for _, words in top)).spdx)
    if header.text is None and spdx is not None and spdx == header.license:  # Its tag may stand beside these words.
        return None
    what = "" if spdx is None else f" {spdx}"
    return FileHeader(
        HeaderStatus.OTHER, f"its header states a licence{what} in other words than the rulebook requires", line
    )


def _top(text: str, path: str) -> Iterator[tuple[int, str]]:
    """The comments above the first line of code; lines that have to stand before any comment are no code."""
    first = preamble(text[:HEADER_SEARCH_CHARACTERS].split("\n"), kind_of(path)) or 0
    for number, said in comment_lines(text, style_of(path) or CommentStyle()):
        if said is None and number > first:
            return
        if said:
            yield number, said


def _what_lacks(lacks: Sequence[str]) -> str:
    short = [
        line.removesuffix(line.partition(YEARS)[2]).removesuffix(f": {YEARS}")
        for line in lacks
        if line.startswith("SPDX-")
    ]
    return f"lacks {' and '.join(short)}" if len(short) == len(lacks) else "lacks the licence header"


def findings(states: Iterable[tuple[str, FileHeader]], most: int) -> tuple[Finding, ...]:
    """A finding for each file without it, and one more for those beyond so many."""
    found = [
        Finding(f"header/{state.kind}", Place(path, state.line), state.message)
        for path, state in states
        if state.kind is not HeaderStatus.PRESENT
    ]
    if len(found) <= most:
        return tuple(found)
    more = Finding("header/missing", Place("."), f"{len(found) - most:,} more files without the licence header")
    return (*found[:most], more)
