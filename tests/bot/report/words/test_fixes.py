"""Each different thing to do stands once, with a line for each cause above the commands that several share."""

import pytest

from agreements.facts import Account, Problem
from bot.report.words import CommandContext, fixes


def problem(number, code="dco/missing", **values):
    """A problem of that commit."""
    return Problem(code=code, sha=f"{number:040x}", account=Account(11, "ada"), role="author", values=values)


def said(*problems, language="en", **situation):
    """What there is to do."""
    return fixes(problems, language, show=str, situation=CommandContext("main", amend=False, **situation))


@pytest.mark.parametrize("language", ["en", "zh"])
def test_many_commits_of_one_cause(language):
    """What to do, and the commands; the commits are in the table."""
    (block,) = said(*(problem(number, expected=(f"{number}",)) for number in range(40)), language=language)
    assert block.count("git rebase --signoff main") == 1
    assert "40" not in block


def test_several_causes():
    """A line for each, with how many commits it is about and what to look at first; then the commands, once."""
    block = said(problem(1), problem(2), problem(3, "dco/name-differs"), problem(3, "dco/malformed", why="no-space"))[0]
    assert block.startswith(
        "- 2 commits: no sign-off.\n"
        "- 1 commit: the name in the sign-off does not match. Check `git config user.name` first.\n"
        "- 1 commit: no space after `Signed-off-by:`.\n"
        "\nThen run this in your clone:\n```\n"
    )
    assert block.count("```") == 2


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_cause_has_its_line(language):
    """In both languages, whatever the code."""
    codes = ("missing", "malformed", "name-differs", "email-differs", "mismatch", "invisible", "invalid-email",
             "member-unverified", "agent-signoff", "bot-unproven")  # fmt: skip
    problems = [problem(number, f"dco/{code}") for number, code in enumerate(codes)]
    blocks = said(*problems, language=language, reset=True, bots=True)
    assert len(blocks) == 1
    assert sum(line.startswith("- 1 ") for line in blocks[0].splitlines()) == len(codes)


def test_what_is_no_commits():
    """Different things stay apart, the same stands once."""
    unsigned = Problem(code="cla/unsigned", account=Account(1, "a"), values={"agreement": "icla"})
    other = Problem(code="cla/unsigned", account=Account(2, "b"), values={"agreement": "icla"})
    listed = Problem(code="cla/bot-not-listed", account=Account(3, "x[bot]", "Bot"))
    assert len(said(unsigned, other, listed)) == 2
    assert said() == []
