"""Derives the fields that SPDX's templates leave open, for derive.py beside it: where in a licence's words each stands, and what may fill it."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from itertools import islice, product

from audit.texts.normalization import normalize
from audit.texts.replaceable_fields import is_name
from audit.texts.template_fields import NAMED, PLACEHOLDER, marked_form

_MARK = re.compile(r"zqfield(\d{1,4})zq")
_OPEN = re.compile(r"\.(?:[+*]|\{0,5000\})")
_BLANK = re.compile(r"\[ \]\*|\\s[+*]?|\[ \\t[^\]]*\](?:\{[^}]*\}|[+*])?|\.\{0,\d{2}\}|\[0-9\][+*]?")
_MOST_VARIANTS = 24
_MOST_WORDS = 25

Node = str | tuple[str, list["list[Node]"]]
"""A literal, or a group: its name ("" without one) and its branches."""


def derive_fields(texts: Mapping[str, str], patterns: Mapping[str, Sequence[str]]) -> str:
    """The file of fields (audit/texts/template_fields.py) as JSON; the same bytes each time."""
    choices: dict[str, int] = {}
    rows = {}
    for license_id in sorted(texts):
        if not patterns.get(license_id):
            continue
        found = []
        for start, end, said in _fields(marked_form(texts[license_id]).split(), " ".join(patterns[license_id])):
            number = choices.setdefault(said, len(choices) + 1) if said else 0
            found.append([start, end, number])
        if found:
            rows[license_id] = found
    return (
        json.dumps({"choices": list(choices), "fields": rows}, separators=(",", ":"))
        .replace('],"', '],\n"')
        .replace('{"', '{\n"')
        + "\n"
    )


def _fields(licence: Sequence[str], pattern: str) -> Iterator[tuple[int, int, str]]:
    """Where each field's own words stand among the licence's, and what else may stand there; empty where that is a name."""
    branches: list[list[str]] = []
    text = _flat(_parsed(pattern), branches)
    words = normalize(f"x {text}").form.split()[1:]
    for kind, low, high, start, end in SequenceMatcher(None, words, licence, autojunk=False).get_opcodes():
        marks = [_MARK.fullmatch(word) for word in words[low:high]]
        if kind != "replace" or not all(marks) or end - start > _MOST_WORDS:
            continue
        own = " ".join(licence[start:end])
        if PLACEHOLDER in own:
            continue
        said = [_expanded(branches[int(mark[1])]) for mark in marks if mark]
        if any(part is None for part in said):
            continue
        variants = {_collapsed(" ".join(part)) for part in islice(product(*(part or [] for part in said)), 64)}
        variants |= {re.sub(r"\b\d+\b", "0", own)} if re.search(r"\b\d{4}\b", own) else {own}
        if NAMED in variants and is_name(own):
            variants.discard(own)
        if variants == {NAMED}:
            yield start, end, ""
        elif len(variants) > 1 or NAMED in variants:
            yield start, end, "|".join(sorted(variants))


def _collapsed(words: str) -> str:
    return re.sub(rf"{NAMED}(?: {NAMED})+", NAMED, " ".join(words.split()))


def _flat(branches: list[list[Node]], fields: list[list[list[Node]]]) -> str:
    """The words of a pattern, with a mark for each field; of what may be left out, the words that may stand there."""
    said = []
    for node in max(branches, key=len, default=[]):
        if isinstance(node, str):
            said.append(node)
        elif node[0]:
            fields.append(node[1])
            said.append(f" zqfield{len(fields) - 1}zq ")
        else:
            said.append(f" {_flat(node[1], fields)} ")
    return "".join(said)


def _parsed(pattern: str) -> list[list[Node]]:
    branches, _ = _branches(pattern, 0)
    return branches


def _branches(pattern: str, at: int) -> tuple[list[list[Node]], int]:
    """The branches from here to the end of the group, and where that is."""
    found: list[list[Node]] = [[]]
    while at < len(pattern) and pattern[at] != ")":
        blank, opened = _BLANK.match(pattern, at), _OPEN.match(pattern, at)
        if pattern[at] == "(":
            name = re.match(r"\((?:\?P<(\w+)>)?", pattern[at:])
            assert name is not None
            inner, end = _branches(pattern, at + len(name[0]))
            at = end + 1
            if pattern[at : at + 1] in {"?", "*"}:
                inner, at = [*inner, []], at + 1
            found[-1].append((name[1] or "", inner))
        elif pattern[at] == "|":
            found.append([])
            at += 1
        elif blank:
            found[-1].append(" ")
            at = blank.end()
        elif opened:
            found[-1].append(("any", [[f" {NAMED} "], [" "]] if pattern[at + 1] == "*" else [[f" {NAMED} "]]))
            at = opened.end()
        else:
            sign = pattern[at + 1] if pattern[at] == "\\" else pattern[at]
            at += 2 if pattern[at] == "\\" else 1
            if pattern[at : at + 1] == "?":
                found[-1].append(("", [[sign], []]))
                at += 1
            else:
                found[-1].append(sign)
    return found, at


def _expanded(branches: list[list[Node]]) -> list[str] | None:
    """All that a field may hold, as words; None where that is too much to be written down."""
    said: list[str] = []
    for branch in branches:
        parts = [[node] if isinstance(node, str) else _expanded(node[1]) for node in branch]
        if any(part is None for part in parts):
            return None
        said += ["".join(choice) for choice in islice(product(*(part or [""] for part in parts)), _MOST_VARIANTS + 1)]
        if len(said) > _MOST_VARIANTS:
            return None
    return [_words(text) for text in said]


def _words(text: str) -> str:
    """Words as they stand in a form; a name's place stays."""
    bare = re.sub(r"[^\w~]+|_", " ", text.lower())
    return f" {' '.join(bare.split())} " if bare.strip() else " "
