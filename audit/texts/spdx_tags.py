"""SPDX tags: `SPDX-License-Identifier:` lines in the comments of a file, by which its authors say its licence themselves.

A tag stands at the beginning of a line, behind a comment's signs at most. In quotation marks, in a block that is shown as code,
indented in a text, behind other words, or between `REUSE-IgnoreStart` and `REUSE-IgnoreEnd` it is an example, and no tag.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from string import ascii_lowercase, ascii_uppercase

from audit.licenses import spdx
from audit.licenses.expression import Expression, atoms, read

TAG_SEARCH_CHARACTERS = 64 * 1024
"""Characters from the beginning of a file in which tags count."""
_MAX_TAGS = 100
_NAME = "SPDX-License-Identifier:"
# Bounded: strangers write these lines.
_LINE = re.compile(
    r"^(?:<[^\n`]{1,400}>[ \t]*(?=<!--))?(?P<indent>[ \t]*)(?P<sign>(?:dnl|@?rem|c|=for comment|\.\.|[^\w\s>`]{1,8}(?![\w`]))?)[ \t]*(?P<more>[^\w\n>`]{0,8}?)"
    r"(?:(?:copyright|\(c\)|©)[^\n\"'`]{1,300}?[\s.;,*])?"
    r"SPDX-License-Identifier:[ \t]*(?P<value>[^\n]{1,2000})$",
    re.IGNORECASE,
)
_CLOSING = re.compile(
    r"[ \t]*(?:\*+/(?:[ \t]*-?\}\})?|--\}\}|\}|\+/|#{3}|--+!?>[^\n]*|\"\"\"|'''|#\}|\*\)|-\}|%>|\?>|--%>|\]\]|=#|#>|\|#)?[ \t]*\**[ \t]*$"
)
# Words behind an expression that are none of it.
_REMARK = re.compile(r"(?:[,;]|[ \t]+(?:\(?see\b|--?[ \t]|//|#)).*", re.IGNORECASE)
_IGNORED = re.compile(r"REUSE-IgnoreStart.*?(?:REUSE-IgnoreEnd|\Z)", re.DOTALL)  # REUSE's way to show a tag.
_FENCE = re.compile(r"^[^\w\n`~]{0,8}(?:```|~~~)", re.MULTILINE)
# Lower case that leaves each character in its place, as that of other alphabets does not.
_LOWER = str.maketrans(ascii_uppercase, ascii_lowercase)
_OPENED = (("/*", "*/"), ("<!--", "-->"), ("{-", "-}"), ("(*", "*)"), ("<#", "#>"), ("{#", "#}"), ("--[[", "]]"))


@dataclass(frozen=True, slots=True)
class Tag:
    """One tag: its `expression`, its `line` (from 1), and if it is of a `snippet` alone (audit/texts/file_tags.py)."""

    expression: Expression
    line: int
    snippet: bool = False


def tags(text: str, *, only_known: bool = True) -> tuple[Tag, ...]:
    """The tags of a file, in order; with `only_known` those whose licences are on SPDX's list, or a `LicenseRef-`."""
    head = text[:TAG_SEARCH_CHARACTERS]
    if _NAME.lower() not in head.lower():  # Most files have none.
        return ()
    plain = head.replace("\r\n", "\n").replace("\r", "\n")
    if "REUSE-IgnoreStart" in plain:
        plain = _IGNORED.sub(lambda match: "\n" * match[0].count("\n"), plain)  # Line numbers stay.
    return tuple(_tags(plain, only_known=only_known))


def _tags(head: str, *, only_known: bool) -> Iterator[Tag]:
    for start, found in islice(_lines(head), _MAX_TAGS):
        if _is_example(head[:start], found):
            continue
        value = _CLOSING.sub("", found["value"]).strip()
        # A bracket that was opened before the tag is no part of the expression.
        if "(" in found["sign"] + found["more"] and value.count(")") > value.count("("):
            value = value.removesuffix(")")
        expression = read(value) or read(_REMARK.sub("", value))  # A remark may stand behind.
        if expression is not None and (not only_known or is_known(expression)):
            yield Tag(expression, head.count("\n", 0, start) + 1)


def _lines(head: str) -> Iterator[tuple[int, re.Match[str]]]:
    low, name, at = head.lower() if head.isascii() else head.translate(_LOWER), _NAME.lower(), 0
    while (at := low.find(name, at)) >= 0:
        start, end = head.rfind("\n", 0, at) + 1, head.find("\n", at)
        end = len(head) if end < 0 else end
        found = _LINE.match(head[start:end])
        if found:
            yield start, found
        at = end


def is_known(said: Expression) -> bool:
    """Whether each licence in it is on SPDX's list, or private by its name."""
    known = spdx.lists().licenses
    return all(
        atom.license in known or atom.license.startswith(("LicenseRef-", "DocumentRef-")) for atom in atoms(said)
    )


def _is_example(before: str, found: re.Match[str]) -> bool:
    sign = found["sign"] + found["more"]
    if len(_FENCE.findall(before)) % 2:  # In a block that is shown as code.
        return True
    if sign.strip() in {'"', "'", "('", '("', "['", '["', "“"} and found["value"].rstrip(" ,;)]").endswith(
        ('"', "'", "”")
    ):
        return True
    is_indented = not sign.strip() and len(found["indent"].expandtabs(4)) >= 2
    in_comment = any(before.rfind(start) > before.rfind(end) for start, end in _OPENED)
    # In reStructuredText all lines before it are indented, up to two dots, or what begins a block of code.
    above = _last_unindented(before) if found["indent"] or is_indented else ""
    begins_code = above.startswith((".. code", ".. sourcecode", ".. parsed-literal"))
    if found["indent"] and (begins_code or (" " in above and above.endswith("::"))):
        return True
    in_docstring = any(before.count(mark) % 2 for mark in ('"""', "'''"))
    return is_indented and not in_comment and not in_docstring and above != ".."


def _last_unindented(before: str) -> str:
    end = len(before)
    while end > 0:
        start = before.rfind("\n", 0, end - 1) + 1
        line, end = before[start:end], start
        if line.strip() and line[0] not in " \t":
            return line.strip()
    return ""
