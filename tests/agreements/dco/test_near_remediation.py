"""A line that was to sign off an earlier commit and does not is named with its mistake; the verdict stays."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from agreements.dco import signoff
from agreements.facts import Account, Commit, Facts, Identity, PullRequest
from agreements.rulebook.rules import DcoRules, Rules

ADA, BO = Identity("Ada", "ada@x.org"), Identity("Bo", "bo@x.org")
TARGET, LATER, OLD = "0123456789abcdef0123456789abcdef01234567", "b" * 40, "c0ffee" * 6 + "cafe"
WORDS = "hereby add my Signed-off-by to this commit"
RIGHT = f"I, Ada <ada@x.org>, {WORDS}: {TARGET}"
ON = DcoRules(individual_remediation=True)


def judged(line, rules=ON, author=ADA):
    """The result of a commit of ada's that another one was to sign off."""
    later = Commit(sha=LATER, author=author, committer=author, message=f"Sign off\n\n{line}\n\nSigned-off-by: {author.name} <{author.email}>")  # fmt: skip
    commits = (Commit(sha=TARGET, author=ADA, committer=ADA, message="Add a parser"), later)
    at = datetime(2026, 11, 1, tzinfo=UTC)
    request = PullRequest(number=7, opener=Account(1, "ada"), created_at=at, head_sha=LATER)
    facts = Facts(rules=Rules(dco=rules), repository="cann/ops", pull_request=request, commits=commits, commit_count=2, now=at)  # fmt: skip
    return signoff.judge(facts)


NEAR = [
    (f"I, Ada <ada@x.org>, {WORDS}: {TARGET[:7]}", "sha"),
    (f"I, Ada <ada@x.org>, {WORDS}: {TARGET[:12]}", "sha"),
    (f"{RIGHT}.", "sha"),
    (f"{RIGHT} (Add a parser)", "sha"),
    (f"I, Ada <ada@x.org>, {WORDS}: {TARGET.upper()}", "sha"),
    (f"I, Ada <ada@x.org>, {WORDS}: `{TARGET}`", "sha"),
    (f"I, Ada <ada@x.org>, herby add my Signed-off-by to this commit: {TARGET}", "words"),
    (f"I, Ada <ada@x.org>, hereby add my Signed-off-by to commit: {TARGET}", "words"),
    (f"I, Ada <ada@x.org>, hereby sign off this commit: {TARGET}", "words"),
    (f"I, Ada <ada@x.org>, {WORDS} {TARGET}", "words"),
    (f"I Ada <ada@x.org> {WORDS}: {TARGET}", "words"),
    (f"I, ada@x.org, {WORDS}: {TARGET}", "words"),
    (f"> {RIGHT}", "words"),
    (f"  {RIGHT}", "words"),
    (f"I, Ada <ada@x.org>, {WORDS}:\n{TARGET}", "wrapped"),
    (f"I, Ada <ada@x.org>, hereby add my Signed-off-by to this\ncommit: {TARGET}", "wrapped"),
    (f"I, Ada <ada@private.org>, {WORDS}: {TARGET}", "person"),
    (f"I, Bo <bo@x.org>, {WORDS}: {TARGET}", "person"),
    (f"On behalf of Ada <ada@x.org>, {RIGHT}", "behalf"),
    (f"I, Ada <ada@x.org>, {WORDS}: {OLD}", "gone"),
]


@pytest.mark.parametrize(("line", "why"), NEAR)
def test_the_mistake_in_a_line_that_was_to_sign_off_an_earlier_commit_is_named(line, why):
    check = judged(line)
    (problem,) = check.problems
    assert (problem.code, problem.sha, problem.values["why"]) == ("dco/missing", TARGET, f"remedy-{why}")
    assert problem.values["by_sha"] == LATER[:7]
    assert problem.values["expected"] == ("Ada <a…a@x.org>",)
    assert "ada@" not in problem.values["line"]
    assert [status.status for status in check.commits] == ["fail", "pass"]


def test_for_others_each_person_has_to_be_of_their_commit():
    both = replace(ON, third_party_remediation=True)
    (problem,) = judged(f"On behalf of Bo <bo@x.org>, {RIGHT}", both).problems
    assert problem.values["why"] == "remedy-people"
    assert judged(f"On behalf of Ada <ada@x.org>, {RIGHT}", both).problems == ()


def test_the_line_of_another_commits_author_is_named_too():
    (problem,) = judged(RIGHT, author=BO).problems
    assert problem.values["why"] == "remedy-person"


def test_where_later_commits_sign_off_nothing_the_right_line_is_told_so():
    (problem,) = judged(RIGHT, DcoRules()).problems
    assert problem.values["why"] == "remedy-off"


@pytest.mark.parametrize("matching", ["evidence", "exact"])
def test_the_right_line_counts_under_both_ways_to_compare(matching):
    assert judged(RIGHT, replace(ON, matching=matching)).problems == ()


@pytest.mark.parametrize(
    "line",
    ["", f"Reverts {TARGET}.", f"The Signed-off-by of {TARGET[:7]} is missing.", f"We hereby revert commit {TARGET}.",
     "I hereby add my Signed-off-by to all of them.", f"I, Bo <bo@x.org>, {WORDS}: {OLD}"],
)  # fmt: skip
def test_other_lines_are_no_hint(line):
    (problem,) = judged(line).problems
    assert (problem.code, dict(problem.values)) == ("dco/missing", {"expected": ("Ada <a…a@x.org>",)})
