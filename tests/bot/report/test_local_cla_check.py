"""Without accounts a CLA is never fine; a whitelist is a hint; and only what decides decides."""

from dataclasses import replace

import pytest

from agreements.facts import (
    Account,
    Check,
    Coauthor,
    Commit,
    Conclusion,
    Facts,
    FileDiff,
    Identity,
    Problem,
    PullRequest,
    Verdict,
)
from agreements.rulebook.rules_reader import parse
from agreements.whitelist import Whitelist
from bot.clock import now
from bot.report import local_cla_check

LISTED = Whitelist(frozenset({11}), frozenset({"huawei.com"}))


def facts(*people, opener=None, coauthors=(), **people_rules):
    commits = [
        Commit(sha=str(index), author=Identity(*person), coauthors=coauthors) for index, person in enumerate(people)
    ]
    return Facts(
        rules=parse({"people": people_rules}),
        repository="cann/ops",
        pull_request=PullRequest(number=0, opener=opener, head_sha="0"),
        commit_count=len(commits),
        commits=tuple(commits),
        now=now(),
    )


def values(*arguments, **options):
    check = local_cla_check.cla(facts(*arguments, **options), LISTED)
    assert check.conclusion == Conclusion.ACTION_REQUIRED
    return check.problems[0].values["listed"], check.problems[0].values["others"]


@pytest.mark.parametrize(("additions", "shown"), [(3, True), (16, False)])
def test_a_small_change_is_told_and_is_still_no_pass(additions, shown):
    found = facts(("Ada", "ada@huawei.com"))
    small = {"lines": 15, "paths": ["*.md"]}
    rules = parse({"repositories": [{"match": ["*"], "require": "cla", "small": small}]})
    request = replace(found.pull_request, changes=(FileDiff(path="a.md", additions=additions, text=True),))
    check = local_cla_check.cla(replace(found, rules=rules, pull_request=request))
    assert check.conclusion == Conclusion.ACTION_REQUIRED
    assert [(note.code, note.values["lines"], note.values["total"]) for note in check.notes] == [
        ("cla/small-change", 3, 100)
    ] * shown


def test_without_a_whitelist_one_problem_says_that_accounts_are_unknown():
    check = local_cla_check.cla(facts(("Ada", "ada@huawei.com")))
    (problem,) = check.problems
    assert check.name == "CLA"
    assert (problem.code, dict(problem.values)) == ("facts/incomplete", {"of": "accounts"})


@pytest.mark.parametrize(
    ("email", "known"),
    [
        ("ada@huawei.com", True),
        ("ada@rd.huawei.com", True),
        ("11+ada@users.noreply.github.com", True),
        ("12+ada@users.noreply.github.com", False),
        ("ada@users.noreply.github.com", False),
        ("ada@huawei.com.cn", False),
        ("ada@evilhuawei.com", False),
        ("ada@www.huawei.com", False),
        ("ada", False),
    ],
)
def test_the_whitelist_knows_a_noreply_id_or_an_address_in_a_domain(email, known):
    listed, others = values(("Ada", email))
    assert (len(listed), len(others)) == (int(known), int(not known))


def test_each_person_is_listed_once_masked_and_no_agent_is():
    agents = {"emails": ["ai@x.org"]}
    coauthors = (Coauthor("AI", "ai@x.org"), Coauthor("Bo", "bo@x.org"))
    found = values(
        ("Ada", "ada@huawei.com"),
        ("Ada", "ada@huawei.com"),
        opener=Account(11, "ada"),
        coauthors=coauthors,
        agents=agents,
    )
    assert found == (("ada", "Ada <a…a@huawei.com>"), ("Bo <b…@x.org>",))


@pytest.mark.parametrize(("many", "counted"), [(9, []), (10, []), (11, ["+1"]), (13, ["+3"])])
def test_ten_of_many_people_are_named_and_the_rest_counted(many, counted):
    _, others = values(*[(f"P{number}", f"p{number}@x.org") for number in range(many)])
    assert [*others] == [f"P{number} <p…@x.org>" for number in range(min(many, 10))] + counted


@pytest.mark.parametrize(
    ("name", "code", "passes"),
    [
        ("CLA", "facts/incomplete", True),
        ("Changelog", "changelog/missing", True),
        ("CLA", "facts/empty", False),
        ("DCO", "dco/missing", False),
        ("DCO", "facts/incomplete", False),
        ("Rulebook", "rulebook/invalid", False),
    ],
)
def test_dco_rulebook_and_empty_range_decide_while_cla_and_changelog_advise(name, code, passes):
    bad = Check(name=name, conclusion=Conclusion.ACTION_REQUIRED, problems=(Problem(code=code),))
    assert local_cla_check.passes(Verdict(conclusion=bad.conclusion, checks=(bad,))) is passes


def test_a_verdict_without_checks_passes():
    assert local_cla_check.passes(Verdict(conclusion=Conclusion.NEUTRAL))
