"""Incomplete facts are told and never pass."""

from datetime import UTC, datetime

import pytest

from agreements import completeness
from agreements.completeness import ACCOUNTS, AUTHORS, COAUTHORS, DOUBTS
from agreements.facts import Account, Coauthor, Commit, Facts, Identity, Override, PullRequest, Sender, Signature
from agreements.judge import judge
from agreements.rulebook.rules import DcoRules, People, RepositoryRule, Rules

NOW = datetime(2026, 11, 21, tzinfo=UTC)
ADA, BOT, MAX = Account(11, "ada"), Account(5, "bot[bot]", "Bot"), Account(12, "max")
SIGNED = "Fix it\n\nSigned-off-by: Ada <ada@x.org>"


def facts(require, *, message=SIGNED, author=ADA, people=None, dco=None, **more):
    """One commit by ada, who has signed, opened by her."""
    mine = Identity("Ada", "ada@x.org")
    commit = Commit(sha="a" * 40, message=message, author=mine, committer=mine, author_account=author,
                    coauthors=(Coauthor("Ada", "ada@x.org", ADA),))  # fmt: skip
    rules = Rules(repositories=(RepositoryRule(("*",), require),), people=people or People(), dco=dco or DcoRules())
    signature = Signature(agreement="icla", version="2.0", account_id=ADA.id, signed_at=NOW)
    return Facts(rules=rules, repository="o/r", pull_request=PullRequest(number=1, opener=ADA, head_sha="a" * 40), commit_count=1,
                 commits=(commit,), signatures=(signature,), now=NOW, **more)  # fmt: skip


def incomplete(verdict):
    """Each check with its conclusion, and what is said of `facts/incomplete`."""
    return [
        (
            check.name,
            check.conclusion.value,
            [problem.values.get("of") or problem.values.get("why") for problem in check.problems],
        )
        for check in verdict.checks
    ]


@pytest.mark.parametrize("doubt", DOUBTS)
@pytest.mark.parametrize("require", ["cla", "dco", "both"])
def test_a_doubt_about_commits_never_passes_except_coauthors_for_the_dco(doubt, require):
    verdict = judge(facts(require, commits_doubt=doubt))
    of_coauthors = doubt in (AUTHORS, COAUTHORS)
    for check in verdict.checks:
        expected = "success" if of_coauthors and check.name == "DCO" else "action_required"
        assert check.conclusion == expected


@pytest.mark.parametrize(
    ("doubt", "of"),
    [(AUTHORS, "coauthors"), (COAUTHORS, "accounts-of-coauthors"), (ACCOUNTS, "accounts-of-authors")],
)
def test_unknown_people_and_unknown_accounts_are_told_apart(doubt, of):
    (problem,) = judge(facts("cla", commits_doubt=doubt)).checks[0].problems
    assert (problem.code, dict(problem.values)) == ("facts/incomplete", {"of": of})


def test_unknown_coauthors_pass_if_no_rule_asks_for_coauthors():
    people = People(check=("opener", "authors"))
    assert judge(facts("cla", people=people, commits_doubt=AUTHORS)).conclusion == "success"


def test_an_override_does_not_count_while_its_giver_may_be_an_unknown_coauthor():
    by_max = Override(kind="dco", account_id=None, head_sha="a" * 40, by=MAX)
    assert judge(facts("dco", message="x", overrides=(by_max,))).conclusion == "success"
    assert judge(facts("dco", message="x", overrides=(by_max,), commits_doubt=AUTHORS)).conclusion == "action_required"


UNKNOWN = {"unknown_pushes": ("b" * 40,)}


@pytest.mark.parametrize(
    ("require", "expected"),
    [
        ("cla", "action_required"),
        ("dco", "success"),
        ("both", "action_required"),
        ("either", "success"),
        ("none", "neutral"),
    ],
)
def test_an_unknown_pusher_is_a_problem_for_the_cla_alone(require, expected):
    """A sign-off is by author or committer; the pusher does not matter."""
    assert judge(facts(require, **UNKNOWN)).conclusion == expected


def test_an_unknown_pusher_passes_if_no_rule_asks_for_senders():
    assert judge(facts("cla", people=People(check=("opener", "authors")), **UNKNOWN)).conclusion == "success"


def test_an_unsigned_person_is_a_failure_beside_the_unknown_pusher():
    verdict = judge(facts("cla", senders=(Sender(MAX),), **UNKNOWN))
    [check] = verdict.checks
    assert (check.conclusion, [problem.code for problem in check.problems]) == (
        "failure",
        ["cla/unsigned", "facts/incomplete"],
    )


@pytest.mark.parametrize(("override", "conclusion"), [("maintainers", "success"), ("nobody", "action_required")])
def test_an_override_by_an_allowed_person_passes_the_unknown_pusher_for_its_head(override, conclusion):
    by_max = Override(kind="cla", account_id=0, head_sha="a" * 40, by=MAX)
    verdict = judge(facts("cla", people=People(override=override), overrides=(by_max,), **UNKNOWN))
    assert verdict.conclusion == conclusion
    if conclusion == "success":
        assert [note.code for note in verdict.checks[0].notes] == ["cla/individual", "cla/overridden"]
        assert "cla/overridden" not in [note.code for note in judge(facts("cla", overrides=(by_max,))).checks[0].notes]


def test_a_bot_that_may_be_the_unknown_pusher_is_not_called_uninvolved():
    listed = facts("both", message="x", author=BOT, **UNKNOWN)
    assert incomplete(judge(listed)) == [
        ("CLA", "failure", [None, "pushes"]), ("DCO", "action_required", ["pushes"])
    ]  # fmt: skip
    assert [problem.code for problem in judge(listed).checks[0].problems] == ["cla/bot-not-listed", "facts/incomplete"]


def test_a_sign_off_override_does_not_count_while_its_giver_may_be_the_unknown_pusher():
    by_max = Override(kind="dco", account_id=None, head_sha="a" * 40, by=MAX)
    assert incomplete(judge(facts("dco", message="x", overrides=(by_max,), **UNKNOWN))) == [
        ("DCO", "action_required", ["pushes"])
    ]


def test_the_dco_offers_no_cla_exemption_for_an_unknown_pusher():
    by_max = Override(kind="cla", account_id=0, head_sha="a" * 40, by=MAX)
    verdict = judge(
        facts("dco", message="x", author=BOT, people=People(override="admins"), overrides=(by_max,), **UNKNOWN)
    )
    assert incomplete(verdict) == [("DCO", "action_required", ["pushes"])]
    assert verdict.checks[0].problems[0].values["override"] == "nobody"


def test_the_heads_and_the_people_who_may_override_are_shown():
    problem = completeness.pushes_problem(facts("cla", **UNKNOWN), "admins")
    assert problem is not None
    assert problem.values == {"of": "pushes", "heads": ("bbbbbbb",), "override": "admins"}
    assert completeness.pushes_problem(facts("cla"), "admins") is None
