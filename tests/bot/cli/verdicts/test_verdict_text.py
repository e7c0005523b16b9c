"""A verdict as people read it: the whole first, then every reason with its fix."""

import dataclasses

import pytest

from agreements.json import facts_reader
from agreements.judge import judge
from agreements.rulebook.rules_reader import parse
from bot.cli.verdicts import verdict_text
from bot.report import dco_situation
from bot.rulebook.effective import RulebookProblem

SHA = "a" * 40
FACTS = facts_reader.read({
    "rulebook": {"version": 1}, "repository": {"full_name": "cann/ops"}, "commit_count": 1, "now": "2026-11-21T00:00:00Z",
    "pull_request": {"number": 1, "opener": None, "base": "main", "head_sha": SHA},
    "commits": [{"sha": SHA, "message": "Add", "parents": ["0"], "author": {"name": "Ada", "email": "ada@huawei.com"}}],
}, parse)  # fmt: skip


def said(facts):
    verdict = judge(facts)
    return list(verdict_text.lines(verdict, verdict_text.wording(facts, verdict)))


def test_the_whole_comes_first():
    """The first line is the conclusion and that of each check."""
    assert said(FACTS)[0] == "failure: DCO failure"


def test_nothing_required():
    """A verdict without checks says so."""
    assert said(dataclasses.replace(FACTS, rules=parse({"repositories": [{"match": ["*"], "require": "none"}]}))) == [
        "neutral: nothing is required here"
    ]


def test_each_problem_has_its_fix_below():
    """The problem on one line with code and commit, its commands indented below."""
    first, *fix = said(FACTS)[1:]
    assert first.startswith(f"  DCO dco/missing {SHA[:12]} - Commit aaaaaaa has no sign-off.")
    assert "      git commit --amend --signoff --no-edit --allow-empty --allow-empty-message" in fix
    assert all(line == "" or line.startswith("      ") for line in fix)


def test_a_warning_when_others_would_be_signed():
    """With commits of somebody else in between, the words say that a rebase would sign them too."""
    other = dataclasses.replace(
        FACTS.commits[0], sha="b" * 40, author=dataclasses.replace(FACTS.commits[0].author, email="bo@x.org")
    )
    two = dataclasses.replace(FACTS, commits=(other, *FACTS.commits), commit_count=2)
    assert any("other people" in line.lower() for line in said(two))


def test_a_shared_fix_stands_once():
    """Several commits that the same commands cure are named first, the commands once below."""
    two = dataclasses.replace(
        FACTS, commits=(dataclasses.replace(FACTS.commits[0], sha="b" * 40), *FACTS.commits), commit_count=2
    )
    lines = said(two)
    assert [line.startswith("  DCO dco/missing") for line in lines[1:3]] == [True, True]
    assert lines.count("      git rebase --signoff main") == 1


def test_what_is_to_be_done_stands_last():
    """Notes first, and only how many there are where they are many; then the problems, their fix at the very end."""
    good = [
        dataclasses.replace(
            FACTS.commits[0], sha=f"{number:040x}", message="Add\n\nSigned-off-by: Ada <ada@huawei.com>\n"
        )
        for number in range(21)
    ]
    few = said(dataclasses.replace(FACTS, commits=(*FACTS.commits, *good[:20]), commit_count=21))
    assert [line.split()[1] for line in few[1:22]] == ["dco/signed"] * 20 + ["dco/missing"]
    assert few[-1] == "      ```"
    many = said(dataclasses.replace(FACTS, commits=(*FACTS.commits, *good), commit_count=22))
    assert many[1] == "  DCO dco/signed - 21 of the commits"
    assert many[2].startswith("  DCO dco/missing ")


def test_commands_that_several_codes_share_stand_once():
    """Each code says what it asks for first; the commands follow once, below all of them."""
    other = dataclasses.replace(FACTS.commits[0], sha="b" * 40, message="Add\n\nSigned-off-by: Eve <ada@huawei.com>\n")
    lines = said(dataclasses.replace(FACTS, commits=(other, *FACTS.commits), commit_count=2))
    assert sum("git rebase --signoff main" in line for line in lines) == 1
    first = lines.index("      Check `git config user.name`, then sign off again.")
    assert lines[first + 1 : first + 3] == ["      Add the missing sign-off:", "      ```"]


def test_commits_are_known_by_their_subject():
    """Cut when it is long, every address masked, nothing invisible: it is somebody else's text."""
    for message, shown in (
        ("\nMend the lock\n\nBody", '"Mend the lock" '),
        ("Ask eve@huawei.com\n", '"Ask e…e@huawei.com" '),
        ("a\x1b[31m\n", '"a\\x1b[31m" '),
        ("x" * 100, f'"{"x" * 59}…" '),
        ("", ""),
    ):
        facts = dataclasses.replace(FACTS, commits=(dataclasses.replace(FACTS.commits[0], message=message),))
        verdict = judge(facts)
        row = list(verdict_text.lines(verdict, verdict_text.wording(facts, verdict), verdict_text.subjects(facts)))[1]
        assert row.startswith(f"  DCO dco/missing {SHA[:12]} {shown}- Commit aaaaaaa has no sign-off.")


@pytest.mark.parametrize(
    ("own", "committed", "parts"),
    [
        (True, False, ("Use it only if that commit is yours", "git commit --amend --signoff")),
        (False, True, ("Ask their authors", "You committed it", "git commit --amend --signoff")),
        (False, False, ("Ask their authors",)),
    ],
)
def test_what_a_clone_knows_of_people(own, committed, parts):
    """Somebody else's commit: no command, unless it may be one's own to sign."""
    verdict = judge(FACTS)
    found = dco_situation.of_verdict(FACTS, verdict)
    situation = dataclasses.replace(found, others=True, own=own, committed=committed, known=True, push=None)
    text = "\n".join(verdict_text.lines(verdict, verdict_text.wording(FACTS, verdict, situation)))
    assert all(part in text for part in parts)
    assert ("```" in text) == (own or committed)
    assert "git push" not in text


def test_a_verdict_without_facts():
    """A broken rulebook is said where no pull request could be looked at."""
    verdict = RulebookProblem("rulebook/invalid", {"errors": ("line 7: people.exmpt: unknown key",)}).verdict()
    first, second, *_ = verdict_text.lines(verdict, verdict_text.wording(None, verdict))
    assert first == "action_required: Rulebook action_required"
    assert second == "  Rulebook rulebook/invalid - The rulebook has errors: line 7: people.exmpt: unknown key"
