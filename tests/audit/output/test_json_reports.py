"""The files for programs."""

import json
from pathlib import Path

from audit.output.audit_run import build
from audit.output.json_reports import dependency_licenses, report
from tests.audit.runs import AT, organisation, whole

GOLDEN = Path(__file__).parents[2] / "cases/licenses"


def test_dependency_licenses():
    """All that is known of each dependency of a repository."""
    assert (GOLDEN / "dependency-licenses.json").read_text() == dependency_licenses(whole().repositories[1])


def test_report():
    """Every cell, with the number of its judgement."""
    found = json.loads(report(whole()))
    names = {one["name"]: one for one in found["repositories"]}
    cell = next(one for one in names["org/free"]["cells"] if one["name"] == "mystery")

    assert (GOLDEN / "report.json").read_text() == report(whole())
    assert cell["waived"]
    assert found["judgements"][cell["judgement"]]["verdict"] == "unknown-license"
    assert found["violations"] == 3
    assert found["could_not_judge"] == 1
    findings = [each for one in found["repositories"] for each in one["findings"]]
    assert [each["code"] for each in findings if each.get("could_not_judge")] == ["file/broken"]


def test_the_order_does_not_matter():
    """Same input, same bytes."""
    assert report(build(tuple(reversed(organisation())), AT)) == report(whole())
