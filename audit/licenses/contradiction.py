"""Different licences that files state for one thing: nobody knows who is right, so all of them count, and a finding names them."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

from audit.facts import Finding, Learned, Place
from audit.licenses.aliases import FAMILIES
from audit.licenses.expression import NOTHING, All, Atom, Expression, all_of, read

_POINTS_ELSEWHERE: Final = "see license in "
"""How npm's metadata name a text instead of a licence."""
_UNREADABLE: Final = Atom("unreadable")
"""In the place of words that are no expression: an id that nobody knows."""
_MOST: Final = 10
"""Statements that a finding names."""
_SHOWN: Final = 100
"""Characters of a statement in a finding."""


def different(stated: Iterable[Learned]) -> list[Learned]:
    """The statements that mean different licences, each once, in the order of their words; what says nothing is left out.

    A family (`BSD`) and one of its members are no contradiction, nor are the name of a text and a licence: the latter say more.
    """
    by_meaning: dict[object, Learned] = {}
    for one in stated:
        words = (one.expression or "").strip()
        if words.casefold() not in NOTHING:
            expression = read(words)
            by_meaning.setdefault(_meaning(expression) if expression else words.casefold(), one)
    members = {family for family, known in FAMILIES.items() if not by_meaning.keys().isdisjoint(known)}
    kept = [one for meaning, one in by_meaning.items() if meaning not in members]
    stated = [one for one in kept if not (one.expression or "").lower().startswith(_POINTS_ELSEWHERE)] or kept
    return sorted(stated, key=lambda one: (one.expression or "", str(one.place)))


def _meaning(expression: Expression) -> object:
    """What is equal for expressions that differ in the order of their parts alone."""
    if isinstance(expression, Atom):
        return str(expression)
    return (isinstance(expression, All), frozenset(map(_meaning, expression.parts)))


def joined(stated: Sequence[Learned]) -> Learned:
    """All of these together, from where the first one stands: a use has to be right by each."""
    first = stated[0]
    if len(stated) == 1:
        return first
    place = Place(first.place.path, first.place.line, _sources(stated)) if first.place else None
    return replace(
        first, expression=str(all_of(tuple(read(one.expression) or _UNREADABLE for one in stated))), place=place
    )


def finding(name: str, stated: Sequence[Learned]) -> Finding:
    """That these differ, at the last of them."""
    places = [one.place for one in stated if one.place]
    return Finding(
        "license/contradiction",
        replace(places[-1], said="") if places else Place("."),
        f"{name}: {_sources(stated)}. All of them count.",
    )


def _sources(stated: Sequence[Learned]) -> str:
    """Who says what."""
    return ", ".join(
        f"{replace(one.place, said='') if one.place else one.source} says {(one.expression or '')[:_SHOWN]}"
        for one in stated[:_MOST]
    )
