"""Lines of a source file that have to stay first: shebangs, encodings, XML declarations, document types, front matter, `<?php`."""

import re
from collections.abc import Sequence
from typing import Final

_MARKUP: Final = frozenset({"markup", "component", "jsp"})
_MAX_PREAMBLE_LINES: Final = 500
"""Lines of front matter, or of a declaration; beyond that nobody meant one."""
_MAGIC_COMMENT_LINES: Final = 5
"""Lines in which a comment may mean something to a program."""
_MAGIC: Final = re.compile(
    r"[#;%/\"'-]{1,3}[ \t]*+(?:[^\n]{0,80}-\*-|[^\n]{0,40}coding[:=]|vim?:|frozen_string_literal:|warn_indent:|typed:"
    r"|(?:syntax|escape|check)[ \t]*=|language:)",
    re.IGNORECASE,
)


def preamble(lines: Sequence[str], kind: str | None) -> int | None:
    """How many lines have to stay above a header; None where that can't be told, so that people add one by hand.

    `kind` is the way in which comments are written, as `comment_styles.kind_of` names it.
    """
    at = 1 if lines[0].startswith("#!") and not lines[0].startswith("#![") else 0
    if kind == "php":
        return at + 1 if at < len(lines) and lines[at].strip() == "<?php" else None
    if kind in _MARKUP:
        return _declarations(lines, at)
    while kind == "css" and at < len(lines) and lines[at].startswith("@charset"):
        at += 1
    # An encoding counts on the second line, too, below any other comment: what stands above it may not get longer.
    if at < 2 <= len(lines) and _MAGIC.match(lines[1]) and (at == 1 or lines[0].strip()[:1] in ("", "#")):
        at = 2
    while at < min(len(lines), _MAGIC_COMMENT_LINES) and _MAGIC.match(lines[at]):
        at += 1
    return at


def _declarations(lines: Sequence[str], at: int) -> int | None:
    """Front matter, `<?xml … ?>`, `<!DOCTYPE …>`; each alone on its lines."""
    if at < len(lines) and lines[at].strip() == "---":
        return _behind(lines, at + 1, "---")
    for begins, ends in (("<?xml", "?>"), ("<!doctype", ">")):
        if at < len(lines) and lines[at].lstrip().lower().startswith(begins):
            after = _behind(lines, at, ends)
            if after is None:
                return None
            at = after
    return at


def _behind(lines: Sequence[str], at: int, ends: str) -> int | None:
    """The line behind the first that ends so; None where more stands on it, or there is none."""
    for number in range(at, min(len(lines), at + _MAX_PREAMBLE_LINES)):
        if ends == ">" and "[" in lines[number]:
            return None  # a document type with declarations of its own
        if ends in lines[number]:
            return number + 1 if lines[number].strip().endswith(ends) and lines[number].count(ends) == 1 else None
    return None
