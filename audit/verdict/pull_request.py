"""A change that a pull request proposes: what it adds, what gets worse by it, and what was there before and is not its doing."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from audit.ecosystems import purls
from audit.facts import (
    OWN_UNKNOWN,
    UNDECIDED,
    Cell,
    ChangeCause,
    Finding,
    LicenseVerdict,
    RepositoryAudit,
    Source,
)
from audit.licenses.expression import read, spelled
from audit.verdict.pairing import pairs
from audit.verdict.policy import Policy
from audit.verdict.unknown_license import same_rule
from audit.verdict.unreadable_input import (
    ALL_READ,
    TRUNCATED,
    WHOLE_FILE,
    NotRead,
    is_not_read,
    is_unreadable,
    not_read,
)


class LicenseConclusion(StrEnum):
    """The conclusion for the change, worst first."""

    FAILURE = "failure"
    """It brings a violation."""
    ACTION_REQUIRED = "action_required"
    """It could not be judged: never a pass."""
    SUCCESS = "success"
    """It brings none."""


class ChangeKind(StrEnum):
    """The effect of the change on one use of a dependency."""

    ADDED = "added"
    WORSE = "worse"
    CHANGED = "changed"
    STANDING = "standing"
    """It fails, and did so before in the same way."""
    BETTER = "better"
    GONE = "gone"


class Severity(StrEnum):
    """The consequence of a finding that the change brings."""

    FAILS = "fails"
    DOUBT = "doubt"
    """Something was not read: it is not known what stands there."""
    TOLD = "told"


@dataclass(frozen=True, slots=True)
class UsageChange:
    """One use `before` (None: new) and `after` (None: gone): the `kind`, the `cause`, and if the change `fails`."""

    kind: ChangeKind
    before: Cell | None
    after: Cell | None
    cause: ChangeCause
    fails: bool = False


@dataclass(frozen=True, slots=True)
class WeighedFinding:
    """A `finding` and its `weight`."""

    finding: Finding
    weight: Severity


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeVerdict:
    """The `conclusion` for a change; what it is to blame for comes first in `moves` and in `findings`.

    `unchanged` counts the uses that stay the same and are fine. `own` is the repository's licence before and after, as
    it was written; `not_read` is how much of it, after the change, is of kinds that are not read.
    """

    conclusion: LicenseConclusion
    moves: tuple[UsageChange, ...] = ()
    findings: tuple[WeighedFinding, ...] = ()
    own: tuple[str | None, str | None] = (None, None)
    unchanged: int = 0
    not_read: NotRead = ALL_READ

    def of(self, *kinds: ChangeKind) -> tuple[UsageChange, ...]:
        """The moves of these kinds, in their order."""
        return tuple(move for move in self.moves if move.kind in kinds)

    @property
    def is_compatible(self) -> bool:
        """Whether all that it brings is known to be compatible; what passes may be waived, or left for a person to read."""
        brought = [move.after for move in self.of(ChangeKind.ADDED, ChangeKind.WORSE, ChangeKind.CHANGED) if move.after]
        return all(cell.judgement.verdict.rank < LicenseVerdict.REVIEW.rank for cell in brought) and not any(
            finding.finding.code in _OPEN or is_not_read(finding.finding) for finding in self.findings
        )


_ORDER: Final = tuple(ChangeKind)  # The class lists them by importance.
# Findings of licences that no verdict has considered.
_OPEN: Final = frozenset(
    {"license/altered", "license/mismatch", "license/nested", "license/source", "license/weights-unstated", OWN_UNKNOWN}
)


def proposed(
    base: RepositoryAudit, head: RepositoryAudit, policy: Policy, touched: frozenset[str] | None = None
) -> ChangeVerdict:
    """The change from `base` to `head`, both judged by that policy on the same day with the same data.

    `touched` are the paths that it adds or changes (None: any may be).
    """
    found = tuple(_moves(base, head, policy))
    noted = tuple(_noted(base, head, policy, touched))
    in_doubt = any(finding.weight is Severity.DOUBT for finding in noted)
    # A file that could not be read may state the own licence: no use is blamed for the lack of it.
    findings = (*_own_license(base, head, policy, () if in_doubt else found), *noted)
    # While something could not be read, it may be what names a licence that is unknown now.
    seen = [move for move in found if move is not None]
    for at, move in enumerate(seen if in_doubt else ()):
        if move.after and move.after.judgement.counts_as is LicenseVerdict.UNKNOWN_LICENSE:
            seen[at] = replace(move, fails=False)
    moves = tuple(sorted(seen, key=_importance))
    return ChangeVerdict(
        conclusion=_conclusion(moves, findings),
        moves=moves,
        findings=findings,
        own=(spelled(base.repository.license.expression), spelled(head.repository.license.expression)),
        unchanged=len(found) - len(moves),
        not_read=not_read(head.findings),
    )


def worst(conclusions: Iterable[LicenseConclusion]) -> LicenseConclusion:
    """The worst of these conclusions; without any, nothing could be judged."""
    order = tuple(LicenseConclusion)
    return min(conclusions, key=order.index, default=LicenseConclusion.ACTION_REQUIRED)


def _conclusion(moves: tuple[UsageChange, ...], findings: tuple[WeighedFinding, ...]) -> LicenseConclusion:
    weights = {finding.weight for finding in findings}
    if Severity.FAILS in weights or any(move.fails for move in moves):  # A violation counts before doubt.
        return LicenseConclusion.FAILURE
    return LicenseConclusion.ACTION_REQUIRED if Severity.DOUBT in weights else LicenseConclusion.SUCCESS


@dataclass(frozen=True, slots=True)
class _PairedCell:
    """A `cell`, whether it `fails`, and what pairs it: `version`, `usage`, `component`, `license` (as in SPDX)."""

    cell: Cell
    fails: bool
    license: str
    version: str
    usage: str
    component: str

    @property
    def rank(self) -> int:
        return self.cell.judgement.verdict.rank

    @property
    def outcome(self) -> tuple[object, ...]:
        judged = self.cell.judgement
        rule = same_rule(judged.rule)  # A registry that did not answer is no change.
        return self.version, self.usage, self.license, judged.verdict, rule, self.fails, bool(self.cell.waiver)


def _uses(audited: RepositoryAudit, policy: Policy) -> dict[str, list[_PairedCell]]:
    found: dict[str, list[_PairedCell]] = {}
    for cell in audited.cells:
        dependency = cell.dependency
        said = read(dependency.license.expression)
        use = _PairedCell(
            cell,
            cell.fails(policy.fail_on),
            str(said or ""),
            dependency.version or "",
            dependency.usage,
            dependency.component or "",
        )
        found.setdefault(purls.without_version(dependency.purl) or dependency.name, []).append(use)
    return found


def _moves(base: RepositoryAudit, head: RepositoryAudit, policy: Policy) -> Iterator[UsageChange | None]:
    """Every use before and after; None for one that stays as it was and does not fail."""
    old, new = _uses(base, policy), _uses(head, policy)
    is_other = read(base.repository.license.expression) != read(head.repository.license.expression)
    for name in sorted(old.keys() | new.keys()):
        for before, after in pairs(old.get(name, []), new.get(name, [])):
            yield _move(before, after, own=is_other)


def _move(before: _PairedCell | None, after: _PairedCell | None, *, own: bool) -> UsageChange | None:
    if after is None:
        return None if before is None else UsageChange(ChangeKind.GONE, before.cell, None, ChangeCause.DEPENDENCY)
    if before is None:
        return UsageChange(ChangeKind.ADDED, None, after.cell, ChangeCause.DEPENDENCY, after.fails)
    if before.outcome == after.outcome:
        return UsageChange(ChangeKind.STANDING, before.cell, after.cell, ChangeCause.RULE) if after.fails else None
    kind = _kind(before, after)
    return UsageChange(
        kind, before.cell, after.cell, _cause(before, after, own=own), kind is ChangeKind.WORSE and after.fails
    )


def _kind(before: _PairedCell, after: _PairedCell) -> ChangeKind:
    if after.rank > before.rank or (after.fails and not before.fails):
        return ChangeKind.WORSE
    # Another licence that does not fit either is another violation, not the old one.
    if after.fails and after.rank == before.rank and after.license != before.license:
        return ChangeKind.WORSE
    if after.rank < before.rank or (before.fails and not after.fails):
        return ChangeKind.BETTER
    return ChangeKind.STANDING if after.fails else ChangeKind.CHANGED


def _cause(before: _PairedCell, after: _PairedCell, *, own: bool) -> ChangeCause:
    """The first that fits, from what is nearest to the dependency to what is farthest."""
    if before.license != after.license:
        return ChangeCause.LICENSE
    if before.version != after.version:
        return ChangeCause.DEPENDENCY
    if before.usage != after.usage:
        return ChangeCause.USAGE
    if own or before.component != after.component:
        return ChangeCause.LICENSE
    return ChangeCause.WAIVER if bool(before.cell.waiver) != bool(after.cell.waiver) else ChangeCause.RULE


def _importance(move: UsageChange) -> tuple[bool, int, int, str, str]:
    cell = move.after or move.before
    assert cell is not None
    dependency = cell.dependency
    return (
        not move.fails,
        _ORDER.index(move.kind),
        -cell.judgement.verdict.rank,
        dependency.name.casefold(),
        dependency.version or "",
    )


def _own_license(
    base: RepositoryAudit, head: RepositoryAudit, policy: Policy, moves: Sequence[UsageChange | None]
) -> Iterator[WeighedFinding]:
    """The finding that the work's own licence is not known: one, however many uses of the change wait for it."""
    failing = head.own_license_violation(policy.fail_on)
    # A violation that the base has already is not the change's doing, unless it adds a use that waits.
    is_new = base.own_license_violation(policy.fail_on) is None and any(moves)
    if failing is not None and (is_new or any(map(_waits, moves))):
        yield WeighedFinding(failing, Severity.FAILS)
        return
    known = {_finding_key(finding) for finding in base.findings}
    yield from (
        WeighedFinding(finding, Severity.TOLD)
        for finding in head.findings
        if finding.code == OWN_UNKNOWN and _finding_key(finding) not in known
    )


def _waits(move: UsageChange | None) -> bool:
    if move is None or move.after is None or move.after.waiver or move.after.judgement.rule != UNDECIDED:
        return False
    return move.kind in {ChangeKind.ADDED, ChangeKind.WORSE, ChangeKind.CHANGED}


def _noted(
    base: RepositoryAudit, head: RepositoryAudit, policy: Policy, touched: frozenset[str] | None
) -> Iterator[WeighedFinding]:
    """Findings that are new, and those that leave open what the change does."""
    before = Counter(map(_finding_key, base.findings))  # Equal findings are counted.
    for finding in head.findings:
        if finding.code == OWN_UNKNOWN:
            continue  # `_own_license` tells it.
        before[_finding_key(finding)] -= 1
        is_new = before[_finding_key(finding)] < 0
        # A change of a file of which nothing is known has to be judged.
        again = finding.code in WHOLE_FILE and (touched is None or finding.place.path in touched)
        # Of a repository that was cut short, anything may be in the rest.
        if is_unreadable(finding) and (finding.code == TRUNCATED or is_new or again):
            yield WeighedFinding(finding, Severity.DOUBT)
        elif is_new or (is_not_read(finding) and touched is not None and finding.place.path in touched):
            # A new source file without the licence header, where the rulebook does not only want to know it.
            lacks = finding.code.startswith("header/") and policy.headers is not None and policy.headers.fails
            fails = lacks or _contradicts(finding, head, policy)
            yield WeighedFinding(finding, Severity.FAILS if fails else Severity.TOLD)
    # What the base had is not known either where the base was cut short.
    if not any(finding.code == TRUNCATED for finding in head.findings):
        yield from (WeighedFinding(finding, Severity.DOUBT) for finding in base.findings if finding.code == TRUNCATED)


def _finding_key(finding: Finding) -> tuple[str, str, str, str]:
    return finding.code, finding.place.path, finding.place.said, finding.message  # A line that only moved is not new.


def _contradicts(finding: Finding, head: RepositoryAudit, policy: Policy) -> bool:
    """One licence is declared, the text of another is shipped: the licence is not known, and fails where that does."""
    if finding.code != "license/mismatch" or LicenseVerdict.UNKNOWN_LICENSE not in policy.fail_on:
        return False
    path = finding.place.path
    if any(text.path == path for text in head.repository.licenses):
        return head.repository.license.source is not Source.RULEBOOK
    return any(
        cell.dependency.license.source is not Source.RULEBOOK  # Else the rulebook says which one counts.
        and cell.waiver is None
        and cell.judgement.verdict is not LicenseVerdict.NOT_APPLICABLE  # Else it has no say.
        for cell in head.cells
        if any(text.path == path for text in cell.dependency.licenses)
    )
