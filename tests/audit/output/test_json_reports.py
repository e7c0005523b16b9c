"""The reports in JSON."""

import json
from pathlib import Path

import pytest

from audit.facts import Usage
from audit.output.audit_run import build
from audit.output.json_reports import dependency_licenses, report
from tests.audit.runs import AT, audited, used, whole

GOLDEN = Path(__file__).parents[2] / "cases/licenses"


def test_the_dependency_licences_are_as_kept():
    assert (GOLDEN / "dependency-licenses.json").read_text() == dependency_licenses(whole().repositories[1])


def test_every_cell_of_the_report_has_the_number_of_its_judgement():
    found = json.loads(report(whole()))
    names = {repository["name"]: repository for repository in found["repositories"]}
    cell = next(name for name in names["org/free"]["cells"] if name["name"] == "mystery")

    assert (GOLDEN / "report.json").read_text() == report(whole())
    assert cell["waived"]
    assert found["judgements"][cell["judgement"]]["verdict"] == "unknown-license"
    assert found["violations"] == 3
    assert found["could_not_judge"] == 1
    findings = [each for repository in found["repositories"] for each in repository["findings"]]
    assert [each["code"] for each in findings if each.get("could_not_judge")] == ["file/broken"]


@pytest.mark.parametrize(
    ("stated", "spelled"),
    [
        ("Apache 2.0", "Apache-2.0"),
        ("mit", "MIT"),
        ("GPL-2.0+", "GPL-2.0-or-later"),
        ("(MIT OR apache-2.0)", "MIT OR Apache-2.0"),
        ("MIT/Apache-2.0", "MIT OR Apache-2.0"),
        ("GPLv2 with classpath exception", "GPL-2.0-only WITH Classpath-exception-2.0"),
        ("BSD License", "BSD"),
        ("MIT", "MIT"),
        ("LicenseRef-own", "LicenseRef-own"),
        ("SEE LICENSE IN x", "SEE LICENSE IN x"),
        ("中文", "中文"),
        (None, None),
    ],
)
def test_licences_are_spelled_as_spdx_does_beside_the_author_s_words(stated, spelled):
    work = audited(used("a", stated, Usage.STATIC_LINK), license_id=stated)
    row = json.loads(report(build([work], AT)))["repositories"][0]
    full = json.loads(dependency_licenses(work))
    said = {"declared": stated} if stated != spelled else {}

    for found in (row, row["cells"][0]):
        assert found["license"] == spelled
        assert {key: found[key] for key in found if key == "declared"} == said
    for found in (full["license"], full["dependencies"][0]["license"]):
        assert found["expression"] == spelled
        assert {key: found[key] for key in found if key == "declared"} == said
