"""The signs of verdicts, and the heat map before it is drawn: repositories by dependencies, or by licence and usage."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from audit.facts import Cell, LicenseVerdict
from audit.output.audit_run import AuditRun, license_of

REST_COLUMN: Final = ("", "")
"""The column of all that has no column of its own."""


@dataclass(slots=True)
class HeatMapSquare:
    """One square: the worst `verdict` in it, the `count` of cells, and if all that are as bad are `waived`."""

    verdict: LicenseVerdict = LicenseVerdict.NOT_APPLICABLE
    count: int = 0
    waived: bool = True

    def add(self, cell: Cell) -> None:
        """Adds a cell; of two equally bad ones that without a waiver counts."""
        verdict, waived = cell.judgement.verdict, cell.waiver is not None
        if not self.count or verdict.rank > self.verdict.rank:
            self.verdict, self.waived = verdict, waived
        elif verdict is self.verdict:
            self.waived = self.waived and waived
        self.count += 1


@dataclass(frozen=True, slots=True)
class HeatMapGrid:
    """The `columns` (a name and what is below it), `by_dependency` or not; `rows` of squares, and rows `left_out`."""

    by_dependency: bool
    columns: tuple[tuple[str, str], ...]
    rows: tuple[tuple[str, str, dict[tuple[str, str], HeatMapSquare]], ...] = field(repr=False)
    left_out: int = 0


def grid(run: AuditRun, *, most_columns: int, most_rows: int) -> HeatMapGrid:
    """At most so many columns and rows; the worst stay. Dependencies are columns when all fit, else licence and usage are."""
    names = {cell.dependency.name for audit in run.repositories for cell in audit.cells}
    by_dependency = len(names) <= most_columns
    totals: dict[tuple[str, str], HeatMapSquare] = {}
    rows: list[tuple[str, str, dict[tuple[str, str], HeatMapSquare]]] = []
    licenses = _licenses(run) if by_dependency else {}
    for audit in run.repositories:
        row: dict[tuple[str, str], HeatMapSquare] = {}
        for cell in audit.cells:
            name = cell.dependency.name
            said = licenses[name] if by_dependency else license_of(cell.dependency.license)
            column = (name, said) if by_dependency else (said, cell.dependency.usage.value)
            row.setdefault(column, HeatMapSquare()).add(cell)
            totals.setdefault(column, HeatMapSquare()).add(cell)
        rows.append((audit.repository.name, license_of(audit.repository.license), row))
    if by_dependency:
        columns = sorted(totals, key=lambda column: (column[0].casefold(), column))
    else:
        columns = sorted(totals, key=lambda column: (-totals[column].verdict.rank, -totals[column].count, column))
    kept, rest = columns, columns[most_columns - 1 :]  # One column is for the rest.
    if len(columns) > most_columns:
        _fold(rows, set(rest))
        kept = [*columns[: most_columns - 1], REST_COLUMN]
    # The worst rows stay, in the order of the names.
    worst = sorted(rows, key=lambda row: -max((mark.verdict.rank for mark in row[2].values()), default=0))[:most_rows]
    names_kept = {row[0] for row in worst}
    shown = [row for row in rows if row[0] in names_kept][:most_rows]
    return HeatMapGrid(by_dependency, tuple(kept), tuple(shown), len(rows) - len(shown))


def _licenses(run: AuditRun) -> dict[str, str]:
    said: dict[str, Counter[str]] = {}
    for audit in run.repositories:
        for cell in audit.cells:
            said.setdefault(cell.dependency.name, Counter())[license_of(cell.dependency.license)] += 1
    # The licence that most repositories state; of equally many the first by name.
    return {name: min(found, key=lambda text: (-found[text], text)) for name, found in said.items()}


def _fold(rows: list[tuple[str, str, dict[tuple[str, str], HeatMapSquare]]], rest: set[tuple[str, str]]) -> None:
    for _, _, row in rows:
        folded = [row.pop(column) for column in list(row) if column in rest]
        if folded:
            # Of equally bad squares one without a waiver counts.
            worst = max(folded, key=lambda mark: (mark.verdict.rank, not mark.waived))
            row[REST_COLUMN] = HeatMapSquare(worst.verdict, sum(mark.count for mark in folded), worst.waived)


class LegendEntry(NamedTuple):
    """A verdict's sign in Markdown, its sign in a square of the web page, its meaning, and its name in Chinese."""

    emoji: str
    sign: str
    meaning: str
    chinese: str


LEGEND: Final[Mapping[LicenseVerdict, LegendEntry]] = {
    LicenseVerdict.NOT_APPLICABLE: LegendEntry("–", "–", "the licence does not affect this use", "不适用"),
    LicenseVerdict.COMPATIBLE: LegendEntry("✅", "✓", "it fits; keep its notices", "兼容"),
    LicenseVerdict.OBLIGATIONS: LegendEntry("📋", "§", "it fits, with duties to follow", "有义务"),
    LicenseVerdict.CONDITIONAL: LegendEntry("⚠️", "△", "it fits if a condition is met", "有条件"),
    LicenseVerdict.REVIEW: LegendEntry("🔍", "◎", "someone must read it", "需审查"),
    LicenseVerdict.UNKNOWN_LICENSE: LegendEntry("❓", "?", "a licence is not known", "许可证未知"),
    LicenseVerdict.INCOMPATIBLE: LegendEntry("⛔", "✕", "the licences do not allow this use", "不兼容"),
}
"""Best to worst."""
