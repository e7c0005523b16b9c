"""What is missing is said, and never passes."""

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
        (check.name, check.conclusion.value, [one.values.get("of") or one.values.get("why") for one in check.problems])
        for check in verdict.checks
    ]


@pytest.mark.parametrize("doubt", DOUBTS)
@pytest.mark.parametrize("require", ["cla", "dco", "both"])
def test_no_doubt_passes_where_it_matters(doubt, require):
    """Whatever is missing of the commits; who the co-authors are matters to the CLA alone."""
    verdict = judge(facts(require, commits_doubt=doubt))
    of_coauthors = doubt in (AUTHORS, COAUTHORS)
    for check in verdict.checks:
        expected = "success" if of_coauthors and check.name == "DCO" else "action_required"
        assert check.conclusion == expected


@pytest.mark.parametrize(
    ("doubt", "of"),
    [(AUTHORS, "coauthors"), (COAUTHORS, "accounts-of-coauthors"), (ACCOUNTS, "accounts-of-authors")],
)
def test_what_is_not_known_of_people(doubt, of):
    """They, or only whose they are."""
    (problem,) = judge(facts("cla", commits_doubt=doubt)).checks[0].problems
    assert (problem.code, dict(problem.values)) == ("facts/incomplete", {"of": of})


def test_coauthors_whom_no_rule_asks_may_be_unknown():
    """The rulebook checks openers and authors alone."""
    people = People(check=("opener", "authors"))
    assert judge(facts("cla", people=people, commits_doubt=AUTHORS)).conclusion == "success"


def test_an_override_may_be_a_coauthors():
    """Who set the sign-off aside may be somebody whose name was not read: then it does not count."""
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
def test_an_unknown_pusher_is_asked_for_by_the_cla_alone(require, expected):
    """A sign-off is by author or committer, whoever pushed it."""
    assert judge(facts(require, **UNKNOWN)).conclusion == expected


def test_where_no_pusher_is_asked_nobody_is_unknown():
    """The rulebook checks openers and authors alone."""
    assert judge(facts("cla", people=People(check=("opener", "authors")), **UNKNOWN)).conclusion == "success"


def test_whoever_must_act_is_told_so_beside_it():
    """Somebody who has not signed is a failure, and the unknown pusher is named, too."""
    verdict = judge(facts("cla", senders=(Sender(MAX),), **UNKNOWN))
    [check] = verdict.checks
    assert (check.conclusion, [one.code for one in check.problems]) == ("failure", ["cla/unsigned", "facts/incomplete"])


@pytest.mark.parametrize(("override", "conclusion"), [("maintainers", "success"), ("nobody", "action_required")])
def test_somebody_who_may_lets_the_unknown_pusher_pass(override, conclusion):
    """For that head, by an override for nobody's account; only where the rulebook lets anybody."""
    by_max = Override(kind="cla", account_id=0, head_sha="a" * 40, by=MAX)
    verdict = judge(facts("cla", people=People(override=override), overrides=(by_max,), **UNKNOWN))
    assert verdict.conclusion == conclusion
    if conclusion == "success":
        assert [note.code for note in verdict.checks[0].notes] == ["cla/individual", "cla/overridden"]
        assert "cla/overridden" not in [note.code for note in judge(facts("cla", overrides=(by_max,))).checks[0].notes]


def test_a_bot_that_may_be_the_unknown_pusher_is_not_said_to_have_taken_no_part():
    """By the CLA and by the DCO: what is not known is said, and nothing that may be untrue."""
    listed = facts("both", message="x", author=BOT, **UNKNOWN)
    assert incomplete(judge(listed)) == [
        ("CLA", "failure", [None, "pushes"]), ("DCO", "action_required", ["pushes"])
    ]  # fmt: skip
    assert [one.code for one in judge(listed).checks[0].problems] == ["cla/bot-not-listed", "facts/incomplete"]


def test_an_override_of_the_sign_off_may_be_the_unknown_pushers():
    """Never for oneself: while nobody can tell who pushed, it does not count."""
    by_max = Override(kind="dco", account_id=None, head_sha="a" * 40, by=MAX)
    assert incomplete(judge(facts("dco", message="x", overrides=(by_max,), **UNKNOWN))) == [
        ("DCO", "action_required", ["pushes"])
    ]


def test_of_a_sign_off_no_exemption_is_offered():
    """`/cla exempt @ghost` sets aside what the CLA asks for: the DCO would wait on."""
    by_max = Override(kind="cla", account_id=0, head_sha="a" * 40, by=MAX)
    verdict = judge(
        facts("dco", message="x", author=BOT, people=People(override="admins"), overrides=(by_max,), **UNKNOWN)
    )
    assert incomplete(verdict) == [("DCO", "action_required", ["pushes"])]
    assert verdict.checks[0].problems[0].values["override"] == "nobody"


def test_the_heads_are_shown_short():
    """With who may set it aside."""
    problem = completeness.pushes_problem(facts("cla", **UNKNOWN), "admins")
    assert problem is not None
    assert problem.values == {"of": "pushes", "heads": ("bbbbbbb",), "override": "admins"}
    assert completeness.pushes_problem(facts("cla"), "admins") is None
