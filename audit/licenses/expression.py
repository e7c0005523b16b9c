"""SPDX licence expressions as values: what stands in a manifest is read, understood, and never makes trouble."""

import re
import typing
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Final

from license_expression import (  # type: ignore[import-untyped]  # it ships no types
    AND,
    KW_AND,
    KW_LPAR,
    KW_OR,
    KW_RPAR,
    KW_WITH,
    ExpressionError,
    LicenseSymbol,
    LicenseWithExceptionSymbol,
    Licensing,
    ParseError,
    Token,
)

from audit.licenses import aliases, spdx

_MAX_EXPRESSION_CHARACTERS: Final = 20_000
"""Characters of an expression; a whole distribution's have some thousands."""
MAX_USUAL_CHARACTERS: Final = 1_000
"""Characters up to which an expression is remembered: longer ones are rare, and strangers may send many."""
_MAX_DEPTH: Final = 50
_MAX_LICENSES: Final = 300
"""Different licences in one expression."""
_TOKEN = re.compile(r"[()]|[^\s()]+")
_ID = re.compile(r"(?:DocumentRef-[A-Za-z0-9.-]{1,100}:)?[A-Za-z0-9][A-Za-z0-9.-]{0,199}")
NOTHING: Final = frozenset({"", "none", "noassertion"})
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
class And:
    """`AND`: every part counts. At least two different ones, none of them an `And`."""

    parts: "tuple[Expression, ...]"

    def __str__(self) -> str:
        return " AND ".join(f"({part})" if isinstance(part, Or) else str(part) for part in self.parts)


@dataclass(frozen=True, slots=True)
class Or:
    """`OR`: one part is chosen. At least two different ones, none of them an `Or`."""

    parts: "tuple[Expression, ...]"

    def __str__(self) -> str:
        return " OR ".join(f"({part})" if isinstance(part, And) else str(part) for part in self.parts)


Expression = Atom | And | Or
"""Its text is as SPDX writes it; read again it is the same."""


def read(text: str | None) -> Expression | None:
    """The expression that is meant; None where nothing is (empty, NONE, NOASSERTION) or it cannot be read.

    Operators stand in any case. Deprecated ids are what they became, known names of licences are their ids
    (docs/reference/license-rules.md lists how); an id that nobody knows stays as it is written. `+` behind an id
    without later versions of its own on SPDX's list adds nothing: the version that is named may be chosen.
    """
    if text is None or len(text) > _MAX_EXPRESSION_CHARACTERS:
        return None
    return _kept(text) if len(text) <= MAX_USUAL_CHARACTERS else _understood(text)


def spelled(text: str | None) -> str | None:
    """The licence as people and programs are shown it: as SPDX spells it, as it was written where it cannot be read.

    None where nothing was stated.
    """
    found = read(text)
    return str(found) if found else (text or "").strip() or None


def _understood(text: str) -> Expression | None:
    text = text.strip().removeprefix(_TROVE).rpartition(" :: ")[2] if text.strip().startswith(_TROVE) else text.strip()
    if text.casefold() in NOTHING:
        return None
    found = _parsed(text, of_ids=True)
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


def all_of(parts: tuple[Expression, ...]) -> Expression:
    """Every one of them."""
    inner = (below for part in parts for below in (part.parts if isinstance(part, And) else (part,)))
    different = tuple(dict.fromkeys(inner))
    return different[0] if len(different) == 1 else And(different)


def any_of(parts: tuple[Expression, ...]) -> Expression:
    """One of them."""
    inner = (below for part in parts for below in (part.parts if isinstance(part, Or) else (part,)))
    different = tuple(dict.fromkeys(inner))
    return different[0] if len(different) == 1 else Or(different)


class _Unreadable(ExpressionError):  # type: ignore[misc]  # the library ships no types
    """It is no expression."""


_OPERATORS: Final = {"(": KW_LPAR, ")": KW_RPAR, "AND": KW_AND, "OR": KW_OR, "WITH": KW_WITH}
_SHORT: Final = {"W/": "WITH"}
_JOINTS: Final = frozenset({"(", "AND", "OR", "WITH"})
"""Behind one of these something has to begin: a name or a bracket."""


def _tokens(text: str) -> list[str]:
    """Operators in capitals; what stands between two is one name, its words with a space between."""
    tokens: list[str] = []
    words: list[str] = []
    found = _TOKEN.findall(text)
    for index, word in enumerate(found):
        capitals = word.upper()
        operator = _SHORT.get(capitals, capitals if capitals in _OPERATORS else "")
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


def _is_sound(tokens: list[str]) -> bool:
    """Whether brackets are few, and names and operators take turns.

    license-expression (30.4.4) takes `(MIT) Zlib OR ISC` and `MIT OR Zlib OR` for choices, an assertion alone stops `( OR MIT`,
    and its brackets nest without an end.
    """
    depth, before = 0, "("
    for one in tokens:
        depth += (one == "(") - (one == ")")
        begins = one == "(" or one not in _OPERATORS
        if depth > _MAX_DEPTH or begins is not (before in _JOINTS):
            return False
        before = one
    return before not in _JOINTS


class _ExpressionReader(Licensing):  # type: ignore[misc]  # as above
    """license-expression's reader, given our tokens; its symbols are what a name became: an id, a family, or both in a row.

    It stops at ids alone (most expressions hold nothing else, and this is much the fastest way), or takes whatever a licence
    is called.
    """

    def __init__(self, name_of: Callable[[str], str | None], exception_of: Callable[[str], str | None]) -> None:
        super().__init__(_symbols())
        self.name_of, self.exception_of = name_of, exception_of

    def simple_tokenizer(self, expression: str) -> Iterator[Token]:
        """Its own one splits at each space."""
        before = ""
        tokens = _tokens(expression)
        if not _is_sound(tokens):
            raise _Unreadable
        for place, token in enumerate(tokens):
            operator = _OPERATORS.get(token)
            yield Token(place, place, token, operator or self._symbol(token, is_exception=before == "WITH"))
            before = token

    def _symbol(self, name: str, *, is_exception: bool) -> LicenseSymbol:
        key = self.exception_of(name) if is_exception else self.name_of(name)
        if key is None:
            raise _Unreadable
        known = self.known_symbols.get(key)
        return known if known and known.is_exception is is_exception else LicenseSymbol(key, is_exception=is_exception)


@cache
def _symbols() -> tuple[LicenseSymbol, ...]:
    """Ours, not those that come with license-expression: SPDX's list of the pinned edition, and families of licences."""
    lists = spdx.lists()
    licenses = (one for one in [*lists.licenses, *aliases.FAMILIES] if one not in lists.exceptions)
    return (
        *(LicenseSymbol(one) for one in licenses),
        *(LicenseSymbol(one, is_exception=True) for one in lists.exceptions),
    )


@cache
def _reader(*, of_ids: bool) -> _ExpressionReader:
    if of_ids:
        return _ExpressionReader(lambda name: aliases.ids().get(name.casefold()), aliases.exception_of)
    return _ExpressionReader(
        _called, lambda name: aliases.exception_of(name) or (name if _ID.fullmatch(name) else None)
    )


def _parsed(text: str, *, of_ids: bool) -> Expression | None:
    """What it reads. It fails in ways that nobody promised (an AttributeError for `MIT/X11`): each of them is no expression."""
    try:
        found = _reader(of_ids=of_ids).parse(text, strict=True, simple=True)
        return None if found is None else _converted(found)
    except (ExpressionError, ParseError, AssertionError, AttributeError, LookupError, TypeError, ValueError):
        return None


def _converted(found: typing.Any) -> Expression:
    """The value; no deeper than the brackets are allowed to be."""
    if isinstance(found, LicenseWithExceptionSymbol):
        licensed = _value(found.license_symbol.key)
        if not isinstance(licensed, Atom) or licensed.exception is not None:
            raise _Unreadable
        return Atom(licensed.license, found.exception_symbol.key)
    if isinstance(found, LicenseSymbol):
        return _value(found.key)
    parts = tuple(_converted(one) for one in found.args)
    return all_of(parts) if isinstance(found, AND) else any_of(parts)


def _is_balanced(text: str) -> bool:
    """Whether the brackets of a name are: they are left out of it."""
    depth = 0
    for sign in text:
        depth += (sign == "(") - (sign == ")")
        if depth < 0:
            return False
    return depth == 0


def _called(name: str) -> str | None:
    """What a licence is by whatever it is called; an id that nobody knows is one, too."""
    return _meant(name) or (name if _ID.fullmatch(name.removesuffix("+")) else None)


def _meant(text: str) -> str | None:
    """The id, the family or the expression that a name of a licence stands for."""
    meant = aliases.license_of(text)
    if meant is None and text.endswith("+"):
        meant = aliases.license_of(text[:-1])
        if meant is not None and (" " in meant or meant in aliases.FAMILIES or meant.endswith(("-only", "-or-later"))):
            return None
    return meant


def _value(meant: str) -> Expression:
    """An id, or an expression of current ids, as the tables of names hold them."""
    return Atom(meant) if " " not in meant else _composed(meant)


@lru_cache(maxsize=256)
def _composed(meant: str) -> Expression:
    found = _reader(of_ids=True).parse(meant, strict=True, simple=True)
    return _converted(found)
