"""Two nights compared: what is judged otherwise than before, and which one thing brought it about."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from audit.ecosystems import purls
from audit.facts import OWN_UNKNOWN, UNDECIDED, UNKNOWN_TERMS_RULE, ChangeCause, LicenseVerdict
from audit.licenses.expression import spelled
from audit.output.json_reports import SCHEMA_VERSION
from audit.verdict import unknown_license
from audit.verdict.pairing import pairs
from audit.verdict.unknown_license import same_rule

_OWN_NAME: Final = "its own licence"  # In the place of a dependency's name; none is called so.
# Rules of uses that were judged without the own licence; the second one is of older releases.
_OWN_RULES: Final = frozenset({UNDECIDED, "outbound/family", "outbound/any"})
# Those of them by which a use cannot be judged: no use is a violation by them.
_WAITING: Final = frozenset({UNDECIDED, "outbound/family"})


# A tuple is made in a third of the time, and there are hundreds of thousands.
class CellSnapshot(NamedTuple):
    """One cell as one night saw it; `own` is the licence of the repository, `fails` is as the rulebook had it then."""

    name: str
    license: str
    verdict: LicenseVerdict
    rule: str
    reason: str
    fails: bool
    own: str
    delivery: str
    version: str = ""
    purl: str = ""
    usage: str = ""
    component: str = ""
    data_version: str = ""
    waived: bool = False

    @property
    def violates(self) -> bool:
        """True if it fails, and not only because its licence was not looked up."""
        return self.fails and self.rule not in unknown_license.NOT_LOOKED_UP


@dataclass(frozen=True, slots=True)
class RepositoryChange:
    """A change in a `repository`: `before` (None: it is new), `after` (None: it is gone), and the `cause`."""

    repository: str
    before: CellSnapshot | None
    after: CellSnapshot | None
    cause: ChangeCause

    @property
    def name(self) -> str:
        """The dependency's name."""
        cell = self.after or self.before
        return cell.name if cell else ""

    @property
    def is_of_own_license(self) -> bool:
        """True if it is about the repository's own licence, and no dependency."""
        return self.name == _OWN_NAME

    @property
    def is_new_violation(self) -> bool:
        """True if it fails, and did not before."""
        return bool(self.after and self.after.violates and not (self.before and self.before.violates))

    @property
    def is_mended(self) -> bool:
        """True if it failed, and does not any more."""
        return bool(self.before and self.before.violates and not (self.after and self.after.fails))


class ReportUnreadable(ValueError):
    """This is no report.json of a version that is understood; the text says why, in one clause."""


def changes(before: Mapping[str, Any], after: Mapping[str, Any]) -> tuple[RepositoryChange, ...]:
    """All that changed between two report.json, parsed: new violations first, then what got worse, what is new, what got better.

    Raises ReportUnreadable.
    """
    old, new = _night(before), _night(after)
    found = [
        change
        for name in sorted(old.keys() | new.keys())
        for change in _of_one(name, old.get(name, {}), new.get(name, {}))
    ]
    return tuple(sorted(found, key=_importance))


def _night(report: Mapping[str, Any]) -> dict[str, dict[str, list[CellSnapshot]]]:
    if report.get("schema") != SCHEMA_VERSION:
        raise ReportUnreadable(f"its schema is {str(report.get('schema'))[:20]}, not {SCHEMA_VERSION}")
    try:
        judged, fail_on = report["judgements"], frozenset(report["fail_on"])
        return {repository["name"]: _cells(repository, judged, fail_on) for repository in report["repositories"]}
    # A file of any content may be given.
    except (KeyError, IndexError, TypeError, ValueError, AttributeError) as error:
        raise ReportUnreadable(
            f"it is not as Countersign writes it: {type(error).__name__} {str(error)[:80]}"
        ) from None


def _cells(
    repository: Mapping[str, Any], judgements: Sequence[Mapping[str, Any]], fail_on: frozenset[str]
) -> dict[str, list[CellSnapshot]]:
    found: dict[str, list[CellSnapshot]] = {}
    for cell in repository["cells"]:
        judged = judgements[cell["judgement"]]
        waived = bool(cell.get("waived"))
        counting = {judged["verdict"]}
        # As `Judgement.counts_as` has it.
        if judged["rule"] == UNKNOWN_TERMS_RULE:
            counting.add(LicenseVerdict.UNKNOWN_LICENSE.value)
        seen = CellSnapshot(
            name=cell["name"],
            version=cell["version"] or "",
            purl=cell["purl"] or "",
            usage=cell["usage"],
            license=spelled(cell["license"]) or "",
            component=cell.get("component") or "",
            verdict=LicenseVerdict(judged["verdict"]),
            rule=judged["rule"],
            reason=judged["reason"],
            data_version=judged["data_version"],
            waived=waived,
            fails=not waived and judged["rule"] not in _WAITING and not counting.isdisjoint(fail_on),
            own=spelled(repository["license"]) or "",
            delivery=repository["delivery"],
        )
        found.setdefault(purls.without_version(seen.purl) or seen.name, []).append(seen)
    own = _own_license(repository, found, fail_on)
    return {**found, **({own.name: [own]} if own else {})}


def _own_license(
    repository: Mapping[str, Any], cells: Mapping[str, Sequence[CellSnapshot]], fail_on: frozenset[str]
) -> CellSnapshot | None:
    """The own licence that is not known, as a cell of its own, where that is a violation."""
    # In a report of an older release each use that waits for it says so, and there is no finding.
    waiting = [each for some in cells.values() for each in some if not each.waived and each.rule in _WAITING]
    said = next((found["message"] for found in repository["findings"] if found["code"] == OWN_UNKNOWN), "")
    used = [each for some in cells.values() for each in some if not each.waived and each.verdict.rank]
    if not (waiting or (said and used)) or LicenseVerdict.UNKNOWN_LICENSE not in fail_on:
        return None
    return CellSnapshot(
        name=_OWN_NAME,
        license=spelled(repository["license"]) or "",
        verdict=LicenseVerdict.UNKNOWN_LICENSE,
        rule=UNDECIDED,
        reason=said or waiting[0].reason,
        fails=True,
        own=spelled(repository["license"]) or "",
        delivery=repository["delivery"],
    )


def _of_one(
    repository: str, old: dict[str, list[CellSnapshot]], new: dict[str, list[CellSnapshot]]
) -> Iterator[RepositoryChange]:
    if old == new:
        return  # Most repositories on most nights.
    for key in sorted(old.keys() | new.keys()):
        for before, after in pairs(old.get(key, []), new.get(key, [])):
            if _waits(before, after):
                continue  # The own licence became known, or is no longer: that is told once.
            if before is None or after is None or _outcome(before) != _outcome(after):
                yield RepositoryChange(repository, before, after, _cause(before, after))


def _waits(before: CellSnapshot | None, after: CellSnapshot | None) -> bool:
    if before is None or after is None or before.fails or after.fails:
        return False
    return {before.rule, after.rule} & _OWN_RULES != set() and _same_use(before) == _same_use(after)


def _same_use(cell: CellSnapshot) -> tuple[str, ...]:
    return cell.version, cell.license, cell.usage, cell.component


def _outcome(cell: CellSnapshot) -> tuple[object, ...]:
    # Another text of the same rule is not worth telling.
    return cell.verdict, cell.fails, cell.waived, same_rule(cell.rule), cell.version, cell.license, cell.usage


# From what is nearest to the dependency to what is farthest.
_CAUSES: Final[tuple[tuple[ChangeCause, Callable[[CellSnapshot], object]], ...]] = (
    (ChangeCause.LICENSE, lambda cell: cell.license),  # Also where a new version is what brought it.
    (ChangeCause.DEPENDENCY, lambda cell: (cell.version, cell.purl)),
    (ChangeCause.LICENSE, lambda cell: (cell.own, cell.component)),
    (ChangeCause.USAGE, lambda cell: (cell.usage, cell.delivery)),
    (ChangeCause.WAIVER, lambda cell: cell.waived),
    (ChangeCause.DATA, lambda cell: cell.data_version),
)


def _cause(before: CellSnapshot | None, after: CellSnapshot | None) -> ChangeCause:
    if before is None or after is None:
        return ChangeCause.DEPENDENCY
    return next((cause for cause, of in _CAUSES if of(before) != of(after)), ChangeCause.RULE)


def _importance(change: RepositoryChange) -> tuple[int, int, str, str, str]:
    worse = (change.after.verdict.rank if change.after else 0) - (change.before.verdict.rank if change.before else 0)
    if change.is_new_violation:
        kind = 0
    elif change.before and change.after and worse > 0:
        kind = 1
    elif change.is_mended:
        kind = 2
    else:
        kind = 3 if change.before is None else 4 if change.after else 5
    cell = change.after or change.before
    return kind, -worse, change.repository, change.name, cell.version if cell else ""
