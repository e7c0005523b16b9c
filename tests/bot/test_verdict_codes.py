"""A code is declared once, and everything that shows or stores it reads the declaration."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from agreements.cla.coverage import MISSES
from agreements.facts import Check, Conclusion, Problem, Verdict
from bot import verdict_codes

ROOT = Path(__file__).parents[2]
ONE_MORE = """
["dco/late"]
kind = "problem"
stored = ["since"]
message.en = "Commit {sha} was signed off after {since}, by {by}."
message.zh = "提交 {sha} 由 {by} 在 {since} 之后签名。"
fix.en = "Sign off sooner."
fix.zh = "请及早签名。"
aside.en = "it was signed off late"
aside.zh = "签名过晚"
whole.en = "A commit was signed off late."
whole.zh = "有提交签名过晚。"
short.en = "Signed off late"
short.zh = "签名过晚"
docs.what = "The sign-off came late."
docs.fix = "Sign off sooner."
"""
ASKED = """
import json, sys
from datetime import UTC, datetime
from pathlib import Path
from bot import verdict_codes
verdict_codes.FILE = Path(sys.argv[1])
from agreements.facts import Check, CommitStatus, Conclusion, Problem, Verdict
from bot.cli.verdicts import verdict_text, workflow_annotations
from bot.portal.admin.lists import LISTS
from bot.portal.text import finding_text
from bot.report import check_run, comment, words
from bot.store.pulls import verdicts
from bot.store.pulls.red_pulls import RedPull
from docs import generate
at, sha = datetime(2026, 1, 2, tzinfo=UTC), "a" * 40
late = Problem(code="dco/late", sha=sha, values={"since": "Monday", "by": "Ada"})
fails = CommitStatus(sha=sha, status="fail", codes=("dco/late",))
check = Check(name="DCO", conclusion=Conclusion.FAILURE, problems=(late,), commits=(fails,))
verdict = Verdict(conclusion=Conclusion.FAILURE, checks=(check,))
where = dict.fromkeys(("repository", "sign_url", "employer_url", "emails_url", "explain_url", "marker"), "x")
context = check_run.ReportContext(number=1, head_sha=sha, language="both", **where)
shown = check_run.check_run(verdict, context)
[stored] = verdicts.recorded(None, 1, sha, verdict, at=at).row["codes"]
wording = verdict_text.wording(None, verdict)
codes = ("dco/late", "dco/gone", "dco/signed")
red = RedPull(owner="cann", name="ops", number=7, since=at, conclusion="failure", codes=codes)
print(json.dumps({
    "check": shown.summary + shown.text,
    "comment": comment.comment(verdict, context),
    "set aside": [words.set_aside(["dco/late"], "bo", language) for language in ("en", "zh")],
    "stored": stored.get("values"),
    "page": [finding_text.public_text(stored, language, {}) for language in ("en", "zh")],
    "fixes": finding_text.fixes([stored], "en", words.CommandContext()),
    "command": list(verdict_text.lines(verdict, wording)),
    "annotation": list(workflow_annotations.lines(verdict, wording)),
    "list": list(map(str, LISTS["pull-requests"].cells(red))),
    "short": [verdict_codes.each("short", language)["dco/late"] for language in ("en", "zh")],
    "docs": generate.reasons("dco"),
}))
"""


@pytest.mark.slow
def test_a_code_declares_itself(tmp_path):
    copy = tmp_path / "verdict_codes.toml"
    copy.write_text(verdict_codes.FILE.read_text(encoding="utf-8") + ONE_MORE, encoding="utf-8")
    done = subprocess.run([sys.executable, "-c", ASKED, copy], cwd=ROOT, capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    for said in ("was signed off after `Monday`, by `Ada`.", "由 `Ada` 在 `Monday` 之后签名。", "Sign off sooner."):
        assert said in found["check"]
    assert "Sign off sooner." in found["comment"]
    assert found["set aside"] == ["It was signed off late. Waived by bo.", "签名过晚。由 bo 免除。"]
    assert found["stored"] == {"since": "Monday"}, "who signed off is a name"
    assert found["page"] == ["A commit was signed off late.", "有提交签名过晚。"]
    assert found["fixes"] == ["<p>Sign off sooner.</p>\n"]
    assert found["command"][1:] == [
        f"  DCO dco/late {'a' * 12} - Commit aaaaaaa was signed off after Monday, by Ada.",
        "      Sign off sooner.",
    ]
    assert found["annotation"][0].startswith(
        "::error title=DCO dco/late in aaaaaaaaaaaa::Commit aaaaaaa was signed off"
    )
    assert found["list"][-1] == "dco/late"
    assert found["short"] == ["Signed off late", "签名过晚"]
    assert "### `dco/late`\n\nThe sign-off came late.\n\n**Fix:** Sign off sooner." in found["docs"]


@pytest.mark.parametrize("code", verdict_codes.declared())
def test_a_declaration_has_all_its_words_in_both_languages(code):
    declaration, said = verdict_codes.of(code), verdict_codes.words("en")[code]

    assert said.keys() == verdict_codes.words("zh")[code].keys()
    assert said["message"]
    assert {"fix", "short"} & said.keys() == ({"fix", "short"} if declaration.kind == "problem" else set())
    assert declaration.kind in ("problem", "note")
    assert {*declaration.stored, *declaration.labels}.isdisjoint({declaration.unnamed})


def test_the_ranking_of_uncovered_codes_is_the_judges():
    assert verdict_codes.uncovered() == set(MISSES)


def test_a_case_has_the_words_of_its_code_but_for_its_own():
    said = verdict_codes.words("en")

    assert said["cla/withdrawn:needed"]["message"] == said["cla/withdrawn"]["message"]
    assert said["cla/withdrawn:needed"]["fix"] != said["cla/withdrawn"]["fix"]


def test_a_code_of_another_release_is_unknown_and_fails_nothing():
    assert verdict_codes.of("dco/gone") == verdict_codes.Code()
    assert verdict_codes.blanks("dco/gone") == set()


def test_the_public_reads_each_code_once_without_the_reason_for_a_cover():
    codes = ("dco/missing", "cla/withdrawn", "cla/unsigned", "cla/individual", "dco/missing")
    check = Check(name="x", conclusion=Conclusion.FAILURE, problems=tuple(Problem(code=code) for code in codes))

    assert verdict_codes.public_codes(Verdict(conclusion=Conclusion.FAILURE, checks=(check,))) == [
        "cla/covered", "cla/not-covered", "dco/missing",
    ]  # fmt: skip
