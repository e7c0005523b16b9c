"""The findings of `doctor`: items with a status each, the score and grade that they make, as JSON and as text."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final, Literal

Severity = Literal["critical", "high", "medium", "low"]
Status = Literal["pass", "fail", "unknown", "not-applicable"]
"""`unknown`: it could not be checked. That is no pass, and no failure either."""
Grade = Literal["A", "B", "C", "D"]

WEIGHTS: Final[Mapping[Severity, int]] = {"critical": 10, "high": 5, "medium": 3, "low": 1}  # In the score.
# The best grade that is left when an item of that severity fails.
_WORST: Final[Mapping[Severity, Grade]] = {"critical": "D", "high": "C", "medium": "B", "low": "A"}
_LEAST: Final[Sequence[tuple[int, Grade]]] = ((70, "D"), (80, "C"), (90, "B"))  # A score below leaves that at best.
_MAX_ADVICE: Final = 10  # Of 100 points, what severity `low` costs at most: advice alone leaves an A.
_MARKS: Final[Mapping[Status, str]] = {"fail": "FAIL", "unknown": "?", "pass": "ok", "not-applicable": "-"}
DATABASE_FIRST: Final = "Fix the database first, then run `countersign doctor` again."
_GITHUB_FIRST: Final = "Fix the connection to GitHub first, then run `countersign doctor` again."
TRY_AGAIN: Final = "Run `countersign doctor` again in a minute."


@dataclass(frozen=True, slots=True)
class DoctorResult:
    """The result of the check `id`: its `category`, `severity`, `status`, a `message`, and a `remedy` ("": nothing)."""

    id: str
    category: str
    severity: Severity
    status: Status
    message: str
    remedy: str = ""

    @property
    def is_met(self) -> bool:
        """Whether nothing has to be done about it."""
        return self.status in ("pass", "not-applicable")


@dataclass(frozen=True, slots=True)
class DoctorCheck:
    """A check: its `id` begins with the category and is part of the command's interface; its `severity`."""

    id: str
    severity: Severity

    def passed(self, message: str) -> DoctorResult:
        """The result of a check that passed."""
        return self._item("pass", message)

    def failed(self, message: str, remedy: str) -> DoctorResult:
        """Something has to be done."""
        return self._item("fail", message, remedy)

    def unknown(self, message: str, remedy: str) -> DoctorResult:
        """The result of a check that could not be made; `remedy` says what would make it possible."""
        return self._item("unknown", message, remedy)

    def not_applicable(self, message: str) -> DoctorResult:
        """There is nothing to check here."""
        return self._item("not-applicable", message)

    def private(self, file: Path, said: str) -> DoctorResult:
        """Other accounts of this machine must not read that file; `said` is the message when they cannot."""
        rights = file.stat().st_mode & 0o777
        if rights & 0o007:  # A group may be meant to read it.
            said = f"Every account of this machine can read {file} (its mode is {rights:o})."
            return self.failed(said, f"Run `chmod 600 {file}`.")
        return self.passed(said)

    def _item(self, status: Status, message: str, remedy: str = "") -> DoctorResult:
        return DoctorResult(self.id, self.id.partition(".")[0], self.severity, status, message, remedy)


@dataclass(frozen=True, slots=True)
class Report:
    """All `items` of one run."""

    items: tuple[DoctorResult, ...]

    @property
    def score(self) -> int:
        """The weight of what passes, of all that applies: 0 to 100, rounded down. No pass at all is worth nothing."""
        applying = [item for item in self.items if item.status != "not-applicable"]
        if not any(item.status == "pass" for item in applying):
            return 0
        total = sum(WEIGHTS[item.severity] for item in applying)
        unmet = [item for item in applying if item.status != "pass"]  # Unknown is not a pass.
        advice = sum(WEIGHTS[item.severity] for item in unmet if item.severity == "low")
        lost = sum(WEIGHTS[item.severity] for item in unmet if item.severity != "low")
        return (100 * (total - lost) - min(100 * advice, _MAX_ADVICE * total)) // total

    @property
    def grade(self) -> Grade:
        """By the score: A from 90, B from 80, C from 70. The worst failure leaves B (medium), C (high) or D (critical) at best.

        What could not be checked counts in the score, and leaves B at best unless it is mere advice.
        """
        grades: list[Grade] = [_WORST[item.severity] for item in self.items if item.status == "fail"]
        grades += ["B" for item in self.items if item.status == "unknown" and item.severity != "low"]
        grades += [grade for least, grade in _LEAST if self.score < least]
        return max(grades, default="A")

    @property
    def is_fine(self) -> bool:
        """Whether nothing but advice (severity `low`) is left to do or to find out, and anything was checked at all."""
        return self.score > 0 and all(item.is_met or item.severity == "low" for item in self.items)


def unasked(*checks: DoctorCheck) -> list[DoctorResult]:
    """Each of these could not be checked, since GitHub could not be asked."""
    return [check.unknown("Not checked: GitHub could not be asked.", _GITHUB_FIRST) for check in checks]


def sentence(clause: str) -> str:
    """An error's text as a sentence of its own."""
    end = "" if clause.endswith("?") else "."
    return f"{clause[:1].upper()}{clause[1:].rstrip('.')}{end}"


def as_json(report: Report) -> str:
    """`{"score", "grade", "items"}` as one line."""
    return json.dumps(
        {"score": report.score, "grade": report.grade, "items": [asdict(item) for item in report.items]},
        ensure_ascii=False,
    )


def as_text(report: Report) -> str:
    """For people: the grade, then problems with their remedies, the worst first, then unknowns, then the rest."""
    lines = [f"Grade {report.grade}, score {report.score} of 100: {_counted(report.items)}.", ""]
    unmet = sorted(
        (item for item in report.items if not item.is_met),
        key=lambda item: (item.status != "fail", -WEIGHTS[item.severity]),
    )
    # What could not be checked for the same reason is said once: the reason is what has to be fixed.
    same: dict[tuple[Status, str, str], list[str]] = {}
    for item in unmet:
        same.setdefault((item.status, item.message, item.remedy), []).append(f"{item.id} ({item.severity})")
    for (status, message, remedy), ids in same.items():
        lines += [f"{_MARKS[status]:<5} {', '.join(ids)}: {message}", f"      {remedy}", ""]
    lines += [f"{_MARKS[item.status]:<5} {item.id}: {item.message}" for item in report.items if item.is_met]
    return "\n".join(line.rstrip() for line in lines)


def _counted(items: Iterable[DoctorResult]) -> str:
    names = {"pass": "passed", "fail": "failed", "unknown": "could not be checked", "not-applicable": "not applicable"}
    statuses = [item.status for item in items]
    return ", ".join(f"{statuses.count(status)} {name}" for status, name in names.items() if status in statuses)
