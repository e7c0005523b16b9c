"""A licence file that goes on, below the work's own licence, with the licences of what the work bundles.

Such a list begins with a heading or a sentence that says so. All that stands below it is a component's, also where its terms are
not known.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from audit.texts.prose.sentences import is_line, lines_of

_MAX_LISTS: Final = 5  # Places where a list may begin that are looked at.
MAX_COMPONENTS: Final = 500  # Components of one list.
_MAX_SENTENCE_LINES: Final = 4  # Lines of one sentence.
_MAX_NAME_CHARACTERS: Final = 80  # Characters of a component's name.
_MAX_LINE_CHARACTERS: Final = 400  # Characters of a line that are looked at.
_MAX_CHARACTERS: Final = 2_000_000  # Characters of a file in which lists are looked for.
_SIGNS: Final = "-=*_~#/|>:. \t"
_WORKS: Final = r"(?:sub-?components?|components?|libraries|library|software|code|packages?|projects?|works?|dependenc(?:y|ies)|materials?|modules?|files?|sources?)"
_THIRD: Final = (
    r"(?:third[- ]party|3rd[- ]party|bundled|vendored|included|external(?:ly maintained)?|incorporated|embedded)"
)
_HEADING: Final = re.compile(
    rf"(?:the )?(?:[\w.+-]{{1,40}} ){{0,5}}sub-?components"
    rf"|(?:licen[cs]es? (?:for|of) (?:the )?)?(?:{_THIRD} )+(?:{_WORKS}|licen[cs]es?|notices?)(?: (?:licen[cs]es?|notices?|and|attributions?|licensing|information))*"
    rf"|licen[cs]es? (?:for|of) (?:the )?(?:{_THIRD} )+{_WORKS}",
    re.IGNORECASE,
)
_FOR: Final = re.compile(
    r"for (?:the )?(?P<name>[^:]{1,120}?) (?:sub-?components?|components?|library|libraries|module|package|files?|code|software|implementation|plugin)",
    re.IGNORECASE,
)
_WORK: Final = r"(?:this|the|our)(?: [\w.+-]{1,40}){1,6}|[A-Z][\w.+-]{1,40}(?: [\w.+-]{1,40}){0,4}"
_BUNDLES: Final = re.compile(
    rf"(?:{_WORK})(?: (?:also|and [\w ]{{1,40}}))? (?:bundles?|includes?|contains?|incorporates?|embeds?|ships(?: with)?|redistributes) "
    r"(?P<name>[^:]{1,160}?)(?:(?:,? which|,? that|,? whose|,? under|,? with|,? are|,? is|,? provided|,? licensed|,? available|,? covered|,? subject) |[.:](?:\s|$)|$)"
    r"(?P<rest>.{0,400})",
)
_NONE: Final = re.compile(
    r"\b(?:no|not|nothing|none|neither|never|nobody|some|several|many|certain|parts?|portions?|if|when)\b",
    re.IGNORECASE,
)
_TERMS: Final = re.compile(r"licen[cs]e|licen[cs]ed|copyright notices|terms", re.IGNORECASE)
_SEVERAL: Final = re.compile(
    r"(?:a number of|several|various|some|many|the following|other)(?: [\w-]{1,30}){0,4}|(?:sub-?components|libraries|third[- ]party [\w ]{1,30})",
    re.IGNORECASE,
)
_FOLLOWING: Final = re.compile(
    rf"the following {_WORKS} (?:is|are|have been|has been) (?:also )?(?:provided|licensed|distributed|available|covered|used|included|bundled|governed|under)\b.{{0,200}}",
    re.IGNORECASE,
)
_NAMED: Final = re.compile(
    r"(?:name|component|package|library|project|software)\s*:\s*(?P<name>\S.{0,78})", re.IGNORECASE
)
_MARKED: Final = re.compile(r"\s{0,3}#{1,6}[ \t]+(?P<name>[^#]{1,80})[# \t]{0,10}")


@dataclass(frozen=True, slots=True)
class Component:
    """A component of a work by its licence file: its `name`, the `text` below that, and the first `line` of this."""

    name: str
    text: str
    line: int


@dataclass(frozen=True, slots=True)
class ComponentList:
    """The text `above` such a list, and its `components`."""

    above: str
    components: tuple[Component, ...]


def lists(text: str) -> Iterator[ComponentList]:
    """The places where such a list may begin, first to last: the licence of the work has to stand above each."""
    if len(text) > _MAX_CHARACTERS:
        return
    lines = lines_of(text)
    found = 0
    for at, line in enumerate(lines):
        if at and line.strip() and _begins(lines, at):
            above = "\n".join(lines[:at])
            if above.strip():
                yield ComponentList(above, tuple(_components(lines, at)))
                found += 1
        if found == _MAX_LISTS:
            return


def _bare(line: str) -> str:
    return " ".join(line[:_MAX_LINE_CHARACTERS].strip(_SIGNS).split())


def _joined(lines: Sequence[str], at: int) -> str:
    some: list[str] = []
    for line in lines[at : at + _MAX_SENTENCE_LINES]:
        if not line.strip():
            break
        some.append(line[:_MAX_LINE_CHARACTERS].lstrip(_SIGNS))
    return " ".join(" ".join(some).split())


def _begins(lines: Sequence[str], at: int) -> bool:
    bare = _bare(lines[at])
    # Only where a paragraph begins: within one, the words belong to a sentence.
    is_first = not lines[at - 1].strip() or is_line(lines[at - 1])
    if not is_first:
        return False
    if len(bare) <= 2 * _MAX_NAME_CHARACTERS and _HEADING.fullmatch(bare):
        return True
    if lines[at].rstrip().endswith(":") and _FOR.fullmatch(bare):  # "For the foo library:".
        return True
    said = _joined(lines, at)
    if _FOLLOWING.match(said):
        return True
    found = _bundled(said)
    return found is not None and _TERMS.search(said[found.start("name") :]) is not None


def _bundled(sentence: str) -> re.Match[str] | None:
    """The match of "Kiwi bundles libgreen, which is licensed …"; None for a sentence that says it does not."""
    found = _BUNDLES.match(sentence)
    return None if found is None or _NONE.search(sentence[: found.start("name")]) else found


def _name(lines: Sequence[str], at: int) -> str:
    bare = _bare(lines[at])
    is_alone = at == 0 or not lines[at - 1].strip() or is_line(lines[at - 1])
    if not bare or not is_alone:
        return ""
    found = _FOR.fullmatch(bare) if lines[at].rstrip().endswith(":") else None
    found = (
        found
        or _NAMED.fullmatch(" ".join(lines[at][:_MAX_LINE_CHARACTERS].split()))
        or _MARKED.fullmatch(lines[at][:_MAX_LINE_CHARACTERS])
    )
    if found:
        return found["name"].strip()
    said = _bundled(_joined(lines, at))
    if said and _TERMS.search(said["rest"]) and not _SEVERAL.fullmatch(said["name"]):
        return said["name"].strip()
    # A name between two rules of signs.
    is_framed = at + 1 < len(lines) and is_line(lines[at + 1]) and is_line(lines[at - 1])
    return bare if is_framed and len(bare) <= _MAX_NAME_CHARACTERS else ""


def _components(lines: Sequence[str], at: int) -> Iterator[Component]:
    starts = [(number, name) for number in range(at, len(lines)) if (name := _name(lines, number))][:MAX_COMPONENTS]
    # A list without names is one component, called by its heading.
    if not starts:
        yield Component(_bare(lines[at])[:_MAX_NAME_CHARACTERS], "\n".join(lines[at + 1 :]), at + 1)
        return
    for (number, name), end in zip(starts, [*(start for start, _ in starts[1:]), len(lines)], strict=True):
        text = "\n".join(lines[number + 1 : end])
        if text.strip(" \t\n#*=_/|~>-"):  # A name with nothing below it is a heading.
            yield Component(name[:_MAX_NAME_CHARACTERS], text, number + 1)
