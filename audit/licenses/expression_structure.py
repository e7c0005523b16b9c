"""The structure of an SPDX licence expression, as license-expression reads it: operators, brackets and exceptions.

It stands by itself so that the library is loaded only for what is more than one id.
"""

import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, Final, NamedTuple

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

_MAX_DEPTH: Final = 50  # Brackets within brackets: their tree is walked by recursion.
_TOKEN = re.compile(r"[()]|[^\s()]+")
_LATER: Final = frozenset({"later", "newer", "any", "above"})  # Behind `or`, these are part of a name.


class Joined(NamedTuple):
    """The `parts` behind an `operator`: `AND`, `OR`, or `WITH`, whose two are a licence and the exception to it."""

    operator: str
    parts: "tuple[Structure, ...]"


Structure = str | Joined
"""A text is what a name became: an id, a family, or an expression of such."""


class _Unreadable(ExpressionError):  # type: ignore[misc]  # the library ships no types
    """The text is no expression."""


_OPERATORS: Final = {"(": KW_LPAR, ")": KW_RPAR, "AND": KW_AND, "OR": KW_OR, "WITH": KW_WITH}
_SHORT: Final = {"W/": "WITH"}  # `GPL-2.0-only w/ Classpath-exception-2.0`.
# Behind one of these something has to begin: a name or a bracket.
_JOINTS: Final = frozenset({"(", "AND", "OR", "WITH"})


def _tokens(text: str) -> list[str]:
    """Operators in capitals; what stands between two is one name, its words with a space between."""
    tokens: list[str] = []
    words: list[str] = []
    found = _TOKEN.findall(text)
    for index, word in enumerate(found):
        capitals = word.upper()
        operator = _SHORT.get(capitals, capitals if capitals in _OPERATORS else "")
        if operator == "OR" and index + 1 < len(found) and found[index + 1].casefold() in _LATER:
            operator = ""  # `GPL 2 or later`: part of the name.
        if not operator:
            words.append(word)
            continue
        if words:
            tokens.append(" ".join(words))
            words = []
        tokens.append(operator)
    return [*tokens, " ".join(words)] if words else tokens


def _is_sound(tokens: list[str]) -> bool:
    # license-expression 30.4.4 takes `(MIT) Zlib OR ISC` and `MIT OR Zlib OR` for choices, an assertion alone stops
    # `( OR MIT`, and its brackets nest without an end.
    depth, before = 0, "("
    for symbol in tokens:
        depth += (symbol == "(") - (symbol == ")")
        begins = symbol == "(" or symbol not in _OPERATORS
        if depth > _MAX_DEPTH or begins is not (before in _JOINTS):
            return False
        before = symbol
    return before not in _JOINTS


class ExpressionReader(Licensing):  # type: ignore[misc]  # the library ships no types
    """license-expression's reader, given our tokens; its symbols are what a name became: an id, a family, or both in a row.

    It stops at ids alone (most expressions hold nothing else, and this is much the fastest way), or takes all that a licence
    is called.
    """

    def __init__(self, name_of: Callable[[str], str | None], exception_of: Callable[[str], str | None]) -> None:
        super().__init__(_symbols())
        self.name_of, self.exception_of = name_of, exception_of

    def structure(self, text: str) -> Structure | None:
        """The structure of an expression; None for a text that is none."""
        try:
            found = self.parse(text, strict=True, simple=True)
            return None if found is None else _structure(found)
        # The library fails in ways that it does not document (an AttributeError for `MIT/X11`).
        except (ExpressionError, ParseError, AssertionError, AttributeError, LookupError, TypeError, ValueError):
            return None

    def simple_tokenizer(self, expression: str) -> Iterator[Token]:
        """Gives our tokens to the library: its own tokenizer splits names at each space."""
        before = ""
        tokens = _tokens(expression)
        if not _is_sound(tokens):
            raise _Unreadable
        for place, token in enumerate(tokens):
            value = _OPERATORS.get(token)
            if value is None:
                is_exception = before == "WITH"
                key = self.exception_of(token) if is_exception else self.name_of(token)
                if key is None:
                    raise _Unreadable
                known = self.known_symbols.get(key)
                # An id of the other kind stays as it is written (`MIT WITH MIT`), and never passes.
                is_such = known and known.is_exception is is_exception
                value = known if is_such else LicenseSymbol(key, is_exception=is_exception)
            yield Token(place, place, token, value)
            before = token


@cache
def _symbols() -> tuple[LicenseSymbol, ...]:
    # Ours, not those that come with license-expression, which lack some licences of our list.
    lists = spdx.lists()
    licenses = (license_id for license_id in [*lists.licenses, *aliases.FAMILIES] if license_id not in lists.exceptions)
    return (
        *(LicenseSymbol(license_id) for license_id in licenses),
        *(LicenseSymbol(exception, is_exception=True) for exception in lists.exceptions),
    )


def _structure(found: Any) -> Structure:
    # Recursive without harm: `_is_sound` bounds the depth of brackets.
    if isinstance(found, LicenseWithExceptionSymbol):
        return Joined("WITH", (found.license_symbol.key, found.exception_symbol.key))
    if isinstance(found, LicenseSymbol):
        return str(found.key)
    return Joined("AND" if isinstance(found, AND) else "OR", tuple(_structure(part) for part in found.args))
