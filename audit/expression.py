"""SPDX licence expressions as values: what stands in a manifest is read, understood, and never makes trouble."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from audit import aliases

_LONGEST: Final = 20_000
"""Characters of an expression; a whole distribution's have some thousands."""
USUAL: Final = 1_000
"""Characters up to which an expression is remembered: longer ones are rare, and strangers may send many."""
_DEEPEST: Final = 50
_MOST: Final = 300
"""Different licences in one expression."""
_TOKEN = re.compile(r"[()]|[^\s()]+")
_ID = re.compile(r"(?:DocumentRef-[A-Za-z0-9.-]{1,100}:)?[A-Za-z0-9][A-Za-z0-9.-]{0,199}")
_NOTHING: Final = frozenset({"", "none", "noassertion"})
_LATER: Final = frozenset({"later", "newer", "any", "above"})
_TROVE: Final = "License :: "


@dataclass(frozen=True, slots=True)
class Atom:
    """One licence by its id, or the name of a family (`BSD`), and the exception to it."""

    license: str
    exception: str | None = None

    def __str__(self) -> str:
        return self.license if self.exception is None else f"{self.license} WITH {self.exception}"


@dataclass(frozen=True, slots=True)
class All:
    """`AND`: every part counts. At least two different ones, none of them an `All`."""

    parts: "tuple[Expression, ...]"

    def __str__(self) -> str:
        return " AND ".join(f"({part})" if isinstance(part, Any) else str(part) for part in self.parts)


@dataclass(frozen=True, slots=True)
class Any:
    """`OR`: one part is chosen. At least two different ones, none of them an `Any`."""

    parts: "tuple[Expression, ...]"

    def __str__(self) -> str:
        return " OR ".join(f"({part})" if isinstance(part, All) else str(part) for part in self.parts)


Expression = Atom | All | Any


def read(text: str | None) -> Expression | None:
    """The expression that is meant; None where nothing is (empty, NONE, NOASSERTION) or it cannot be read.

    Operators stand in any case. Deprecated ids are what they became, known names of licences are their ids
    (docs/licenses.md lists how); an id that nobody knows stays as it is written. `+` behind an id without later versions
    of its own on SPDX's list adds nothing: the version that is named may be chosen.
    """
    if text is None or len(text) > _LONGEST:
        return None
    return _kept(text) if len(text) <= USUAL else _understood(text)


def _understood(text: str) -> Expression | None:
    text = text.strip().removeprefix(_TROVE).rpartition(" :: ")[2] if text.strip().startswith(_TROVE) else text.strip()
    if text.casefold() in _NOTHING:
        return None
    found = _parsed(text, _exactly) or (_named(text) if _is_balanced(text) else None) or _parsed(text, _license)
    return found if found is not None and len(atoms(found)) <= _MOST else None


_kept = lru_cache(maxsize=4096)(_understood)


def spelled(expression: Expression) -> str:
    """The expression as SPDX writes it; read again it is the same."""
    return str(expression)


def atoms(expression: Expression) -> tuple[Atom, ...]:
    """The different licences of it, in the order in which they stand."""
    return tuple(dict.fromkeys(_atoms(expression)))


def _atoms(expression: Expression) -> Iterator[Atom]:
    if isinstance(expression, Atom):
        yield expression
    else:
        for part in expression.parts:
            yield from _atoms(part)


def all_of(parts: tuple[Expression, ...]) -> Expression:
    """Every one of them."""
    inner = (below for part in parts for below in (part.parts if isinstance(part, All) else (part,)))
    different = tuple(dict.fromkeys(inner))
    return different[0] if len(different) == 1 else All(different)


def any_of(parts: tuple[Expression, ...]) -> Expression:
    """One of them."""
    inner = (below for part in parts for below in (part.parts if isinstance(part, Any) else (part,)))
    different = tuple(dict.fromkeys(inner))
    return different[0] if len(different) == 1 else Any(different)


class _Unreadable(Exception):  # noqa: N818 - reads as what happened
    """It is no expression."""


_OPERATORS: Final = frozenset({"(", ")", "AND", "OR", "WITH"})


def _tokens(text: str) -> list[str]:
    """Operators in capitals; what stands between two is one name, its words with a space between."""
    tokens: list[str] = []
    words: list[str] = []
    found = _TOKEN.findall(text)
    for index, word in enumerate(found):
        operator = word.upper() if word.upper() in _OPERATORS else ""
        if operator == "OR" and index + 1 < len(found) and found[index + 1].casefold() in _LATER:
            operator = ""  # GPL 2 or later: part of the name
        if not operator:
            words.append(word)
            continue
        if words:
            tokens.append(" ".join(words))
            words = []
        tokens.append(operator)
    return [*tokens, " ".join(words)] if words else tokens


class _Reader:
    """Recursive descent: OR binds least, then AND, then WITH."""

    def __init__(self, tokens: list[str], license_of: Callable[[str], Expression]) -> None:
        self.tokens = tokens[::-1]
        self.license_of = license_of
        self.depth = 0

    def whole(self) -> Expression:
        found = self._any()
        if self.tokens:
            raise _Unreadable
        return found

    def _any(self) -> Expression:
        return self._joined("OR", self._all, any_of)

    def _all(self) -> Expression:
        return self._joined("AND", self._one, all_of)

    def _joined(
        self, operator: str, part: Callable[[], Expression], join: Callable[[tuple[Expression, ...]], Expression]
    ) -> Expression:
        parts = [part()]
        while self.tokens and self.tokens[-1] == operator:
            self.tokens.pop()
            parts.append(part())
        return join(tuple(parts))

    def _one(self) -> Expression:
        name = self._next()
        if name == "(":
            self.depth += 1
            if self.depth > _DEEPEST:
                raise _Unreadable
            inner = self._any()
            if self._next() != ")":
                raise _Unreadable
            self.depth -= 1
            return inner
        if name in _OPERATORS:
            raise _Unreadable
        found = self.license_of(name)
        if not self.tokens or self.tokens[-1] != "WITH":
            return found
        self.tokens.pop()
        if not isinstance(found, Atom) or found.exception is not None:
            raise _Unreadable
        return Atom(found.license, self._exception(self._next()))

    def _exception(self, name: str) -> str:
        known = aliases.exception_of(name)
        if known is None and (self.license_of is _exactly or name in _OPERATORS or not _ID.fullmatch(name)):
            raise _Unreadable
        return known or name

    def _next(self) -> str:
        if not self.tokens:
            raise _Unreadable
        return self.tokens.pop()


def _parsed(text: str, license_of: Callable[[str], Expression]) -> Expression | None:
    try:
        return _Reader(_tokens(text), license_of).whole()
    except _Unreadable:
        return None


def _is_balanced(text: str) -> bool:
    """Whether the brackets of a name are: they are left out of it."""
    depth = 0
    for sign in text:
        depth += (sign == "(") - (sign == ")")
        if depth < 0:
            return False
    return depth == 0


def _exactly(name: str) -> Expression:
    """A licence by its id. Most expressions hold nothing else, and this is much the fastest way."""
    meant = aliases.ids().get(name.casefold())
    if meant is None:
        raise _Unreadable
    return _value(meant)


def _license(name: str) -> Expression:
    """A licence by whatever it is called; an id that nobody knows is one, too."""
    found = _named(name)
    if found is None and not _ID.fullmatch(name.removesuffix("+")):
        raise _Unreadable
    return found or Atom(name)


def _named(text: str) -> Expression | None:
    """The expression that a name of a licence stands for."""
    meant = aliases.license_of(text)
    if meant is None and text.endswith("+"):
        meant = aliases.license_of(text[:-1])
        if meant is not None and (" " in meant or meant in aliases.FAMILIES or meant.endswith(("-only", "-or-later"))):
            return None
    return None if meant is None else _value(meant)


def _value(meant: str) -> Expression:
    """An id, or an expression of ids, as the tables of names hold them."""
    return Atom(meant) if " " not in meant else _Reader(meant.split(), Atom).whole()
