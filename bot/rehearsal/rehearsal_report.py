"""The result of a rehearsal as a table for people, and as JSON."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from io import StringIO
from typing import Any, Final

from rich.console import Console
from rich.table import Table

from bot.rehearsal.observation import STEPS, Status, Step, StepResult

_MARKS: Final[dict[Status, str]] = {"seen": "ok", "not-expected": "-", "missing": "FAIL", "skipped": "skip"}


@dataclass(frozen=True, slots=True)
class RehearsalReport:
    """The `results` of the steps in `repository`, on pull request `number`; `left` is still there, a line each with its address."""

    repository: str
    number: int | None
    results: tuple[StepResult, ...]
    left: tuple[str, ...] = ()

    @property
    def is_fine(self) -> bool:
        """Whether every step showed what it should, and nothing is left behind."""
        return len(self.results) == len(STEPS) and all(result.is_fine for result in self.results) and not self.left


def begun(step: Step) -> str:
    """The first half of a line for a step, which begins."""
    return f"{STEPS.index(step) + 1:>2} {step.title:<14} "


def ended(result: StepResult) -> str:
    """The other half, when the step has ended."""
    return f"{_MARKS[result.seen.status]:<5}{result.seconds:>6.1f} s"


def as_json(report: RehearsalReport) -> str:
    """`{"repository", "number", "ok", "steps", "left"}` as one line; moments in UTC, the step's own time in seconds."""
    whole = {
        "repository": report.repository,
        "number": report.number,
        "ok": report.is_fine,
        "steps": [_step(result) for result in report.results],
        "left": list(report.left),
    }
    return json.dumps(whole, ensure_ascii=False)


def _step(result: StepResult) -> dict[str, Any]:
    seen = asdict(result.seen)
    plain = {
        name: at.isoformat(timespec="milliseconds").replace("+00:00", "Z") if isinstance(at, datetime) else at
        for name, at in seen.items()
    }
    remedy = plain.pop("remedy")
    return {"id": result.step.id, **plain, "seconds": result.seconds, "remedy": remedy}


def as_text(report: RehearsalReport, width: int) -> str:
    """The table, the remedies below it, what is left behind, and one line that sums it up; at most `width` columns."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for name in ("", "Step", "Who", "UTC"):
        table.add_column(name, no_wrap=True)
    table.add_column("What happened", overflow="fold", ratio=1)
    table.add_column("Seconds", justify="right", no_wrap=True)
    for number, result in enumerate(report.results, 1):
        head = (_MARKS[result.seen.status], f"{number:>2} {result.step.title}")
        who = "" if result.seen.status == "skipped" else "GitHub"
        rows = [
            (who, result.seen.github, result.seen.github_at),
            ("Server", result.seen.recorded, result.seen.recorded_at),
        ]
        for place, (source, said, at) in enumerate(row for row in rows if row[1]):
            first = (*head, f"{result.seconds:.1f}") if place == 0 else ("", "", "")
            table.add_row(first[0], first[1], source, f"{at:%H:%M:%S}" if at else "", said, first[2])
    text = StringIO()
    # Titles of other Apps' check runs may hold brackets, which Rich would take for markup.
    console = Console(file=text, width=width, highlight=False, markup=False, emoji=False, color_system=None)
    console.print(table)
    for line in _below(report):
        console.print(line, soft_wrap=True)  # An address stays in one piece.
    return "\n".join(line.rstrip() for line in text.getvalue().splitlines())  # Rich fills each line up to the width.


def _below(report: RehearsalReport) -> Sequence[str]:
    lines = [f"\n{result.step.title}: {result.seen.remedy}" for result in report.results if result.seen.remedy]
    lines += [f"\nLeft behind: {line}" for line in report.left]
    unseen = sum(not result.is_fine for result in report.results)
    if report.is_fine:
        return [*lines, f"\nAll {len(STEPS)} steps of the rehearsal in {report.repository} were seen."]
    return [*lines, f"\n{unseen} of {len(STEPS)} steps of the rehearsal in {report.repository} were not seen."]
