"""Different licences that files state for one thing: it is not known which file is right, so a finding names them, and for a dependency all count."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from audit.facts import Dependency, Finding, Learned, Place, Source
from audit.licenses.aliases import FAMILIES
from audit.licenses.expression import NOTHING, Atom, Expression, Or, all_of, atoms, read

# Words that name a text, or nothing, instead of a licence.
_POINTS_ELSEWHERE: Final = re.compile(
    r"(?:see\b|file:).*|(?:licen[cs]e|copying)(?:\.\w{1,5})?|other/proprietary license", re.IGNORECASE | re.DOTALL
)
_UNREADABLE: Final = Atom("unreadable")  # In the place of words that are no expression: an id that is not known.
_MAX_STATEMENTS: Final = 10  # Statements that a finding names.
_MAX_STATEMENT_CHARACTERS: Final = 100  # Characters of a statement in a finding.


def key(dependency: Dependency) -> str:
    """A package in its version, independent of what uses it."""
    return dependency.purl or f"{dependency.name} {dependency.version or ''}"


def different(stated: Iterable[Learned]) -> list[Learned]:
    """The statements that mean different licences, each once, by their words; what says nothing is left out."""
    meanings: dict[object, tuple[Expression | None, Learned]] = {}
    for expression, statement in sorted(((read(statement.expression), statement) for statement in stated), key=_order):
        words = (statement.expression or "").strip().casefold()
        if words not in NOTHING:
            # The same ids joined by `AND` and `OR` mean the same: SBOMs and registries list them without a word
            # between.
            meanings.setdefault(frozenset(atoms(expression)) if expression else words, (expression, statement))
    ids = {str(expression) for expression, _ in meanings.values() if isinstance(expression, Atom)}
    # A family (`BSD`) and one of its members, a choice and one of its licences do not contradict each other.
    kept = [statement for expression, statement in meanings.values() if not _says_less(expression, ids)]
    # Beside a licence, the name of a text says nothing.
    named = [
        statement for statement in kept if not _POINTS_ELSEWHERE.fullmatch((statement.expression or "").strip())
    ] or kept
    return sorted(named, key=lambda statement: (statement.expression or "", str(statement.place)))


def _order(said: tuple[Expression | None, Learned]) -> tuple[bool, bool, str, str]:
    # Of the same ids, a file is believed before an SBOM, and all are believed before a choice.
    expression, statement = said
    return statement.source is Source.SBOM, isinstance(expression, Or), statement.expression or "", str(statement.place)


def _says_less(expression: Expression | None, ids: set[str]) -> bool:
    if isinstance(expression, Or):
        return any(str(part) in ids for part in expression.parts)
    return isinstance(expression, Atom) and not ids.isdisjoint(FAMILIES.get(str(expression), ()))


def settle(
    dependencies: Iterable[Dependency], statements: Mapping[str, Sequence[Learned]]
) -> tuple[list[Dependency], list[Finding]]:
    """The dependencies, each package under all of the licences that files state for it (`statements`, by `key`)."""
    differing = {name: found for name, each in statements.items() if len(found := different(each)) > 1}
    together = {name: joined(each) for name, each in differing.items()}
    settled = [
        replace(dependency, license=together[key(dependency)]) if key(dependency) in together else dependency
        for dependency in dependencies
    ]
    counts = "all of them count, unless the rulebook says which"
    return settled, [finding(name, each, counts) for name, each in sorted(differing.items())]


def joined(stated: Sequence[Learned]) -> Learned:
    """All of these together, at the place of the first one: a use has to be right by each."""
    first = stated[0]
    place = Place(first.place.path, first.place.line, _sources(stated)) if first.place else None
    parts = tuple(read(statement.expression) or _UNREADABLE for statement in stated)
    return replace(first, expression=str(all_of(parts)), place=place)


def finding(name: str, stated: Sequence[Learned], counts: str) -> Finding:
    """The finding that these differ, at the last of them, and what `counts`."""
    places = [statement.place for statement in stated if statement.place]
    place = replace(places[-1], said="") if places else Place(".")
    return Finding("license/contradiction", place, f"{name}: {_sources(stated)}; {counts}")


def _sources(stated: Sequence[Learned]) -> str:
    # Without lines: they move, and the finding stays the same.
    return ", ".join(
        f"{statement.place.path if statement.place else statement.source} says "
        f"{(statement.expression or '')[:_MAX_STATEMENT_CHARACTERS]}"
        for statement in stated[:_MAX_STATEMENTS]
    )
