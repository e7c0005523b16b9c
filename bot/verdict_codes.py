"""Every code of a verdict as `verdict_codes.toml` declares it: its kind, its words, and which values are stored."""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from string import Formatter
from typing import Any, Final, Literal, get_args

from agreements.facts import Verdict

Language = Literal["en", "zh"]
Part = Literal["message", "fix", "cause", "aside", "whole", "short", "rule"]

FILE: Final = Path(__file__).with_suffix(".toml")
_PARTS: Final = frozenset(get_args(Part))
# The public may not know how a person is covered, or why no longer.
_PUBLIC: Final = {"covered": "cla/covered", "uncovered": "cla/not-covered"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Code:
    """A code without its words: its `kind`, `role`, `override`, `stored` values, `unnamed` value, `labels` and `docs`.

    `verdict_codes.toml` explains each field, also `asked_again`, `by_anyone` and `annotated`.
    """

    kind: Literal["problem", "note", ""] = ""
    role: Literal["covered", "uncovered", ""] = ""
    asked_again: bool = False
    by_anyone: bool = False
    annotated: bool = False
    override: str = ""
    stored: Sequence[str] = ()
    unnamed: str = ""
    labels: Sequence[str] = ()
    docs: Mapping[str, str] = field(default_factory=dict)


_UNKNOWN: Final = Code()  # A stored verdict may have codes that this release does not know.


@cache
def _tables() -> Mapping[str, Mapping[str, Any]]:
    return tomllib.loads(FILE.read_text(encoding="utf-8"))


@cache
def declared() -> Mapping[str, Code]:
    """Every code, in the order of its file."""
    return {
        code: Code(**{key: said for key, said in table.items() if key not in _PARTS})
        for code, table in _tables().items()
        if ":" not in code  # A special case of a code, not one of its own.
    }


def of(code: str) -> Code:
    """The declaration of the code; nothing for one of another release."""
    return declared().get(code, _UNKNOWN)


@cache
def words(language: Language) -> Mapping[str, Mapping[str, str]]:
    """The parts of each code in that language, and of each `code:case`."""
    tables = _tables()
    # A case without words of its own for a part has those of its code.
    return {
        key: {
            part: said[language] for part, said in {**tables[key.partition(":")[0]], **table}.items() if part in _PARTS
        }
        for key, table in tables.items()
    }


@cache
def each(part: Part, language: Language) -> Mapping[str, str]:
    """The part of each code that has it."""
    return {code: words(language)[code][part] for code in declared() if part in words(language)[code]}


def blanks(key: str) -> frozenset[str]:
    """The values for which message and fix of that code or `code:case` ask, without the account's number."""
    said = words("en").get(key, {})
    parsed = Formatter().parse(said.get("message", "") + said.get("fix", ""))
    return frozenset(name for _, name, _, _ in parsed if name).union(of(key).labels) - {"id"}


@cache
def uncovered() -> frozenset[str]:
    """The codes of persons whom nothing covers: with one of these they may sign, or let their company name them."""
    return frozenset(code for code, definition in declared().items() if definition.role == "uncovered")


def is_provable(code: str, values: Mapping[str, Any]) -> bool:
    """Whether a problem is about an address that a person can prove: a deleted account left none, some commits have none."""
    # "website": GitHub's own address.
    return code == "cla/unlinked-email" and values.get("why") not in ("ghost", "no-address", "website")


def public_codes(verdict: Verdict) -> list[str]:
    """The codes of the problems, for all readers."""
    found = (problem.code for check in verdict.checks for problem in check.problems)
    return sorted({_PUBLIC.get(of(code).role, code) for code in found})
