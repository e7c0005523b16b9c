"""One audit of many repositories as it is written down: sorted, with its moment and with what counts as a violation."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from audit.facts import Cell, Finding, Learned, LicenseVerdict, RepositoryAudit
from audit.licenses.expression import spelled
from audit.verdict import unknown_license
from audit.verdict.unreadable_input import ALL_READ, NotRead, is_not_read, not_read, nothing_found, unjudged

FAIL_ON = (LicenseVerdict.INCOMPATIBLE, LicenseVerdict.UNKNOWN_LICENSE)  # Where the rulebook says nothing.


@dataclass(frozen=True, slots=True)
class Totals:
    """The numbers of one audit `at` a moment: `repositories`, `violations`, and `uses` of dependencies by verdict."""

    at: datetime
    repositories: int
    violations: int
    uses: Counter[LicenseVerdict]

    def differs(self, before: "Totals") -> bool:
        """Whether anything was counted otherwise than before."""
        # `+` drops zeros.
        ours, theirs = ((totals.repositories, totals.violations, +totals.uses) for totals in (self, before))
        return ours != theirs


@dataclass(frozen=True, slots=True)
class AuditRun:
    """The `repositories` by name, each with its cells in order; `at` is the moment of writing, `fail_on` what fails.

    `earlier` are the numbers of the audits before this one, the oldest first, each other than the one before it.
    """

    repositories: tuple[RepositoryAudit, ...]
    at: datetime
    fail_on: tuple[LicenseVerdict, ...]
    earlier: tuple[Totals, ...] = ()

    @property
    def data_versions(self) -> tuple[str, ...]:
        """The dates of the data that judged, in order."""
        return tuple(sorted({cell.judgement.data_version for cell in self.cells()}))

    def cells(self) -> Iterator[Cell]:
        """Every use of every repository."""
        return (cell for audit in self.repositories for cell in audit.cells)

    def waived(self) -> int:
        """The number of uses that a waiver covers."""
        return sum(cell.waiver is not None for cell in self.cells())

    def licenses(self) -> Counter[str]:
        """The number of uses under each licence."""
        return Counter(license_of(cell.dependency.license) for cell in self.cells())

    def totals(self) -> Totals:
        """The numbers of this run."""
        uses = Counter(cell.judgement.verdict for cell in self.cells())
        return Totals(self.at, len(self.repositories), self.violation_count(), uses)

    def nights(self) -> tuple[Totals, ...]:
        """The earlier ones, and this one if it counted otherwise than the last."""
        now = self.totals()
        return (*self.earlier, now) if not self.earlier or now.differs(self.earlier[-1]) else self.earlier

    def violations(self) -> Iterator[tuple[RepositoryAudit, Cell]]:
        """All uses that fail, by repository."""
        return ((audit, cell) for audit in self.repositories for cell in audit.cells if cell.fails(self.fail_on))

    def not_looked_up(self) -> list[tuple[RepositoryAudit, Cell]]:
        """Uses whose licence was not asked for, or could not be: nothing wrong was found with them."""
        every = ((audit, cell) for audit in self.repositories for cell in audit.cells)
        return [found for found in every if found[1].waiver is None and unknown_license.is_not_looked_up(found[1])]

    def unknown_own(self) -> list[tuple[str, Finding]]:
        """The repositories, by name, of which a violation is that their own licence is not known, with the finding."""
        found = ((audit.repository.name, audit.own_license_violation(self.fail_on)) for audit in self.repositories)
        return [(name, finding) for name, finding in found if finding is not None]

    def violation_count(self) -> int:
        """The number of violations; what was not looked up is counted apart."""
        failing = sum(not unknown_license.is_not_looked_up(cell) for _, cell in self.violations())
        return failing + len(self.unknown_own())

    def passes(self) -> bool:
        """Whether nothing fails, and all was judged."""
        # What could not be judged is no pass.
        return not any(self.violations()) and not self.unknown_own() and not self.unjudged()

    def nothing_found(self) -> str:
        """The sentence for a run without a single dependency."""
        return nothing_found(finding for audit in self.repositories for finding in audit.findings).capitalize() + "."

    def unjudged(self) -> list[tuple[str, Finding]]:
        """The findings that leave the audit without an answer, by repository: what they would name is in no cell."""
        return [(audit.repository.name, found) for audit in self.repositories for found in unjudged(audit)]

    def not_read(self) -> NotRead:
        """The number of files and submodules that are not read, in all repositories."""
        counted = ALL_READ
        for audit in self.repositories:
            counted = counted.plus(not_read(audit.findings))
        return counted

    def unread(self) -> list[tuple[str, Finding]]:
        """Findings of what is not read, by repository, but for those that leave the audit without an answer."""
        return [found for found in self._rest() if is_not_read(found[1])]

    def findings(self, *, of_headers: bool) -> list[tuple[str, Finding]]:
        """The other findings, by repository's name: of licence headers, or of anything but these."""
        return [
            (name, found)
            for name, found in self._rest()
            if not is_not_read(found) and found.code.startswith("header/") is of_headers
        ]

    def _rest(self) -> Iterator[tuple[str, Finding]]:
        for audit in self.repositories:
            told = {*unjudged(audit), audit.own_license_violation(self.fail_on)}  # In sections of their own.
            yield from ((audit.repository.name, found) for found in audit.findings if found not in told)


def stamp(at: datetime) -> str:
    """A moment as every file of an audit writes it."""
    return at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def build(
    audited: Iterable[RepositoryAudit],
    at: datetime,
    fail_on: Sequence[LicenseVerdict] = FAIL_ON,
    *,
    earlier: Sequence[Totals] = (),
) -> AuditRun:
    """The run of these repositories, the same for any order of them, of their dependencies and findings."""
    ordered = sorted(map(_ordered, audited), key=_by_name)
    fails = tuple(sorted(fail_on, key=lambda verdict: -verdict.rank))
    return AuditRun(tuple(ordered), at, fails, tuple(earlier))


def license_of(said: Learned) -> str:
    """The licence as it is shown; "unknown" where nothing was stated."""
    return spelled(said.expression) or "unknown"


def _by_name(audit: RepositoryAudit) -> tuple[str, str, str, str, int]:
    of = audit.repository
    return of.name.casefold(), of.name, of.head or "", of.license.expression or "", len(audit.cells)


def _key(cell: Cell) -> tuple[str, ...]:
    dependency, judged = cell.dependency, cell.judgement
    # The name first, then all that tells two apart: the files are the same for any order of the cells.
    named = (
        dependency.name.casefold(),
        dependency.name,
        dependency.version or "",
        dependency.usage,
        dependency.purl or "",
        dependency.component or "",
    )
    said = dependency.license.expression or ""
    return (*named, said, judged.verdict, judged.rule, dependency.why, *map(str, dependency.places))


def _ordered(audit: RepositoryAudit) -> RepositoryAudit:
    findings = sorted(
        audit.findings, key=lambda found: (found.place.path, found.place.line or 0, found.code, found.message)
    )
    return RepositoryAudit(audit.repository, tuple(sorted(audit.cells, key=_key)), tuple(findings))
