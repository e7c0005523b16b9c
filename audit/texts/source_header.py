"""The licence in the head of a source file: the comment that stands first, as far as it speaks of rights."""

import re
from collections.abc import Iterator
from typing import Final

_HEADER_CHARACTERS: Final = 16_000  # Characters of a file in which its head stands.
_LEGAL: Final = re.compile(
    r"copyright|licen[cs]e|permission|redistribut|public domain|under the (?:gnu )?[al]?gpl", re.IGNORECASE
)
_TERMS: Final = re.compile(
    r"licen[cs]e|permission|redistribut|public domain|under the (?:gnu )?[al]?gpl", re.IGNORECASE
)
_RULE: Final = re.compile(r"[^\w\n]{5,}")  # A line of signs alone.
_DIVIDES: Final = "-----"
_BLOCKS: Final = {
    "/*": "*/", '"""': '"""', "'''": "'''", "<!--": "-->", "<%--": "--%>", "(*": "*)", "{-": "-}", "{#": "#}", "--[[": "]]", "<#": "#>",
    "=begin": "=end", "#|": "|#",
}  # fmt: skip
# Lines that stand above a header in many languages.
_ABOVE: Final = re.compile(
    r"<\?(?:php|xml)|<!doctype|<(?:html|head|script|style|template|project|configuration|svg)\b|@charset|---$|package [\w.]+;?$|[\"']use strict"
    r"|use strict;|@echo off|\\documentclass|%YAML|#if|#ifndef|#define|#pragma|#include|#!|#endif|syntax = ",
    re.IGNORECASE,
)
_LINE: Final = ("//", "#", "--", ";", "%", "dnl ", "..", "!", '"', "'", "@rem", "@REM", "rem ", "REM ", "::")
_SIGNS: Final = re.compile(r"(?:@?rem\b|dnl\b|::|[/#;%!\"'. -])++", re.IGNORECASE)
_BEGINS: Final = re.compile(r"(?:spdx-|copyright\b|\(c\)|©)", re.IGNORECASE)


def legal_text(source: str) -> str:
    """The part of the first comments that names holders and terms, without comment signs; empty if there is none.

    Of parts that lines of signs divide the first one counts that has terms; what stands before its copyright is left out.
    """
    first = ""
    for part in _parts(source[:_HEADER_CHARACTERS]):
        if _TERMS.search(part):
            return _from_copyright(part)
        first = first or (part if _LEGAL.search(part) else "")
    return _from_copyright(first)


def _parts(head: str) -> Iterator[str]:
    lines: list[str] = []
    for line in _comment(head.replace("\r\n", "\n")):
        if _RULE.fullmatch(line.strip() or "x"):
            yield "\n".join(lines)
            lines = []
        else:
            lines.append(line)
    yield "\n".join(lines)


def _comment(head: str) -> Iterator[str]:
    """The lines of the comments before the first line of code, and between directives at the top (include guards)."""
    closing = ""
    for raw in head.split("\n"):
        line = raw.strip()
        opening = next((sign for sign in _BLOCKS if line.startswith(sign)), "")
        if closing:
            before, found, _ = line.partition(closing)
            yield _bare(before)
            if found:
                yield _DIVIDES  # What the next comment says is a part of its own.
                closing = ""
        elif opening:
            before, found, _ = line[len(opening) :].partition(_BLOCKS[opening])
            yield _bare(before)
            closing = "" if found else _BLOCKS[opening]
        elif _ABOVE.match(line):
            yield _DIVIDES
        elif not line:
            yield ""
        elif line.startswith(_LINE):
            yield _SIGNS.sub("", line, count=1)
        else:
            return  # The first line of code.


def _bare(line: str) -> str:
    text = line.strip()
    return text if _RULE.fullmatch(text) else text.lstrip("*| \t")  # A rule divides.


def _from_copyright(part: str) -> str:
    lines = part.split("\n")
    # The name of the file or of the work may stand above the copyright.
    first = next((at for at, line in enumerate(lines) if _BEGINS.match(line.strip())), 0)
    return "\n".join(lines[first:]).strip()
