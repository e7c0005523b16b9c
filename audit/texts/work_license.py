"""The licence of a work: what is stated of it, what its texts are, and which of the two counts where one says more."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from audit import display_text
from audit.facts import UNLEARNED, Finding, Learned, Place, Source, Text
from audit.licenses.aliases import FAMILIES
from audit.licenses.expression import Atom, atoms, read
from audit.texts.normalization import normalize

Detect = Callable[[str, str], str | None]
"""Text and path → the SPDX expression that the text is, None if it is not known."""

# Without a version any may be chosen (GPL-2.0, section 9): the text that comes with it is no choice.
_GNU: Final = frozenset({"GPL", "LGPL", "AGPL"})
# The beginning and end of the licence, or its notice, in a file that says more; by family.
_EXCERPTS: Final = {
    "BSD": ("Redistribution and use in source and binary forms", "SUCH DAMAGE."),
    "Apache": ("Licensed under the Apache License, Version", "limitations under the License."),
}
_MAX_EXCERPT_CHARACTERS: Final = 4_000  # Characters of such a part.
_MAX_NESTED: Final = 100  # Findings; one more counts the rest.
_MAX_SHORT_TEXT_CHARACTERS: Final = 1_000  # Characters of a file that only points to another, or only names holders.
_CHOICE: Final = re.compile(
    r"this (?:software|project|library|package|work) is (?:made available|licensed|released|distributed) under (?:the terms of )?"
    r"\*{0,2}either\*{0,2} of the licen[cs]es found in (?P<one>[\w.-]{1,60}) or (?P<other>[\w.-]{1,60}?)\."
    r"(?: contributions to [\w. -]{1,40}? (?:is|are) made under the terms of \*{0,2}both\*{0,2} (?:of )?these licen[cs]es\.)?",
    re.IGNORECASE,
)


# npm asks authors to write so where their licence is a file.
_REFERENCE: Final = re.compile(r"see licen[cs]e in (?:\./)?((?:[\w. -]{1,60}/){0,6}[\w. -]{1,60})", re.IGNORECASE)
# A file that only says where the licence is.
_POINTER: Final = re.compile(
    r"(?:[\w+.-]{1,40} licen[cs](?:e|ing)(?: information)?[ =-]{0,80})?(?:please )?(?:see|read|refer to) (?:the )?(?:file )?[\"'`]?(?P<file>[\w.-]{1,60}?)[\"'`]?"
    r"(?: file)?(?: in (?:the |this )[\w.-]{1,40}(?: (?:distribution|directory|folder|repository|package))?)?"
    r"(?: for (?:the )?(?:full |more )?(?:details|information|(?:licen[cs](?:e|ing)|copyright)(?: and licen[cs](?:e|ing))?(?: information| details| terms| text)?))?[.,;]?(?: end)?",
    re.IGNORECASE,
)
_LESSER: Final = re.compile(r"(?:copying|licen[cs]e)[._-]lesser(?:\.txt|\.md)?")
_COPYING: Final = re.compile(r"(?:copying|licen[cs]e)(?:\.txt|\.md)?")
_COPYRIGHT: Final = re.compile(r"copyright|\(c\)|©", re.IGNORECASE)
# Names of texts that speak of what the work is built into or made of, or that stand at the head of its files.
_OF_OTHERS: Final = re.compile(
    r"(?:.*[-_. ])?(?:header|binary|bin|third[-_. ]?part(?:y|ies)|3rd[-_. ]?part(?:y|ies)|dependenc(?:y|ies))(?:[-_. ].*)?"
)


def completed(stated: Learned, texts: Sequence[Text], detect: Detect) -> Learned:
    """The stated licence; for none, or a file's name, that of the texts; for a family (`BSD`), the member there."""
    said = read(stated.expression)
    if stated.expression is None:
        return of_texts(texts, detect)
    named = named_text(stated.expression)
    if named:
        meant = [text for text in texts if text.path.casefold() == named.casefold()]
        # The name alone, too: the manifest may lie in another folder than the text.
        meant = meant or [text for text in texts if _name(text) == named.casefold()]
        found = of_texts(meant, detect)
        return found if found.expression else stated
    families = dict.fromkeys(atom.license for atom in atoms(said) if atom.license in FAMILIES)
    if isinstance(said, Atom) and families and not said.exception and said.license not in _GNU:
        found = of_texts(texts, detect)
        expression = read(found.expression)
        if isinstance(expression, Atom) and expression.license in FAMILIES[said.license]:
            return found
    members = {family: _within(family, texts, detect) for family in families if family in _EXCERPTS}
    words = str(said)
    for family, member in members.items():
        if member:
            # The whole name: `BSD-3-Clause` begins with `BSD`, too.
            words = re.sub(rf"(?<![\w.+-]){family}(?![\w.+-])", member, words)
    return replace(stated, expression=words) if any(members.values()) else stated


def named_text(expression: str | None) -> str:
    """The path, from the manifest, to a file that a statement calls the licence ("SEE LICENSE IN x.txt"); or ""."""
    found = _REFERENCE.fullmatch((expression or "").strip())
    return found[1] if found else ""


def _within(family: str, texts: Sequence[Text], detect: Detect) -> str | None:
    """The one member of a family whose text, word for word, is a part of the texts, with the authors' prose around."""
    begins, ends = _EXCERPTS[family]
    found = set()
    for text in texts:
        start = text.text.find(begins)
        end = text.text.find(ends, start)
        if start >= 0 and 0 <= end - start <= _MAX_EXCERPT_CHARACTERS:
            found.add(detect(text.text[start : end + len(ends)], text.path))
    # Texts of two members leave open which of them is meant.
    member = found.pop() if len(found) == 1 else None
    return member if member in FAMILIES[family] else None


def with_later(detect: Detect) -> Detect:
    """A detection that takes "or later", which no text can say, from REUSE's name (`LICENSES/GPL-3.0-or-later.txt`)."""

    def named(text: str, path: str) -> str | None:
        found = detect(text, path)
        stem = path.rpartition("/")[2].removesuffix(".txt")
        is_later = stem.endswith("-or-later") and found == f"{stem.removesuffix('-or-later')}-only"
        return stem if is_later else found

    return named


def of_texts(texts: Sequence[Text], detect: Detect) -> Learned:
    """All licences whose texts are there, or one of those between which a file lets choose; not known if one is not."""
    names = {_name(text): text for text in texts}
    choices = [(text, others) for text in texts if (others := _chosen(text, names))]
    said: dict[str, None] = {}
    for _, others in choices:
        parts = [detect(each.text, each.path) for each in others]
        said[" OR ".join(_bracketed(part) for part in parts if part)] = None
        if not all(parts):
            return UNLEARNED  # The unknown one may be the one that is chosen.
    enclosed = _enclosed(names, detect)
    main = any(_COPYING.fullmatch(name) and detect(text.text, text.path) for name, text in names.items())
    spoken = {id(each) for text, others in choices for each in (text, *others)} | enclosed
    for text in texts:
        if id(text) in spoken or _refers(text, names):
            continue
        spdx = detect(text.text, text.path)
        # A text at the root may be, by its name, of the work's parts or its files' heads.
        is_of_others = "/" not in text.path and _OF_OTHERS.fullmatch(_name(text)) is not None
        # Holders alone leave nothing open, nor does a text of others beside a known LICENSE or COPYING.
        if spdx is None and (_is_copyright_alone(text) or (main and is_of_others)):
            continue
        if spdx is None:  # Of the repository's own texts it is told which one is why.
            is_own = "/" not in text.path or text.path.startswith("LICENSES/")
            return replace(UNLEARNED, place=Place(text.path)) if is_own else UNLEARNED
        said[spdx] = None
    if not said:
        return UNLEARNED
    words = next(iter(said)) if len(said) == 1 else " AND ".join(_bracketed(expression) for expression in said)
    first = next((text for text in texts if id(text) not in enclosed), texts[0])
    return Learned(words, Source.LICENSE_TEXT, Place(first.path))


def _is_copyright_alone(text: Text) -> bool:
    is_short = len(text.text) <= _MAX_SHORT_TEXT_CHARACTERS
    is_called_so = "copyright" in _name(text).lower()  # In LICENSE the same line may mean that nothing is granted.
    return is_short and is_called_so and bool(_COPYRIGHT.search(text.text)) and not normalize(text.text).form.strip()


def _name(text: Text) -> str:
    return text.path.rpartition("/")[2].casefold()


def _enclosed(names: Mapping[str, Text], detect: Detect) -> set[int]:
    """The GPL-3.0 in COPYING beside the LGPL-3.0 in COPYING.LESSER, which is written upon it and asks to enclose it."""
    licenses = {name: detect(text.text, text.path) for name, text in names.items() if _LESSER.fullmatch(name)}
    if "LGPL-3.0-only" not in licenses.values():
        return set()
    plain = [text for name, text in names.items() if _COPYING.fullmatch(name)]
    return {id(text) for text in plain if detect(text.text, text.path) == "GPL-3.0-only"}


def _chosen(text: Text, names: Mapping[str, Text]) -> tuple[Text, ...]:
    """The texts between which this one lets choose, and says nothing else: "either of the licenses found in A or B"."""
    found = _CHOICE.fullmatch(" ".join(text.text.split())) if len(text.text) <= _MAX_SHORT_TEXT_CHARACTERS else None
    chosen = [names.get(found[group].casefold()) for group in ("one", "other")] if found else []
    others = tuple(other for other in chosen if other is not None and other is not text)
    return others if len(others) == len(chosen) else ()


def _refers(text: Text, names: Mapping[str, Text]) -> bool:
    """Whether a text says no more than in which other one the licence is, and that one is there: "See COPYING"."""
    found = _POINTER.fullmatch(" ".join(text.text.split())) if len(text.text) <= _MAX_SHORT_TEXT_CHARACTERS else None
    other = names.get(found["file"].casefold()) if found else None
    return other is not None and other is not text


def _bracketed(expression: str) -> str:
    return f"({expression})" if " " in expression else expression


_TEXT_FOLDERS: Final = frozenset({"license", "licence", "licenses", "licences", "legal"})


def is_for_texts(folder: str) -> bool:
    """Whether a folder, or one above it, is called as those that hold licence texts alone (`license/third_party`)."""
    return not _TEXT_FOLDERS.isdisjoint(folder.lower().split("/"))


def nested(own: Learned, texts: Iterable[Text], mine: Iterable[Text], detect: Detect) -> list[Finding]:
    """Folders with a licence of their own, which the work's does not name: what lies there may be another author's."""
    known = {atom.license for atom in atoms(read(own.expression))}
    seen = {text.sha256 for text in mine}  # The work's own text in a folder says nothing new.
    findings: list[Finding] = []
    more: list[str] = []
    for text in texts:
        found = read(detect(text.text, text.path)) if text.sha256 not in seen else None
        if found is not None and not {atom.license for atom in atoms(found)} <= known:
            message = (
                f"a text of {found} in a folder of texts: if the work contains what it belongs to, list that in the rulebook"
                if is_for_texts(text.path.rpartition("/")[0])
                else f"a folder under {found}: if it contains someone else's work, list it in the rulebook"
            )
            if len(findings) < _MAX_NESTED:
                findings.append(Finding("license/nested", Place(text.path), message))
            else:
                more.append(text.path)
    if more:
        counted = display_text.count(len(more), "more folder", "more folders")
        message = (
            f"{counted} under licences that the work's own does not name, from here on: they are not listed one by one"
        )
        findings.append(Finding("license/nested", Place(more[0]), message))
    return findings
