"""Replayed pull requests as lines and as data: short, in order, no address in the open, nothing that a terminal obeys."""

import pytest

from agreements.facts import Account, Problem
from bot.cli.verdicts import replay_outcome
from bot.rulebook.replay import ReplayOutcome, ReplayProblem

SHAS = [letter * 40 for letter in "abcdefg"]


def finding(code, check="CLA", **about):
    """A problem of that check."""
    return ReplayProblem(check, Problem(code=code, **about))


BO = finding(
    "cla/unsigned", account=Account(12, "bo"), role="coauthor", values={"agreement": "icla", "also": ("company",)}
)


@pytest.mark.parametrize(
    ("outcome", "line"),
    [
        (ReplayOutcome("success", "failure", (BO,)), "success → failure  + CLA cla/unsigned bo"),
        (ReplayOutcome("failure", "success", (), (BO,)), "failure → success  - CLA cla/unsigned bo"),
        (ReplayOutcome("failure", "failure", (BO,), (finding("dco/missing", "DCO", sha=SHAS[0]),)),
         "failure  + CLA cla/unsigned bo  - DCO dco/missing aaaaaaa"),
        (ReplayOutcome("success", "failure", tuple(finding("dco/missing", "DCO", sha=sha) for sha in SHAS)),
         "success → failure  + DCO dco/missing aaaaaaa, bbbbbbb, ccccccc, ddddddd, eeeeeee and 2 more"),
        (ReplayOutcome("success", "failure", (BO, finding("cla/unsigned", account=Account(13)))),
         "success → failure  + CLA cla/unsigned bo, account 13"),
        (ReplayOutcome("success", "failure", (finding("changelog/missing", "Changelog", values={"path": "CHANGELOG.md"}),)),
         "success → failure  + Changelog changelog/missing"),
        (ReplayOutcome("success", "action_required", (finding("rulebook/invalid", "Rulebook", values={"errors": ("line 3: wrong", "more")}),)),
         "success → action_required  + Rulebook rulebook/invalid (line 3: wrong)"),
        (ReplayOutcome("neutral", "success"), "neutral → success"),
        (ReplayOutcome("failure", "failure", (), (BO,), ("shadow", "enforce"), "which files it touches"),
         "failure  mode shadow → enforce  - CLA cla/unsigned bo  ? which files it touches"),
        ("cannot be replayed: no facts", "cannot be replayed: no facts"),
    ],
)  # fmt: skip
def test_lines(outcome, line):
    """What changes, then whom it is about, each code once."""
    assert replay_outcome.line("cann/ops#7", outcome) == f"cann/ops#7  {line}"


def test_nothing_that_a_terminal_obeys_and_no_address():
    """Logins and a rulebook's words come from outside."""
    odd = (
        finding("cla/unsigned", account=Account(5, "eve\x1b[2J ada@huawei.com")),
        finding("rulebook/invalid", "Rulebook", values={"errors": ("line 3: bo@huawei.com\x1b[1m",)}),
    )
    for shown in (
        replay_outcome.line("a/b#1", ReplayOutcome("success", "failure", odd)),
        str(replay_outcome.plain("a/b#1", ReplayOutcome("x", "y", odd[:1]))),
    ):
        assert "\x1b" not in shown
        assert "ada@" not in shown
        assert "bo@" not in shown


def test_as_data():
    """A problem has the keys of evaluate's verdict, but for its words."""
    assert replay_outcome.plain("cann/ops#7", ReplayOutcome("success", "failure", (BO,))) == {
        "pull_request": "cann/ops#7",
        "before": "success",
        "after": "failure",
        "new": [
            {
                "check": "CLA", "code": "cla/unsigned", "sha": None, "account": {"id": 12, "login": "bo"},
                "role": "coauthor", "values": {"agreement": "icla", "also": ["company"]},
            }
        ],
        "gone": [],
    }  # fmt: skip
    more = replay_outcome.plain(
        "cann/ops#7", ReplayOutcome("success", "success", (), (), ("enforce", "shadow"), "which files")
    )
    assert (more["mode"], more["unknown"]) == (["enforce", "shadow"], "which files")
    assert replay_outcome.plain("cann/ops#7", "no") == {"pull_request": "cann/ops#7", "error": "no"}


@pytest.mark.parametrize(
    ("found", "said"),
    [
        ([], "0 of 0 pull requests would change"),
        ([ReplayOutcome("success", "success")], "0 of 1 pull request would change"),
        (
            [ReplayOutcome("success", "failure"), "no", "no"],
            "1 of 3 pull requests would change; 2 could not be replayed",
        ),
        (
            [ReplayOutcome("failure", "failure", unknown="x")] * 2,
            "0 of 2 pull requests would change; 2 are known in part",
        ),
    ],
)
def test_summary(found, said):
    """Counts what changes and what is not known."""
    assert replay_outcome.summary(found) == said
