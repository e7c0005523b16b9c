"""SPDX tags: `SPDX-License-Identifier:` lines in the comments of a file, by which its authors say its licence themselves.

A tag stands at the beginning of a line, behind a comment's signs at most. In quotation marks, in a block that is shown as code,
indented in a text, behind other words, or between `REUSE-IgnoreStart` and `REUSE-IgnoreEnd` it is an example, and no tag.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from string import ascii_lowercase, ascii_uppercase

from audit import display_text
from audit.licenses import aliases, spdx
from audit.licenses.expression import Expression, atoms, read, unread
from audit.texts.vocabulary import CONDITIONS, RESTRICTING, words

TAG_SEARCH_CHARACTERS = 64 * 1024
"""Characters from the beginning of a file in which tags count."""
_MAX_TAGS = 100
_MAX_SHOWN_CHARACTERS = 80
_NAME = "SPDX-License-Identifier:"
# Bounded: strangers write these lines.
_LINE = re.compile(
    r"^(?:<[^\n`]{1,400}>[ \t]*(?=<!--))?(?P<indent>[ \t]*)(?P<sign>(?:dnl|@?rem|c|=for comment|\.\.|[^\w\s>`]{1,8}(?![\w`]))?)[ \t]*(?P<more>[^\w\n>`]{0,8}?)"
    r"(?:(?:copyright|\(c\)|©)[^\n\"'`]{1,300}?[\s.;,*])?"
    r"SPDX-License-Identifier:[ \t]*(?P<value>[^\n]+)$",
    re.IGNORECASE,
)
_MAX_VALUE_CHARACTERS = 2_000
# The end of a comment that no expression holds: code may stand behind it, in a minified file all of it.
_END = re.compile(r"\*+/|--+!?>|\*\)|-\}|#\}|#>|\|#|=#|\]\]|%>|\?>|\"\"\"|'''")
_EDGES = " \t*|=#-!;,:/~}."  # Signs of a comment, or the edge of a box, at the end of the line.
_REMARK = re.compile(r"(?:[,;.](?=\s|$)|(?<!\s)[ \t]++(?=\(|\[?see\b|[-–—:]|//|#|copyright|©)).*", re.IGNORECASE)
_WORD = re.compile(r"\w+")
_NAME_OF_LICENSE = re.compile(r"[A-Za-z][\w.+-]*\w\+?")
_LIMITING = (
    CONDITIONS | RESTRICTING | words("but commons dual gnu other others part parts plus portions public some with")
) - words("are be been has have is source that these this those which you your")
"""Words of a remark that may take back, or add to, what stands before it."""
_POINTING = words("copies copy copying distributed distribution licence licences license licenses terms with")
_POINTERS = words("see http https")
"""Behind one of these, those words only tell where the text is."""
_TEMPLATE = re.compile(r"\{[{%\w]|\$[A-Za-z_({]|%(?:[drs]\b|\(|\w+%)|@\w+@|<%|\\\S|\.\*")
"""What a program fills in, and a pattern by which it searches."""
_BLANK = re.compile(r"<[^<>]*>|\[[^\[\]]*\]|X{3,}|_{3,}")  # What a person fills in.
_SPEAKS_OF_TAGS = re.compile(r"(?:tag|header|line|comment|marker|identifier)s?\b")
_IGNORED = re.compile(r"REUSE-IgnoreStart.*?(?:REUSE-IgnoreEnd|\Z)", re.DOTALL)  # REUSE's way to show a tag.
_FENCE = re.compile(r"^[^\w\n`~]{0,8}(?:```|~~~)", re.MULTILINE)
# Lower case that leaves each character in its place, as that of other alphabets does not.
_LOWER = str.maketrans(ascii_uppercase, ascii_lowercase)
_OPENED = (("/*", "*/"), ("<!--", "-->"), ("{-", "-}"), ("(*", "*)"), ("<#", "#>"), ("{#", "#}"), ("--[[", "]]"))


@dataclass(frozen=True, slots=True)
class Tag:
    """One tag: its `expression`, its `line` (from 1), and if it is of a `snippet` alone (audit/texts/file_tags.py).

    What stands there and cannot be read is an expression, too: one that is `unread`.
    """

    expression: Expression
    line: int
    snippet: bool = False


def tags(text: str, *, only_known: bool = True) -> tuple[Tag, ...]:
    """The tags of a file, in order; with `only_known` those whose licences are on SPDX's list, or a `LicenseRef-`.

    Without it also those of unknown licences, and those that cannot be read (audit/licenses/expression.py, `unread`).
    """
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
        value = _value(found)
        expression = read(value)
        if expression is None:
            if _is_filled_in(value, found):
                continue
            shown = display_text.line(value, _MAX_SHOWN_CHARACTERS)
            expression = read(_without_remark(value)) or unread(shown)
        if not only_known or is_known(expression):
            yield Tag(expression, head.count("\n", 0, start) + 1)


def _value(found: re.Match[str]) -> str:
    """The words behind the name up to the comment's end, or to the end of the line."""
    value, end = found["value"], _END.search(found["value"])
    # A second tag on the line is not read: so the first does not stand for both.
    if end is not None and _NAME.lower() not in value.lower():
        value = value[: end.start()]
    if len(value) > _MAX_VALUE_CHARACTERS:
        return f"{value[:_MAX_VALUE_CHARACTERS]} …"  # Half of an expression is none.
    value = " ".join(value.split()).removesuffix("+/").rstrip(_EDGES)
    # A bracket that was opened before the tag is no part of the expression.
    if "(" in found["sign"] + found["more"] and value.count(")") > value.count("("):
        value = value.removesuffix(")")
    return value


def _without_remark(value: str) -> str | None:
    """The words before a remark that leaves them as they are; None where it may not: it names a licence, or a condition."""
    expression = _REMARK.sub("", value)
    remark = value[len(expression) :]
    said = set(_WORD.findall(remark.casefold()))
    limiting = _LIMITING - (_POINTING if _POINTERS & said else frozenset())
    named = {aliases.license_of(name) for name in _NAME_OF_LICENSE.findall(remark)} - {None}
    own = [atom.license for atom in atoms(read(expression))]
    # The address or the file of the same licence.
    is_own = all(any(each.startswith(name) for each in own) for name in named if name)
    return expression if is_own and limiting.isdisjoint(said) else None


def _is_filled_in(value: str, found: re.Match[str]) -> bool:
    """Whether what cannot be read was no licence: a string of code, a template, a blank, or a sentence on tags."""
    is_string = any(sign in found["sign"] + found["more"] for sign in "\"'") and any(sign in value for sign in "\"'")
    is_blank = _BLANK.fullmatch(value) and aliases.license_of(value.strip("<>")) is None
    return is_string or any((not _WORD.search(value), _TEMPLATE.search(value), is_blank, _SPEAKS_OF_TAGS.match(value)))


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
