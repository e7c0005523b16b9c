"""The changes between two versions of a text, as a reader sees them: paragraph by paragraph, and in each word by word.

Pure. Line breaks inside a paragraph are no change; a heading and a list item are paragraphs of their own. A Chinese
character counts as a word.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import groupby
from typing import Literal

_HAN = "\u2e80-\u2fdf\u3000-\u303f\u3400-\u9fff\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff"
_WORD = re.compile(rf"[{_HAN}]|[^\W{_HAN}]+|\s+|.", re.DOTALL)
_OWN_LINE = re.compile(r"(?:#{1,6} |[-*+] |\d+[.)] |> ?)")
_BREAK = re.compile(rf"(?<=[{_HAN}]) (?=[{_HAN}])")
_MIN_SIMILARITY = 0.5  # A paragraph of which half is there still was changed; of which less is, was replaced.

DifferenceKind = Literal["same", "added", "removed", "changed"]


@dataclass(frozen=True, slots=True)
class DiffSegment:
    """Words in a row: a `text` of the `kind` `same`, `added` or `removed`."""

    kind: DifferenceKind
    text: str


@dataclass(frozen=True, slots=True)
class Paragraph:
    """One paragraph of a `kind`: `same`, `added`, `removed`, or `changed` with `pieces` of all kinds."""

    kind: DifferenceKind
    pieces: tuple[DiffSegment, ...]


@dataclass(frozen=True, slots=True)
class Hunk:
    """A row of `paragraphs` that are all the `same`, or of which none is."""

    same: bool
    paragraphs: tuple[Paragraph, ...]


def compare(old: str, new: str) -> tuple[Hunk, ...]:
    """The new text with what was removed in its place; one hunk of the same paragraphs when nothing changed."""
    hunks = groupby(_paragraphs(_split(old), _split(new)), key=lambda paragraph: paragraph.kind == "same")
    return tuple(Hunk(same, tuple(paragraphs)) for same, paragraphs in hunks)


def _split(text: str) -> list[str]:
    lines: list[str] = []
    begins = True
    for line in (line.strip() for line in text.splitlines()):
        if line and (begins or _OWN_LINE.match(line)):
            lines.append(line)
        elif line:
            lines[-1] += " " + line
        begins = not line or line.startswith("#")  # A heading ends with its line.
    return [_BREAK.sub("", line) for line in lines]  # Chinese puts no space where a line ends.


def _paragraphs(old: Sequence[str], new: Sequence[str]) -> Iterator[Paragraph]:
    # `autojunk` would take what repeats in a long text for noise.
    for tag, first, last, begin, end in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag == "equal":
            yield from (Paragraph("same", (DiffSegment("same", text),)) for text in new[begin:end])
        else:
            yield from _replaced(old[first:last], new[begin:end])


def _replaced(old: Sequence[str], new: Sequence[str]) -> Iterator[Paragraph]:
    """Each new paragraph beside the first old one that is like it; what is left was removed or added."""
    at = 0
    for text in new:
        words = _WORD.findall(text)
        like = next((place for place in range(at, len(old)) if _alike(_WORD.findall(old[place]), words)), None)
        if like is None:
            yield Paragraph("added", (DiffSegment("added", text),))
            continue
        yield from _removed(old[at:like])
        yield Paragraph("changed", tuple(_pieces(_WORD.findall(old[like]), words)))
        at = like + 1
    yield from _removed(old[at:])


def _removed(old: Sequence[str]) -> Iterator[Paragraph]:
    return (Paragraph("removed", (DiffSegment("removed", text),)) for text in old)


def _alike(old: Sequence[str], new: Sequence[str]) -> bool:
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    # The quick ratio is an upper bound, and costs much less.
    return matcher.quick_ratio() >= _MIN_SIMILARITY and matcher.ratio() >= _MIN_SIMILARITY


def _pieces(old: Sequence[str], new: Sequence[str]) -> Iterator[DiffSegment]:
    gone, come = "", ""
    opcodes = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    for index, (tag, first, last, begin, end) in enumerate(opcodes):
        text = "".join(new[begin:end])
        # A blank alone between two changes belongs to both, so that words in a row stay together.
        if tag == "equal" and not (text.isspace() and 0 < index < len(opcodes) - 1):
            yield from _change(gone, come)
            yield DiffSegment("same", text)
            gone, come = "", ""
        else:
            gone, come = gone + "".join(old[first:last]), come + text
    yield from _change(gone, come)


def _change(gone: str, come: str) -> Iterator[DiffSegment]:
    if gone:
        yield DiffSegment("removed", gone)
    if come:
        yield DiffSegment("added", come)
