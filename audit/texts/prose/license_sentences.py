"""Reads a sentence on licences: what is licensed (the work, most of it, the rest, a part), and under what."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from typing import Final

from audit.licenses.expression import Expression, all_of, any_of, read
from audit.texts.prose.license_names import PUBLIC_DOMAIN, WordedSentence
from audit.texts.prose.words import (
    AWAY,
    BESIDE,
    CHOICE,
    CONDITIONAL,
    GRANTING,
    HARD,
    JOINTS,
    MOST,
    NARROWING,
    NEGATED,
    PARTS,
    PLACES,
    POINTING,
    POINTS,
    REST,
    SOME,
    WORK,
)

_MAX_CLAUSES: Final = 24  # Places in a sentence where a clause may begin.
_MAX_WORDS: Final = 200  # Words of a sentence that is read.
_MAX_NAME_WORDS: Final = 4  # Words of a work's name.
_MAX_SUBJECT_WORDS: Final = 60  # Words of what is licensed.
_GRANTS: Final = re.compile(r"\b(?:under|uses?|covered by|has|have|comes? with|contains?|subject to)\b")
# The beginning of GNU's notices.
_FREE: Final = re.compile(
    r"(?:is|are) free software you (?:can|may) (?:(?:re)?distribute|copy|use|modify)(?: it| them)?"
    r"(?:(?: and| or)+ (?:(?:re)?distribute|copy|use|modify)(?: it| them)?){0,4} under"
)
_FOREWORD: Final = re.compile(
    r"(?:and|but|while|whereas|however|note that|please note that|currently|since (?:[^ ]+ ){0,2}version [\d.]+"
    r"|(?:unless|except where|except when) (?:otherwise |explicitly |expressly ){0,2}(?:noted|stated|specified|indicated)(?: otherwise)?) "
)
_NOTED: Final = re.compile(
    r" (?:except where|except when) (?:otherwise |explicitly |expressly ){0,2}(?:noted|stated|specified|indicated)(?: otherwise)?$"
)
_YOU_MAY: Final = re.compile(
    r"you (?:may|can)(?: freely)? (?:use|copy|modify|(?:re)?distribute)(?:(?: and| or)+ (?:use|copy|modify|(?:re)?distribute)){0,4} (?P<work>.{1,60}?) under (?=the |either |§)"
)
_EXCEPT: Final = re.compile(
    r" except (?:for |that )?(?:the )?(?P<part>.{1,80}?) which (?P<verb>is|are|has|have|uses?) "
)
_APPLIES: Final = re.compile(
    r"(?:in combination )?(?:the )?(?P<licenses>§\d+(?: (?:or|and) §\d+)*|vague)(?: licen[cs]es?)?(?: given in full)?(?: in pathname)? "
    r"(?:applies|apply) to (?P<subject>.{1,200}?)(?: only| as (?:a )?whole)?"
)
_IS_LICENSED: Final = re.compile(
    r"(?P<subject>.{1,120}?) (?:is|are) (?P<most>primarily |mainly |mostly |all )?(?P<licenses>§\d+) licensed"
)
_THE_PARTS: Final = re.compile(
    r"(?:specifically )?(?:the |all )*(?P<licenses>§\d+|vague) (?:parts|portions|files|code)(?: of .{1,60}?)? (?:is|are)"
    r"(?: either)?(?: (?P<which>§\d+(?: or §\d+)*))?"
)
_TAKEN: Final = re.compile(
    r"(?P<subject>.{1,200}?) (?:is|are|was|were|contains?|has been|have been) (?:.{0,80}? )?"
    r"(?:taken|derived|copied|adapted|borrowed|imported|ported)(?: verbatim)? (?:from|of) .{1,200}"
)
_FILE_OF_TEXT: Final = re.compile(r"pathname (?:§\d+|vague)(?: (?:text|licen[cs]e))*")
_LICENSE_FILE: Final = re.compile(r"copying.*|licen[cs]e.*", re.IGNORECASE)
_PLACED: Final = frozenset(
    {"this", "package", "project", "repository", "distribution", "implementation", "library", "software", "program"}
)


class Kind(StrEnum):
    """The extent of a statement: the whole work, most of it, the rest of it, or a part."""

    WHOLE = "whole"
    MOST = "most"
    REST = "rest"
    PART = "part"


@dataclass(frozen=True, slots=True)
class Statement:
    """The extent of a statement (`kind`) and its licence (`expression`; None: not known, of a part alone)."""

    kind: Kind
    expression: Expression | None


def statements(words: WordedSentence, *, item: bool) -> Sequence[Statement] | None:
    """The statements of a sentence's clauses, each clause as long as it can be; None where they cannot all be read."""
    # "COPYING.GPLv2: GNU General Public License version 2" tells what a file holds, and states nothing.
    if _FILE_OF_TEXT.fullmatch(words.words) and all(map(_LICENSE_FILE.fullmatch, words.files)):
        return ()
    tokens = _EXCEPT.sub(r" but the \g<part> \g<verb> ", words.words).split()
    starts = [0, *(at for at, word in enumerate(tokens) if at and word in JOINTS)][:_MAX_CLAUSES]
    ends = [*starts[1:], len(tokens)]

    @cache  # Each beginning is read once: there are exponentially many ways to split a sentence.
    def split(begin: int) -> tuple[Statement, ...] | None:
        if begin == len(starts):
            return ()
        for end in range(len(ends), begin, -1):  # The longest clause first.
            statement = _statement(" ".join(tokens[starts[begin] : ends[end - 1]]), words, item=item)
            rest = split(end) if statement is not None else None
            if statement is not None and rest is not None:
                return (statement, *rest)
        return None

    return split(0) if 0 < len(tokens) <= _MAX_WORDS else None


def is_pointer(words: WordedSentence) -> bool:
    """Whether a sentence only says where something is."""
    is_closed = all(word in POINTING or word.startswith("§") for word in words.words.split())
    return is_closed and bool(POINTS.search(words.words)) and bool(PLACES.search(words.words))


def is_plain(words: WordedSentence) -> bool:
    """Whether a sentence says nothing of rights."""
    return AWAY.isdisjoint(words.words.split()) and "§" not in words.words and "vague" not in words.words.split()


def _statement(text: str, words: WordedSentence, *, item: bool) -> Statement | None:
    text = _FOREWORD.sub("", text, count=1) if _FOREWORD.match(text) else text
    text = _YOU_MAY.sub(r"\g<work> is licensed under ", text, count=1) if _YOU_MAY.match(text) else text
    text = _without_doubles(_NOTED.sub("", text), words)
    for pattern in (_APPLIES, _IS_LICENSED, _THE_PARTS):
        found = pattern.fullmatch(text)
        if found is None:
            continue
        groups = found.groupdict()
        if pattern is _THE_PARTS:
            return Statement(Kind.PART, _licenses(groups["which"] or groups["licenses"], words))
        kind = Kind.MOST if (groups.get("most") or "").strip() in MOST else _kind(groups["subject"].split())
        return _made(kind, _licenses(groups["licenses"], words))
    taken = _TAKEN.fullmatch(text) if " from " in text or " of " in text else None
    if taken and _kind(taken["subject"].split()) is Kind.PART and HARD.isdisjoint(text.split()) and "§" not in text:
        return Statement(Kind.PART, None)
    return _granted(_FREE.sub("is licensed under", text), words, item=item)


def _without_doubles(text: str, words: WordedSentence) -> str:
    """A licence and its abbreviation in brackets are one: "GNU Lesser General Public License v2.1 (LGPL v2.1)"."""

    def once(found: re.Match[str]) -> str:
        license_id, other = (words.licenses[int(found[at])] for at in (1, 2))
        return f"§{found[1]}" if license_id == other or license_id.startswith(f"{other}-") else found[0]

    return re.sub(r"§(\d+) §(\d+)", once, text)


def _granted(text: str, words: WordedSentence, *, item: bool) -> Statement | None:
    """The statement of "Foo is available under the terms of A or B", if nothing in it narrows."""
    tokens = text.split()
    places = [at for at, word in enumerate(tokens) if word.startswith("§") or word == "vague"]
    first, last = (places[0], places[-1]) if places else (0, 0)
    start = first
    while start > 0 and tokens[start - 1] in GRANTING:
        start -= 1
    kind, verb = _kind(tokens[:start]), " ".join(tokens[start:first])
    # "Foo is in the public domain" grants without a verb that does.
    is_freed = verb in {"is in", "are in"} and _ids(tokens[first : first + 1], words) == [PUBLIC_DOMAIN]
    # An item of a list may be a name and a licence alone.
    is_entry = kind is Kind.PART and not verb and item
    if not places or kind is None or not (_GRANTS.search(verb) or is_freed or is_entry):
        return None
    beside = [*tokens[first + 1 : last], *tokens[last + 1 :]]
    is_closed = all(word in BESIDE or word in GRANTING or word == "vague" or word.startswith("§") for word in beside)
    said = " ".join(tokens[first : last + 1])
    if kind is Kind.PART:
        # What narrows leaves it open, and so do several licences without a joint that is known.
        if not (HARD | NARROWING).isdisjoint(beside) or (not is_closed and len(set(_ids(tokens, words))) > 1):
            return None
        return Statement(kind, _licenses(said, words, verb) if is_closed else _only(tokens, words))
    if item and PUBLIC_DOMAIN in _ids(tokens, words):
        return Statement(Kind.PART, None)
    return _made(kind, _licenses(" ".join(tokens[first:]), words, verb)) if is_closed else None


def _ids(tokens: Sequence[str], words: WordedSentence) -> list[str]:
    return [words.licenses[int(word[1:])] for word in tokens if word.startswith("§")]


def _only(tokens: Sequence[str], words: WordedSentence) -> Expression | None:
    # The sentence says more: one licence without an exception is still that of the part.
    ids = set(_ids(tokens, words))
    if len(ids) != 1 or not {"exception", "exceptions", "except"}.isdisjoint(tokens):
        return None
    said = ids.pop()
    return None if said == PUBLIC_DOMAIN else read(said)


def _made(kind: Kind | None, expression: Expression | None) -> Statement | None:
    # The licence of a part need not be known, that of the work has to be.
    if kind is None or (expression is None and kind is not Kind.PART):
        return None
    return Statement(kind, expression)


def _kind(subject: Sequence[str]) -> Kind | None:
    """The extent of a statement about this subject; None where that narrows or is not understood."""
    said = set(subject)
    is_open = bool(subject) and (subject[0] in CONDITIONAL or not {"you", "they"}.isdisjoint(said))
    names_licenses = any(word == "vague" or word.startswith("§") for word in subject)
    is_narrowed = not (HARD | NEGATED).isdisjoint(said) or names_licenses
    if is_open or is_narrowed or len(subject) > _MAX_SUBJECT_WORDS:
        return None
    if said & SOME or (said & MOST and said & PARTS):
        return Kind.PART
    if said & (REST | MOST):
        return Kind.REST if said & REST else Kind.MOST
    # "All files in lib" are in a place within the work, "all files in this package" are the work.
    behind = subject[len(subject) - subject[::-1].index("in") :] if "in" in said else ()
    if said & PARTS or ("in" in said and _PLACED.isdisjoint(behind)):
        return Kind.PART
    # The work by its name; what takes many words to be described is a part of it.
    names = [word for word in subject if word not in WORK]
    if len(names) <= _MAX_NAME_WORDS:
        return Kind.WHOLE if AWAY.isdisjoint(names) else None
    return Kind.PART if (AWAY - {"only"}).isdisjoint(names) else None


def _licenses(text: str, words: WordedSentence, verb: str = "") -> Expression | None:
    tokens = text.split()
    ids = _ids(tokens, words)
    said = [expression for expression in map(read, ids) if expression is not None]
    if "vague" in tokens or not ids or PUBLIC_DOMAIN in ids or len(said) < len(ids):
        return None
    some = tuple(dict.fromkeys(said))
    last = max(at for at, word in enumerate(tokens) if word.startswith("§"))
    between, around = set(tokens[:last]), {*tokens, *verb.split()}
    is_mixed = {"or", "and"} <= between
    # "A or B and C" is no choice without a word that says so.
    is_choice = not CHOICE.isdisjoint(around) or ("or" in between and not is_mixed)
    return any_of(some) if is_choice and "both" not in around else all_of(some)
