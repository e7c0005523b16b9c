"""Reasons why a repository's own licence is not known: none is stated, a statement names none, a text is no licence."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Final

from audit import display_text
from audit.ecosystems import family
from audit.facts import OWN_UNKNOWN, Finding, Place, Repository, Text
from audit.licenses import spdx
from audit.licenses.expression import read
from audit.scan import installed_packages
from audit.texts.comparison import Difference, compare, without_missing
from audit.texts.identification import DetectedText
from audit.texts.normalization import normalize
from audit.texts.prose.licensing import Licensing, licensing
from audit.texts.work_license import named_text

Detector = Callable[[str, str], DetectedText]
_MAX_TEXTS: Final = 3  # Licence files of which the finding tells.
_MAX_QUOTED_WORDS: Final = 12  # Words of a difference that are quoted.
# Characters of a text that is compared with the nearest licence; the longest licence has a fourth of that.
_MAX_COMPARED_CHARACTERS: Final = 200_000
_MAX_RESERVING_CHARACTERS: Final = 1_000  # Characters of a file that only reserves rights.
# Nothing is granted, and what stands behind it grants nothing either.
_RESERVED: Final = re.compile(
    r"\ball rights(?: are)? reserved\b(?![\s\S]*(?:permi(?:t|ssion)|licen[cs]e[ds]? (?:under|to)|granted))",
    re.IGNORECASE,
)
_EMPTY: Final = frozenset({"scope/empty", "scope/bare"})
_UNREAD: Final = frozenset(
    {"file/too-large", "file/unreadable", "file/outside", "file/refused", "file/broken", "tree/cut-short"}
)
_NO_TEXT: Final = {
    "empty": "is empty",
    "binary": "is no text",
    "too-long": "is too long to be read",
    "beyond-budget": "was not read: the licence texts of this repository are too much work",
    "none": "is no licence that is known, and comes near none",
}


def explained(found: Repository, detector: Detector) -> Repository:
    """The repository with a finding that says why, if its own licence is not known."""
    if read(found.license.expression) is not None or is_empty(found):
        return found
    reason = _reason(found, detector)
    place = found.license.place or Place(next(iter(_own_texts(found.licenses))).path if found.licenses else ".")
    finding = Finding(
        OWN_UNKNOWN, Place(place.path, place.line), f"the licence of the work itself is not known: {reason}"
    )
    return replace(found, findings=(finding, *found.findings))


def is_empty(found: Repository) -> bool:
    """Whether there was nothing to read, which is told already: then no licence is asked for."""
    return any(finding.code in _EMPTY for finding in found.findings)


def _own_texts(texts: Sequence[Text]) -> Sequence[Text]:
    return [text for text in texts if "/" not in text.path] or texts


def _reason(found: Repository, detector: Detector) -> str:
    stated, texts, parts = found.license, found.licenses, []
    words, where = display_text.line(stated.expression or "", 100), stated.place.path if stated.place else stated.source
    named = named_text(stated.expression)
    if named:
        there = (
            ""
            if any(text.path == named or text.path.endswith(f"/{named}") for text in texts)
            else ", which is not there"
        )
        parts.append(f"{where} says that the licence is in {display_text.line(named, 100)}{there}")
    elif words:
        parts.append(f"{where} states {words!r}, which names no licence")
    own = _own_texts(texts)
    said = [(text, detector(text.text, text.path)) for text in own]
    said.sort(key=lambda pair: pair[1].spdx is not None)  # What is not known first: it is the reason.
    parts += [_described(*pair) for pair in said[:_MAX_TEXTS]]
    if len(own) > _MAX_TEXTS:
        parts.append(f"and {display_text.count(len(own) - _MAX_TEXTS, 'file', 'files')} more")
    # Files at the root that are there and could not be read.
    unread = sorted({at.place.path for at in found.findings if at.code in _UNREAD and "/" not in at.place.path})
    legal = [path for path in unread if installed_packages.legal(path) == "license"]
    if legal:
        parts.append(f"{display_text.line(', '.join(legal[:_MAX_TEXTS]), 200)} could not be read")
    manifests = [path for path in unread if path not in legal and family(path)][:_MAX_TEXTS]
    states = "no manifest there states exactly one"
    states = f"{display_text.line(', '.join(manifests), 200)} could not be read" if manifests else states
    return "; ".join(parts) or f"no licence file is at its root, and {states}"


def _described(text: Text, detected: DetectedText) -> str:
    path = display_text.line(text.path, 100)
    if detected.spdx is not None:
        return f"{path} is {detected.spdx}"
    # A short text that reserves all rights is understood, and is no licence.
    if detected.nearest is None and len(text.text) <= _MAX_RESERVING_CHARACTERS and _RESERVED.search(text.text):
        return f"{path} reserves all rights: nobody may use the work without asking (a closed work is stated as UNLICENSED)"
    said = licensing(text.text)
    if not detected.found and said.stated:
        return f"{path} {_in_prose(said)}"
    if detected.unread and (len(detected.found) > 1 or detected.nearest is None):
        return f"{path} {_with_texts(detected)}"
    differs = difference(text.text, detected.nearest) if detected.nearest else ""
    if not differs and not detected.found:
        return f"{path} {_NO_TEXT.get(detected.method, _NO_TEXT['none'])}"
    return f"{path} is not recognised: nearest is {detected.nearest}{differs}"


def _in_prose(said: Licensing) -> str:
    named = ", ".join(sorted(said.named)[:_MAX_TEXTS])
    ids = f" ({named})" if named else ""
    if not said.unread:
        return f"says in its own words which licences there are{ids}, and of the work as a whole none"
    sentence = said.unread[0]
    return f"says in its own words which licences there are{ids}, and line {sentence.line} was not understood: {_quoted(sentence.text.split(), 2 * _MAX_QUOTED_WORDS)}"


def _with_texts(detected: DetectedText) -> str:
    ids = list(dict.fromkeys(license_.spdx for license_ in detected.found))
    more = f" and {display_text.count(len(ids) - _MAX_TEXTS, 'other', 'others')}" if len(ids) > _MAX_TEXTS else ""
    remark = detected.unread[0]
    return f"holds the texts of {', '.join(ids[:_MAX_TEXTS])}{more}, and what stands in line {remark.start_line} was not understood: {_quoted(remark.text.split(), 2 * _MAX_QUOTED_WORDS)}"


def difference(text: str, license_id: str) -> str:
    """The difference of a text from a licence, as a clause with a comma before it; empty where it is all over the text.

    The words are quoted as they are compared: in small letters, spelled in one way.
    """
    if len(text) > _MAX_COMPARED_CHARACTERS or license_id not in spdx.texts():
        return ""
    words = normalize(text).form.split()
    licence = without_missing(license_id, normalize(spdx.texts()[license_id]).form.split(), words)
    compared = compare(licence, words)
    if compared.equal * 2 < len(licence):  # Too much differs to be quoted.
        return ""
    return next(iter(_clauses(compared.differences, words[: compared.start], words[compared.end :])), "")


def _clauses(differences: Sequence[Difference], before: Sequence[str], after: Sequence[str]) -> Iterator[str]:
    within = [edit for edit in differences if not edit.is_replaceable()]
    for edit in sorted(within, key=lambda passage: -len(passage.licence) - len(passage.text)):
        if edit.licence and edit.text:
            yield f", and where that has {_quoted(edit.licence)} it has {_quoted(edit.text)}"
        elif edit.licence:
            yield f", of which it lacks {_quoted(edit.licence)}"
        else:
            yield f", to which it adds {_quoted(edit.text)}"
    for words in (after, before):
        if words:
            yield f", to which it adds {_quoted(words)}"


def _quoted(words: Sequence[str], most: int = _MAX_QUOTED_WORDS) -> str:
    more = " …" if len(words) > most else ""
    return f"“{display_text.line(' '.join(words[:most]))}{more}”"
