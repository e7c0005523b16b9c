"""A file of prose as sentences: in paragraphs, items of lists and headings, each with its first and last line."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

MAX_CHARACTERS: Final = 20_000
"""Characters of a text that is read as prose."""
_MAX_HEADING_WORDS: Final = 9  # Words of a heading.
_MIN_SIGNS: Final = 3  # Signs of a rule.
# Last words of a line that is no heading.
_GOING_ON: Final = frozenset({"of", "under", "the", "or", "and", "by", "with", "to"})
_SIGNS: Final = "-=*_~#+. \t"
_MARKED: Final = re.compile(r"\s{0,3}#{1,6}[ \t]")
_ITEM: Final = re.compile(r"[ \t]*(?:[-*•+o]|\(?(?:\d{1,2}|[a-z])[.)])[ \t]+(?P<text>\S.*)")
_COPYRIGHT: Final = re.compile(
    r"[ \t*/#-]*(?:portions |parts )?(?:copyright(?:ed)?\b(?! (?:holders?|and|law|notice))|\(c\)|©|all rights reserved)",
    re.IGNORECASE,
)
_LICENSING: Final = re.compile(
    r"(?:(?:copyright|legal)(?: and|,|/| &)? )?(?:licen[cs](?:e|es|ing)|copying)(?: (?:and|&) copyright)?(?: information| terms)?",
    re.IGNORECASE,
)
_ENDS: Final = re.compile(r"[.:!?][\"')\]*_]*\Z")
_GOES_ON: Final = re.compile(r"[a-z(]")
# A stop ends a sentence where a capital letter follows, and not behind an abbreviation.
_BREAK: Final = re.compile(
    r"(?<!\be\.g\.)(?<!\bi\.e\.)(?<!\bv\.)(?<!\bver\.)(?<!\bvs\.)(?<!\bcf\.)(?<!\bInc\.)(?<!\bLtd\.)(?<!\bCorp\.)(?<=[.!?])[\"')*_]{0,3}\s+(?=[\"'(*_`\[]{0,3}[A-Z0-9])"
)


@dataclass(frozen=True, slots=True)
class Sentence:
    """A `text` on lines `line` to `last`; `block` numbers paragraphs and items; it may be an `item` or a `heading`."""

    text: str
    line: int
    last: int
    block: int = 0
    item: bool = False
    heading: bool = False
    indent: int = 0
    """The column in which the text of the first line begins."""
    number: int = 0
    """The number of the sentence in its text."""


def sentences(text: str) -> list[Sentence]:
    """All sentences in order; copyright lines and rules are left out."""
    found: list[Sentence] = []
    for number, block in enumerate(_joined(_blocks(text))):
        parts = [block.text] if block.heading else _BREAK.split(block.text)
        for part in filter(None, map(str.strip, parts)):
            found.append(replace(block, text=part, block=number, number=len(found)))
    return found


def lines_of(text: str) -> list[str]:
    """The lines of a text, whichever way they end."""
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def section(text: str) -> str:
    """The lines below a heading that speaks of a licence, up to the next heading; empty where there is none, or several."""
    lines = lines_of(text)
    heads = [block for block in _blocks(text) if block.heading]
    found = [at for at, head in enumerate(heads) if _LICENSING.fullmatch(head.text.strip("*_: "))]
    if len(found) != 1:  # Two such headings may be of two works.
        return ""
    end = heads[found[0] + 1].line - 1 if found[0] + 1 < len(heads) else len(lines)
    return "\n".join(lines[heads[found[0]].last : end])


def _joined(blocks: Iterator[Sentence]) -> list[Sentence]:
    made: list[Sentence] = []
    for block in blocks:
        before = made[-1] if made else None
        # A paragraph that goes on in small letters after one without an end belongs to it.
        is_open = before is not None and not before.heading and not _ENDS.search(before.text)
        # One that is indented belongs to the item above it.
        is_below = before is not None and before.item and 0 < before.indent <= block.indent
        is_open = is_below or (is_open and _GOES_ON.match(block.text) is not None)
        if before is not None and is_open and not block.item and not block.heading:
            made[-1] = replace(before, text=f"{before.text} {block.text}", last=block.last)
        else:
            made.append(block)
    return made


def _blocks(text: str) -> Iterator[Sentence]:
    current: Sentence | None = None
    for number, line in enumerate([*lines_of(text), ""], 1):
        is_rule = is_line(line)
        # `(c) 2020 A` looks like an item of a list, and is none.
        marked, item = _MARKED.match(line), None if _COPYRIGHT.match(line) else _ITEM.fullmatch(line)
        if not line.strip() or is_rule or marked or item or _COPYRIGHT.match(line):
            if current is not None:
                yield replace(current, heading=_is_heading(current, is_underlined=is_rule))
            current = None
        if marked:
            yield Sentence(line.strip("# \t"), number, number, heading=True)
        elif item:
            current = Sentence(item["text"].strip(), number, number, item=True, indent=item.start("text"))
        elif line.strip() and not is_rule and not _COPYRIGHT.match(line):
            if current is None:
                current = Sentence(line.strip(), number, number, indent=len(line) - len(line.lstrip()))
            else:
                current = replace(current, text=f"{current.text} {line.strip()}", last=number)


def is_line(line: str) -> bool:
    """Whether a line only separates, or underlines what stands above it."""
    bare = line.strip()
    return len(bare) >= _MIN_SIGNS and not bare.strip(_SIGNS)


def _is_heading(block: Sentence, *, is_underlined: bool) -> bool:
    if block.item or block.line != block.last or len(block.text.split()) > _MAX_HEADING_WORDS:
        return False
    if block.text.lower().split()[-1] in _GOING_ON:
        return False
    return is_underlined or (not block.text.endswith((".", ":", ";", ",")) and block.text[:1].isupper())
