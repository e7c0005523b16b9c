"""A verdict as text: the conclusion first, then every reason with its fix."""

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


def test_the_first_line_is_the_conclusion_of_all_and_of_each_check():
    assert said(FACTS)[0] == "failure: DCO failure"


def test_a_verdict_without_checks_says_that_nothing_is_required():
    assert said(dataclasses.replace(FACTS, rules=parse({"repositories": [{"match": ["*"], "require": "none"}]}))) == [
        "neutral: nothing is required here"
    ]


def test_the_commands_of_a_problem_are_indented_below_it():
    first, *fix = said(FACTS)[1:]
    assert first.startswith(f"  DCO dco/missing {SHA[:12]} - Commit aaaaaaa has no sign-off.")
    assert "      git commit --amend --signoff --no-edit" in fix
    assert all(line == "" or line.startswith("      ") for line in fix)


def test_commits_of_other_people_add_a_warning_to_the_commands():
    other = dataclasses.replace(
        FACTS.commits[0], sha="b" * 40, author=dataclasses.replace(FACTS.commits[0].author, email="bo@x.org")
    )
    two = dataclasses.replace(FACTS, commits=(other, *FACTS.commits), commit_count=2)
    assert any("other people" in line.lower() for line in said(two))


def test_a_shared_block_of_commands_stands_once_below_its_commits():
    two = dataclasses.replace(
        FACTS, commits=(dataclasses.replace(FACTS.commits[0], sha="b" * 40), *FACTS.commits), commit_count=2
    )
    lines = said(two)
    assert [line.startswith("  DCO dco/missing") for line in lines[1:3]] == [True, True]
    assert lines.count("      git rebase --signoff main") == 1


def test_notes_come_first_and_problems_with_their_commands_last():
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
    other = dataclasses.replace(FACTS.commits[0], sha="b" * 40, message="Add\n\nSigned-off-by: Eve <ada@huawei.com>\n")
    lines = said(dataclasses.replace(FACTS, commits=(other, *FACTS.commits), commit_count=2))
    assert sum("git rebase --signoff main" in line for line in lines) == 1
    first = lines.index("      Check `git config user.name`, then sign off again.")
    assert lines[first + 1 : first + 3] == ["      Add the missing sign-off:", "      ```"]


def test_a_commit_is_named_by_its_masked_and_shortened_subject():
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
def test_a_commit_of_another_person_gets_commands_only_if_one_may_certify_it(own, committed, parts):
    verdict = judge(FACTS)
    found = dco_situation.of_verdict(FACTS, verdict)
    situation = dataclasses.replace(found, others=True, own=own, committed=committed, known=True, push=None)
    text = "\n".join(verdict_text.lines(verdict, verdict_text.wording(FACTS, verdict, situation)))
    assert all(part in text for part in parts)
    assert ("```" in text) == (own or committed)
    assert "git push" not in text


def test_a_broken_rulebook_is_said_without_facts():
    verdict = RulebookProblem("rulebook/invalid", {"errors": ("line 7: people.exmpt: unknown key",)}).verdict()
    first, second, *_ = verdict_text.lines(verdict, verdict_text.wording(None, verdict))
    assert first == "action_required: Rulebook action_required"
    assert second == "  Rulebook rulebook/invalid - The rulebook has errors: line 7: people.exmpt: unknown key"
