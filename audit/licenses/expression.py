"""SPDX licence expressions as values: what stands in a manifest is read, understood, and never makes trouble."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Final

from audit.licenses import aliases

if TYPE_CHECKING:
    from audit.licenses.expression_structure import ExpressionReader, Structure

_MAX_EXPRESSION_CHARACTERS: Final = 20_000  # Characters of an expression; a whole distribution's have some thousands.
MAX_USUAL_CHARACTERS: Final = 1_000  # Longer expressions are rare, and are not remembered.
_MAX_LICENSES: Final = 300  # Different licences in one expression.
_ID = re.compile(r"(?:DocumentRef-[A-Za-z0-9.-]{1,100}:)?[A-Za-z0-9][A-Za-z0-9.-]{0,199}")
NOTHING: Final = frozenset({"", "none", "noassertion"})  # SPDX's words for no licence.
_TROVE: Final = "License :: "  # The beginning of PyPI's classifiers.


@dataclass(frozen=True, slots=True)
class Atom:
    """A `license` by its id, or the name of a family (`BSD`), and the `exception` to it (None: there is none)."""

    license: str
    exception: str | None = None

    def __str__(self) -> str:
        return self.license if self.exception is None else f"{self.license} WITH {self.exception}"


@dataclass(frozen=True, slots=True)
class And:
    """`AND`: all of the `parts` count. At least two different ones, none of them an `And`."""

    parts: "tuple[Expression, ...]"

    def __str__(self) -> str:
        return " AND ".join(f"({part})" if isinstance(part, Or) else str(part) for part in self.parts)


@dataclass(frozen=True, slots=True)
class Or:
    """`OR`: one of the `parts` is chosen. At least two different ones, none of them an `Or`."""

    parts: "tuple[Expression, ...]"

    def __str__(self) -> str:
        return " OR ".join(f"({part})" if isinstance(part, And) else str(part) for part in self.parts)


Expression = Atom | And | Or
"""Its text is as SPDX writes it; read again it is the same."""


def read(text: str | None) -> Expression | None:
    """The expression that is meant; None where nothing is (empty, NONE, NOASSERTION) or it cannot be read.

    Operators stand in any case. Deprecated ids are what they became, known names of licences are their ids
    (docs/reference/license-rules.md lists how); an unknown id stays as it is written. `+` behind an id
    without later versions of its own on SPDX's list adds nothing: the version that is named may be chosen.
    """
    if text is None or len(text) > _MAX_EXPRESSION_CHARACTERS:
        return None
    # Strangers may send many long expressions: those would push out the ones that return.
    return _kept(text) if len(text) <= MAX_USUAL_CHARACTERS else _understood(text)


def spelled(text: str | None) -> str | None:
    """The licence as people and programs are shown it: as SPDX spells it, as it was written where it cannot be read.

    None where nothing was stated.

    >>> spelled("gpl-2.0+ or mit"), spelled("Apache 2.0"), spelled("Our own terms")
    ('GPL-2.0-or-later OR MIT', 'Apache-2.0', 'Our own terms')
    """
    found = read(text)
    return str(found) if found else (text or "").strip() or None


def _understood(text: str) -> Expression | None:
    # `License :: OSI Approved :: MIT License`: the last part is the name.
    text = text.strip().removeprefix(_TROVE).rpartition(" :: ")[2] if text.strip().startswith(_TROVE) else text.strip()
    if text.casefold() in NOTHING:
        return None
    # Ids first: most expressions hold nothing else, and this is the fastest way.
    found = _parsed(text, of_ids=True)
    # Then the whole as one name, which may hold `or` and brackets: `GNU GPL v2 or later (GPLv2+)`.
    if found is None and _is_balanced(text) and (meant := _meant(text)):
        found = _value(meant)
    found = found or _parsed(text, of_ids=False)
    return found if found is not None and len(atoms(found)) <= _MAX_LICENSES else None


_kept = lru_cache(maxsize=4096)(_understood)


def atoms(expression: Expression | None) -> tuple[Atom, ...]:
    """The different licences of it, in the order in which they stand; none where nothing was read."""
    return () if expression is None else tuple(dict.fromkeys(_atoms(expression)))


def _atoms(expression: Expression) -> Iterator[Atom]:
    if isinstance(expression, Atom):
        yield expression
    else:
        for part in expression.parts:
            yield from _atoms(part)


def unread(written: str) -> Atom:
    """An expression that stands for words that were stated and cannot be read: in quotation marks, it is no licence.

    >>> str(unread("MIT OR")), read(str(unread("MIT OR")))
    ('“MIT OR”', None)
    """
    return Atom(f"“{written}”")


def is_unread(expression: Expression) -> bool:
    """Whether it stands for words that cannot be read."""
    return isinstance(expression, Atom) and expression.license.startswith("“")


def all_of(parts: tuple[Expression, ...]) -> Expression:
    """All of these parts together."""
    # Flat and without repetition, so that expressions of the same meaning are equal.
    inner = (below for part in parts for below in (part.parts if isinstance(part, And) else (part,)))
    different = tuple(dict.fromkeys(inner))
    return different[0] if len(different) == 1 else And(different)


def any_of(parts: tuple[Expression, ...]) -> Expression:
    """One of these parts."""
    inner = (below for part in parts for below in (part.parts if isinstance(part, Or) else (part,)))
    different = tuple(dict.fromkeys(inner))
    return different[0] if len(different) == 1 else Or(different)


@cache
def _reader(*, of_ids: bool) -> "ExpressionReader":
    from audit.licenses.expression_structure import ExpressionReader  # noqa: PLC0415 - its library is loaded only when it is needed

    if of_ids:
        return ExpressionReader(lambda name: aliases.ids().get(name.casefold()), aliases.exception_of)
    return ExpressionReader(_called, lambda name: aliases.exception_of(name) or (name if _ID.fullmatch(name) else None))


def _parsed(text: str, *, of_ids: bool) -> Expression | None:
    if of_ids and (meant := aliases.ids().get(text.casefold())):
        return _value(meant)
    found = _reader(of_ids=of_ids).structure(text)
    return None if found is None else _converted(found)


def _converted(found: "Structure") -> Expression | None:
    # The recursion is bounded: the reader allows few brackets within brackets.
    if isinstance(found, str):
        return _value(found)
    if found.operator == "WITH":
        licensed, exception = map(str, found.parts)
        base = _value(licensed)
        # An exception stands behind one licence, never behind several.
        return Atom(base.license, exception) if isinstance(base, Atom) and base.exception is None else None
    parts = tuple(part for part in map(_converted, found.parts) if part is not None)
    if len(parts) < len(found.parts):  # A part that cannot be read may be the one that matters.
        return None
    return all_of(parts) if found.operator == "AND" else any_of(parts)


def _is_balanced(text: str) -> bool:
    depth = 0
    for sign in text:
        depth += (sign == "(") - (sign == ")")
        if depth < 0:
            return False
    return depth == 0


def _called(name: str) -> str | None:
    return _meant(name) or (name if _ID.fullmatch(name.removesuffix("+")) else None)


def _meant(text: str) -> str | None:
    """The id, the family or the expression that a name of a licence stands for."""
    meant = aliases.license_of(text)
    # A `+` adds nothing where SPDX has no id for later versions: the version that is named may be chosen.
    if meant is None and text.endswith("+"):
        meant = aliases.license_of(text[:-1])
        if meant is not None and (" " in meant or meant in aliases.FAMILIES or meant.endswith(("-only", "-or-later"))):
            return None
    return meant


def _value(meant: str) -> Expression:
    return Atom(meant) if " " not in meant else _composed(meant)


@lru_cache(maxsize=256)
def _composed(meant: str) -> Expression:
    found = _parsed(meant, of_ids=True)
    assert found is not None, meant
    return found
