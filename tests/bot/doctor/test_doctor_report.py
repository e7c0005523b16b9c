"""Score and grade follow the items by one rule, and both forms of the report say the same."""

import json

import pytest

from bot.doctor.doctor_report import DoctorResult, Report, as_json, as_text


def item(status="pass", severity="high", name="github.clock"):
    """One item of that status."""
    return DoctorResult(
        name, name.partition(".")[0], severity, status, "the clock is right", "" if status == "pass" else "Correct it."
    )


@pytest.mark.parametrize(
    ("items", "score", "grade", "is_fine"),
    [
        ([item()], 100, "A", True),
        ([item(), item("not-applicable", "critical")], 100, "A", True),
        ([item(severity="critical"), item("fail", "low")], 90, "A", True),
        ([item(severity="critical"), *[item("fail", "low")] * 4], 90, "A", True),
        ([item(severity="critical"), item("unknown", "low")], 90, "A", True),
        ([item("fail", "low")], 0, "D", False),
        ([item(severity="high")] * 20 + [item("fail", "medium")], 97, "B", False),
        ([item(severity="high")] * 20 + [item("fail", "high")], 95, "C", False),
        ([item(severity="high")] * 20 + [item("unknown", "high")], 95, "B", False),
        ([item(severity="medium")] * 8 + [item("fail", "medium")], 88, "B", False),
        ([item(severity="medium")] * 4 + [item("fail", "medium")], 80, "B", False),
        ([item(severity="critical"), item("fail", "medium")], 76, "C", False),
        ([item(severity="critical"), item(severity="critical"), item("fail", "high")], 80, "C", False),
        ([item(severity="critical")] * 3 + [item("unknown", "critical")], 75, "C", False),
        ([item(severity="critical")] * 3 + [item("unknown", "critical"), item("fail", "low")], 73, "C", False),
        ([item(severity="critical")] * 3 + [item("unknown", "low"), item("fail", "medium")], 88, "B", False),
        ([item(severity="critical")] * 3 + [item("unknown", "low"), item("fail", "critical")], 73, "D", False),
        ([item(severity="critical"), item("unknown", "high")], 66, "D", False),
        ([item(severity="critical"), item("unknown", "critical"), item("unknown", "low")], 47, "D", False),
        ([item(severity="high")] * 20 + [item("fail", "critical")], 90, "D", False),
        ([item(severity="low"), item("fail", "medium")], 25, "D", False),
        ([item("unknown", "critical")], 0, "D", False),
        ([item("unknown", "low")], 0, "D", False),
        ([item("not-applicable")], 0, "D", False),
        ([], 0, "D", False),
    ],
)  # fmt: skip
def test_score_and_grade_follow_the_items_by_one_rule(items, score, grade, is_fine):
    report = Report(tuple(items))

    assert (score, grade, is_fine) == (report.score, report.grade, report.is_fine)


def test_the_json_report_has_the_published_keys_only():
    said = json.loads(as_json(Report((item("fail"),))))

    assert said == {
        "score": 0,
        "grade": "D",
        "items": [
            {
                "id": "github.clock",
                "category": "github",
                "severity": "high",
                "status": "fail",
                "message": "the clock is right",
                "remedy": "Correct it.",
            }
        ],
    }


def test_the_text_report_puts_problems_with_remedies_first():
    items = (
        item(),
        item("fail", "low", "work.mail"),
        item("unknown", "critical", "database.reachable"),
        item("unknown", "medium", "work.backlog"),
        item("not-applicable", name="github.ruleset"),
    )

    assert as_text(Report(items)).splitlines() == [
        "Grade D, score 26 of 100: 1 passed, 1 failed, 2 could not be checked, 1 not applicable.",
        "",
        "FAIL  work.mail (low): the clock is right",
        "      Correct it.",
        "",
        "?     database.reachable (critical), work.backlog (medium): the clock is right",
        "      Correct it.",
        "",
        "ok    github.clock: the clock is right",
        "-     github.ruleset: the clock is right",
    ]
