"""Cases of public reports of this field have the right conclusion and the words that help."""

import json
from pathlib import Path

import pytest

from agreements.json.facts_reader import read
from agreements.judge import judge
from bot.cli.verdicts import verdict_text

CASES = Path(__file__).parents[3] / "shared" / "data" / "report_cases.jsonl"
OTHERWISE = {
    "D22": "`people.exempt` says who needs no CLA. Sign-offs are waived by `dco.exempt` alone, or it would waive both.",
    "E25": "The facts name no server, so they are github.com's, where that number is web-flow's.",
}
"""Cases in which we differ, and why."""


def cases():
    lines = CASES.read_text(encoding="utf-8").splitlines() if CASES.exists() else []
    return [pytest.param(case, id=case["id"]) for case in map(json.loads, lines)]


def said(facts, verdict):
    """All that `countersign evaluate` says, as text and as JSON."""
    words = verdict_text.wording(facts, verdict)
    lines = list(verdict_text.lines(verdict, words, verdict_text.subjects(facts)))
    found = [words(problem) for check in verdict.checks for problem in check.problems]
    return "\n".join([*lines, *(note.message for note in found), *(note.fix for note in found)])


@pytest.mark.skipif(not CASES.exists(), reason="the cases are not here")
@pytest.mark.parametrize("case", cases())
def test_a_reported_case_has_its_conclusion_and_the_helpful_words(case):
    facts = read(case["facts"])
    verdict = judge(facts)
    text = said(facts, verdict)
    assert (verdict.conclusion.value in case["expected"]) is (case["id"] not in OTHERWISE)
    assert [phrase for phrase in case["text_has"] if not any(word in text for word in phrase.split("|"))] == []
    assert [phrase for phrase in case["text_has_not"] if phrase in text] == []


@pytest.mark.parametrize("section", ["people", "dco"])
def test_a_machine_account_is_exempt_by_the_section_of_the_dco_only(section):
    account = {"id": 50, "login": "acme-bot", "type": "User"}
    git = {"name": "acme-bot", "email": "bot@acme.org"}
    commit = {
        "sha": "a" * 40,
        "message": "sync",
        "parents": ["0"],
        "author": git,
        "author_account": account,
        "committer": git,
    }
    facts = {
        "rulebook": {section: {"exempt": [{"id": 50}]}}, "repository": {"full_name": "acme/core"}, "now": "2026-11-28T00:00:00Z",
        "pull_request": {"number": 7, "opener": account, "head_sha": "a" * 40}, "commit_count": 1, "commits": [commit],
    }  # fmt: skip
    assert judge(read(facts)).conclusion.passes is (section == "dco")
