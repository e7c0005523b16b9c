"""A log that the published schema of SARIF 2.1.0 takes: places, levels and advice."""

import json
from datetime import date
from pathlib import Path

import pytest

from audit.facts import Finding, LicenseVerdict, Place, Usage, Waiver
from audit.output.audit_run import build
from audit.output.sarif import sarif
from audit.verdict.policy import Policy
from tests.audit.output.schemas import faults
from tests.audit.output.schemas import sarif as schema
from tests.audit.output.test_spdx_document import HOSTILE
from tests.audit.runs import ALL, AT, MYSTERY, READLINE, audited, organisation, used, whole

GOLDEN = Path(__file__).parents[2] / "cases/licenses/licenses.sarif"


def run(*dependencies, fail_on=None, **more):
    """The only run of a log."""
    some = build([audited(*dependencies, **more)], AT, *([fail_on] if fail_on is not None else []))
    return json.loads(sarif(some))["runs"][0]


def test_the_whole_log_is_as_kept():
    assert GOLDEN.read_text() == sarif(build(organisation()[:1], AT))


def test_the_schema_refuses_an_unknown_level():
    log = json.loads(sarif(whole()))
    log["runs"][2]["results"][0]["level"] = "catastrophe"
    assert faults(schema(), json.dumps(log))


def test_a_log_is_valid_and_has_a_run_for_each_repository():
    log = sarif(whole())
    assert [] == faults(schema(), log)
    assert [len(audit_run["results"]) for audit_run in json.loads(log)["runs"]] == [0, 1, 4]
    for audit_run in json.loads(log)["runs"]:
        ids = [rule["id"] for rule in audit_run["tool"]["driver"]["rules"]]
        assert len(ids) == len(set(ids))
        assert {result["ruleId"] for result in audit_run["results"]} == set(ids)


@pytest.mark.parametrize("name", HOSTILE)
def test_every_hostile_name_gives_a_valid_log(name):
    use = used(name, None, Usage.BUNDLED, version=name, purl=name, places=(Place(name, 1, name),))
    some = audited(use, name=name, head=name, findings=(Finding("file/broken", Place(name, 0), name),))
    assert [] == faults(schema(), sarif(build([some], AT)))


@pytest.mark.parametrize(
    ("use", "fail_on", "level"),
    [
        (READLINE, None, "error"),
        (MYSTERY, None, "error"),
        (READLINE, (), "warning"),
        (MYSTERY, (LicenseVerdict.INCOMPATIBLE,), "warning"),
        (used("a", "MIT", Usage.BUNDLED), None, None),
        (used("a", "LGPL-2.1-only", Usage.DYNAMIC_LINK), None, None),
        (used("a", "LGPL-2.1-only", Usage.DYNAMIC_LINK), (LicenseVerdict.OBLIGATIONS,), "error"),
        (used("a", "LGPL-2.1-only", Usage.STATIC_LINK), None, "note"),
    ],
)
def test_a_failing_use_is_an_error_and_an_open_one_a_warning_or_note(use, fail_on, level):
    assert [result["level"] for result in run(use, fail_on=fail_on)["results"]] == ([level] if level else [])


def test_a_result_names_the_use_its_places_and_the_advice():
    places = (Place("a b/package.json", 3), Place("../x/package-lock.json", 40), Place("/etc/rules.yml"))
    result = run(used("readline", "GPL-3.0-or-later", Usage.STATIC_LINK, places=places))["results"][0]

    assert result["message"]["text"].startswith("readline 1.2.0 (GPL-3.0-or-later, static-link) is incompatible: ")
    assert "Replace it" in result["message"]["text"]
    assert result["locations"] == [located("a%20b/package.json", 3)]
    assert result["relatedLocations"] == [located(".", 40), located(".", 1)]
    assert result["properties"] == {
        "verdict": "incompatible", "usage": "static-link", "license": "GPL-3.0-or-later", "purl": "pkg:npm/readline@1.2.0",
    }  # fmt: skip
    assert "fixes" not in result


def located(uri, line):
    """A place below the root."""
    where = {"uri": uri, "uriBaseId": "%SRCROOT%"}
    return {"physicalLocation": {"artifactLocation": where, "region": {"startLine": line}}}


def test_unread_input_is_an_error_and_any_other_finding_a_warning():
    broken, altered = (
        Finding("file/broken", Place("Cargo.lock"), "no TOML"),
        Finding("license/altered", Place("."), "differs"),
    )
    first, second = run(findings=(altered, broken))["results"]

    assert (first["level"], first["ruleId"], first["properties"]) == (
        "error",
        "file/broken",
        {"verdict": "could-not-judge"},
    )
    assert first["message"]["text"] == "no TOML. Repair the file. At most the part before the error was read."
    assert first["locations"] == [located("Cargo.lock", 1)]
    assert (second["level"], second["locations"]) == ("warning", [located(".", 1)])


def test_a_waiver_is_shown_as_suppressed_with_its_last_day_alone():
    """The rulebook may be private."""
    waiver = Waiver(purl="pkg:npm/mystery@1.2.0", until=date(2027, 1, 1), reason="secret", by="Ada Example")
    log = sarif(build([audited(MYSTERY, policy=Policy(waivers=(waiver,)))], AT))
    (result,) = json.loads(log)["runs"][0]["results"]

    assert result["level"] == "warning"
    assert result["suppressions"][0]["justification"] == "Waived in the rulebook until 2027-01-01."
    assert "secret" not in log
    assert "Ada" not in log


def test_fingerprints_stay_when_lines_move_or_versions_change():
    first, second, moved = (
        run(used("readline", "GPL-3.0-or-later", Usage.STATIC_LINK, version=version, purl=f"pkg:npm/readline@{version}", places=(Place("x", at),)))
        for version, at in (("1", 3), ("1", 9), ("2", 3))
    )  # fmt: skip
    marks = [audit_run["results"][0]["partialFingerprints"] for audit_run in (first, second, moved)]
    assert marks[0] == marks[1] == marks[2]
    twice = run(READLINE, used("readline", "GPL-3.0-or-later", Usage.STATIC_LINK, version="2"))["results"]
    assert len({result["partialFingerprints"]["countersign/v1"] for result in twice}) == 2


def test_hostile_words_make_no_links_and_no_placeholders():
    finding = Finding("file/broken", Place("x"), "see [here](https://evil.example) {0} \\")
    (result,) = run(findings=(finding,))["results"]
    assert "see \\[here\\](https://evil.example) {{0}} \\\\" in result["message"]["text"]


def test_results_beyond_the_bound_are_counted(monkeypatch):
    monkeypatch.setattr("audit.output.sarif._MAX_RESULTS", 2)
    some = build([audited(*ALL, findings=(Finding("license/altered", Place("x"), "differs"),))], AT)
    found = json.loads(sarif(some))["runs"][0]

    assert [result["level"] for result in found["results"]] == ["error", "error"]
    assert (
        "more results, see report.json" in found["invocations"][0]["toolExecutionNotifications"][0]["message"]["text"]
    )
