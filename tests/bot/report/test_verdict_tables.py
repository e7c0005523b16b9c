"""The tables of a verdict: every commit, every person, every reason, in as much room as there is."""

import pytest

from agreements.facts import Account, Check, CommitStatus, Conclusion, Note, Problem, Verdict
from bot.report.verdict_tables import headline, tables

A, B = "a" * 40, "b" * 40
MISSING = Problem(code="dco/missing", sha=B, values={"expected": ("Bo <b…o@x.org>",)})
SIGNED = Note(code="dco/signed", sha=A, values={"by": "Ada <a…a@x.org>"})
DCO = Check(
    name="DCO",
    conclusion=Conclusion.FAILURE,
    problems=(MISSING,),
    notes=(SIGNED,),
    commits=(CommitStatus(A, "pass", ("dco/signed",)), CommitStatus(B, "fail", ("dco/missing",))),
)
SUBJECTS = {A: "Add a kernel", B: "Fix it"}


def rows(*checks, limit=10_000, subjects=SUBJECTS):
    """The rows below the heads of all tables."""
    verdict = Verdict(conclusion=checks[0].conclusion, checks=checks)
    lines = tables(verdict, subjects, "en", limit).splitlines()
    return [line for line in lines if line.startswith("|") and "---" not in line and "| Result" not in line]


def test_every_commit_has_a_row_in_the_order_of_commits():
    first, second = rows(DCO)
    assert first.startswith("| `aaaaaaa` | `Add a kernel` | ✅ Passed | ")
    assert second.startswith("| `bbbbbbb` | `Fix it` | ❌ Action needed | ")


def test_a_commit_without_a_known_subject_has_an_empty_cell():
    first, _ = rows(DCO, subjects={B: "Fix it"})
    assert first.startswith("| `aaaaaaa` |  | ✅ Passed | ")


def test_a_commit_says_which_problems_were_waived_and_by_whom():
    by = Note(code="dco/overridden", account=Account(12, "mia"), values={"by": "mia"})
    codes = ("dco/missing", "dco/overridden")
    first, second = CommitStatus(A, "pass", ("dco/signed",)), CommitStatus(B, "pass", codes)
    check = Check(name="DCO", conclusion=Conclusion.SUCCESS, notes=(SIGNED, by), commits=(first, second))
    first, second = rows(check)
    assert first.endswith("| ✅ Passed | Signed off by `Ada <a…a@x.org>`. |")
    assert second == "| `bbbbbbb` | `Fix it` | ✅ Passed | There is no sign-off. Waived by `mia`. |"
    assert "more rows" not in tables(Verdict(conclusion=Conclusion.SUCCESS, checks=(check,)), SUBJECTS, "en", 10_000)


def test_an_override_that_no_commit_needed_has_its_row():
    by = Note(code="dco/overridden", account=Account(12, "mia"), values={"by": "mia"})
    commits = (CommitStatus(A, "pass", ("dco/signed",)),)
    _, second = rows(Check(name="DCO", conclusion=Conclusion.SUCCESS, notes=(SIGNED, by), commits=commits))
    assert "`mia`" in second


def test_every_person_has_a_row_with_problems_first():
    unsigned = Problem(code="cla/unsigned", account=Account(12, "bo"), role="opener", values={"agreement": "icla"})
    exempt = Note(code="cla/exempt", account=Account(11, "ada"), role="author")
    first, second = rows(Check(name="CLA", conclusion=Conclusion.FAILURE, problems=(unsigned,), notes=(exempt,)))
    assert ("`bo`" in first, "Action needed" in first) == (True, True)
    assert ("`ada`" in second, "Passed" in second) == (True, True)


def test_the_public_table_does_not_say_why_a_person_is_not_covered():
    ada = {"account": Account(11, "ada"), "role": "opener"}
    (withdrawn,), (unsigned,) = (
        rows(
            Check(
                name="CLA",
                conclusion=Conclusion.FAILURE,
                problems=(Problem(code=code, values={"agreement": "icla"}, **ada),),
            )
        )
        for code in ("cla/withdrawn", "cla/unsigned")
    )
    assert withdrawn == unsigned
    (individual,), (company,) = (
        rows(Check(name="CLA", conclusion=Conclusion.SUCCESS, notes=(Note(code=code, **ada),)))
        for code in ("cla/individual", "cla/company-account")
    )
    assert individual == company


def test_a_neutral_check_passes_no_person():
    note = Note(code="rules/before-since", values={"since": "2025-01-01T00:00:00Z"})
    (only,) = rows(Check(name="DCO", conclusion=Conclusion.NEUTRAL, notes=(note,), commits=()))
    assert "⚪ Not required" in only


def test_a_check_without_rows_is_its_headline():
    check = Check(name="Changelog", conclusion=Conclusion.SUCCESS)
    assert tables(Verdict(conclusion=Conclusion.SUCCESS, checks=(check,)), {}, "en", 500) == "### " + headline(
        check, "en"
    )


@pytest.mark.parametrize("code", ["facts/incomplete", "rulebook/invalid"])
def test_a_check_that_could_not_be_judged_is_no_failure(code):
    check = Check(name="CLA", conclusion=Conclusion.ACTION_REQUIRED, problems=(Problem(code=code),))
    (only,) = rows(check)
    assert only.startswith("| ⚠️ ")


@pytest.mark.parametrize("limit", [400, 1_000, 5_000, 50_000])
def test_tables_keep_to_the_room_and_count_the_rows_left_out(limit):
    shas = [f"{number:040x}" for number in range(500)]
    problems = tuple(Problem(code="dco/missing", sha=sha, values={"expected": ()}) for sha in shas)
    commits = tuple(CommitStatus(sha, "fail", ("dco/missing",)) for sha in shas)
    check = Check(name="DCO", conclusion=Conclusion.FAILURE, problems=problems, commits=commits)
    text = tables(Verdict(conclusion=Conclusion.FAILURE, checks=(check, check)), {}, "en", limit)
    assert len(text) <= limit
    for section in text.split("\n\n### "):
        shown = len([line for line in section.splitlines() if line.startswith("| `")])
        assert section.endswith(f"\n\n… and {500 - shown} more rows that are not shown here.")
