"""A work whose own licence is not known: one finding says so, and what it uses is judged by every licence that the work could have."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Final

from audit.facts import (
    OWN_UNKNOWN,
    UNDECIDED,
    Cell,
    Delivery,
    Dependency,
    Finding,
    Judgement,
    Learned,
    LicenseVerdict,
    Place,
    Repository,
    Source,
    Usage,
)
from audit.licenses import strength
from audit.licenses.aliases import FAMILIES
from audit.licenses.expression import And, Atom, atoms, read
from audit.licenses.osadl import Matrix
from audit.rules.expression_compatibility import judge
from audit.scan.own_license_finding import is_empty

ANY: Final = "outbound/any"
CONFLICT: Final = "outbound/conflict"
_MAX_NAMED: Final = 5  # Licences that a message names.

Ask = Callable[[str], Judgement]
"""Judges one use in a work under that licence."""


def possible(own: Learned, data: Matrix) -> tuple[str, ...]:
    """The licences that the work could have, where it is not known which it is; none where it is known.

    Nothing known: all of OSADL's matrix. A family's name: its members. Texts of licences that cannot be merged either way: each.
    """
    found = _possible(own.expression, data)
    if found or own.source is not Source.LICENSE_TEXT:  # An `AND` that is stated is meant.
        return found
    expression = read(own.expression)
    parts = expression.parts if isinstance(expression, And) else ()
    # Texts that cannot be merged either way are of different parts, and nothing says which.
    apart = any(_are_apart(str(part), str(other), data) for at, part in enumerate(parts) for other in parts[at + 1 :])
    return tuple(map(str, parts)) if apart else ()


@lru_cache(maxsize=4_096)
def _possible(expression: str | None, data: Matrix) -> tuple[str, ...]:
    whole = read(expression)
    if whole is None:
        return tuple(data.names)
    members = [FAMILIES[atom.license] for atom in atoms(whole) if atom.license in FAMILIES]
    unknown = [atom for atom in atoms(whole) if not _is_known(atom)]
    if not members and not unknown:
        return ()
    # Licences that are known count beside each that the rest may be.
    rest = [str(atom) for atom in atoms(whole) if atom not in unknown and atom.license not in FAMILIES]
    names = members[0] if len(members) == 1 and not unknown else tuple(data.names)
    return tuple(" AND ".join([*rest, name]) for name in names)


def _is_known(atom: Atom) -> bool:
    # A reference (`LicenseRef-`) names one licence, if none of SPDX's list.
    if atom.license in FAMILIES or "LicenseRef-" in atom.license or strength.is_closed(atom.license):
        return True
    return strength.is_known(atom.license)


def _are_apart(part: str, other: str, data: Matrix) -> bool:
    return all(
        judge(out, into, Usage.SOURCE_MERGED, Delivery.BINARY, data).verdict is LicenseVerdict.INCOMPATIBLE
        for out, into in ((part, other), (other, part))
    )


def weighed(inbound: str | None, licenses: Iterable[str], ask: Ask) -> Judgement:
    """The judgement that holds whichever of these licences the work has; else that it depends on which it is."""
    found = [ask(name) for name in licenses]
    best, worst = (of(found, key=lambda judgement: judgement.verdict.rank) for of in (min, max))
    # Rules that do not look at the work's licence (tools, unknown licences) give one answer.
    if all(judgement.rule == best.rule and judgement.reason == best.reason for judgement in found):
        return best
    if worst.verdict.rank <= LicenseVerdict.OBLIGATIONS.rank:
        duty = "keep its notices" if worst.verdict is LicenseVerdict.COMPATIBLE else "follow its terms for its own part"
        reason = f"{inbound} allows this use whichever of the known licences the work has; {duty}"
        return replace(worst, rule=ANY, branch=None, reason=reason)
    if best.verdict.rank >= LicenseVerdict.UNKNOWN_LICENSE.rank:
        reason = f"{inbound} does not allow this use under any of the known licences that the work could have"
        return replace(best, branch=None, reason=reason)
    reason = f"whether {inbound} allows this use depends on the licence of the work, which is not known"
    return replace(worst, verdict=LicenseVerdict.REVIEW, rule=UNDECIDED, basis="none", branch=None, reason=reason)


def without_conflicts(
    cells: Sequence[Cell], licenses: Sequence[str], judged: Callable[[Dependency, str, str | None], Judgement]
) -> list[Cell]:
    """The cells; where no licence fits all uses, those that refuse the licence which fits most are incompatible."""
    # Only a use that depends on the own licence can be in a conflict, and a waived one is accepted as it is.
    open_ones = [cell for cell in cells if cell.judgement.rule == UNDECIDED and cell.waiver is None]
    classes: dict[tuple[str | None, Usage], list[Cell]] = {}
    for cell in open_ones:
        classes.setdefault((cell.dependency.license.expression, cell.dependency.usage), []).append(cell)
    # What an exception of the work lets be linked with it is still linked with each other.
    licenses = [name for name in licenses if " WITH " not in name] or licenses
    refused: dict[str, set[tuple[str | None, Usage]]] = {name: set() for name in licenses}
    for name in licenses:
        for key, some in classes.items():
            used = some[0].dependency
            found = judged(used, name, used.license.expression)
            # A licence that has to be given up for another is looked at as that other.
            if found.verdict is LicenseVerdict.INCOMPATIBLE or found.rule == "copyleft/upgrade":
                refused[name].add(key)
    if not classes or not all(refused.values()):  # Some licence allows them all.
        return list(cells)
    # The fewest uses are to blame.
    fits_most = min(licenses, key=lambda name: sum(len(classes[key]) for key in refused[name]))
    changed = {}
    for key in refused[fits_most]:
        # A use with which no licence allows this one: the reason names the pair.
        others = (other for other in classes if other != key and all({key, other} & refused[name] for name in licenses))
        other = next(others, None)
        for cell in classes[key]:
            changed[id(cell)] = _in_conflict(cell, classes[other][0] if other else None)
    return [changed.get(id(cell), cell) for cell in cells]


def _in_conflict(cell: Cell, other: Cell | None) -> Cell:
    said = "all else that it uses"
    if other is not None:
        said = f"{other.dependency.name} ({other.dependency.license.expression})"
    reason = f"there is no licence for the work that allows this use of {cell.dependency.license.expression} and that of {said}"
    found = replace(cell.judgement, verdict=LicenseVerdict.INCOMPATIBLE, rule=CONFLICT, basis="osadl", reason=reason)
    return replace(cell, judgement=found)


def settled(repository: Repository, licenses: Sequence[str]) -> tuple[Finding, ...]:
    """The repository's findings with one that its licence is not known, if it is not; the scan's own says more, and is kept."""
    others = tuple(finding for finding in repository.findings if finding.code != OWN_UNKNOWN)
    if not licenses or is_empty(repository):
        return others
    if len(others) < len(repository.findings) and repository.license.source is not Source.RULEBOOK:
        return repository.findings
    place = repository.license.place or Place(".")
    said = f"the licence of the work itself is not known: {_why(repository.license, licenses)}"
    return (Finding(OWN_UNKNOWN, Place(place.path, place.line), said), *others)


def _why(own: Learned, licenses: Sequence[str]) -> str:
    whole = read(own.expression)
    if whole is None:
        return (
            f"the text of {own.place.path} was not recognised" if own.place else "nothing states one that can be read"
        )
    if own.source is Source.LICENSE_TEXT and isinstance(whole, And):
        return f"its licence files are those of {' and '.join(licenses[:_MAX_NAMED])}, which cannot be merged, and nothing says which part is under which"
    unknown = [str(atom) for atom in atoms(whole) if not _is_known(atom)]
    if unknown:
        return f"{own.expression} is stated, and {' and '.join(unknown[:_MAX_NAMED])} is no licence that is known"
    more = " and others" if len(licenses) > _MAX_NAMED else ""
    return f"{own.expression} is stated, which may be {', '.join(licenses[:_MAX_NAMED])}{more}"
