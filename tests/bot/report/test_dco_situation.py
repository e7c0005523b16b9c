"""The authors of the failing commits decide which commands are printed: found in the facts, not guessed."""

from dataclasses import replace

import pytest

from agreements.judge import judge
from bot.report import dco_situation
from bot.report.words.git_commands import commands
from tests.promises.pull import ADA, BO, account, commit, facts, read

BOT = account(5, "dependabot[bot]", "Bot")
BOTS = "5+dependabot[bot]@users.noreply.github.com"
SIGNED = "Add\n\nSigned-off-by: {} <{}>"


def by(who, email, number, *, name="Ada", signed=False, **more):
    """A commit of that account and address."""
    message = SIGNED.format(name, email) if signed else "Add"
    return commit(who, email, name=name, sha=f"{number:040x}", message=message, **more)


def found(*commits, request=None, **rulebook):
    """The situation of these commits, of which the last is the head."""
    known = read(facts(*commits, require="dco", rulebook=rulebook, request=request))
    return dco_situation.of_verdict(known, judge(known))


def test_only_a_failing_head_is_amended():
    mine = by(ADA, "ada@home.org", 1, signed=True)
    assert found(mine, by(ADA, "ada@home.org", 2)).amend is True
    assert found(by(ADA, "ada@home.org", 1), mine | {"sha": "9" * 40}).amend is False


def test_the_portal_is_offered_where_a_failing_commit_can_be_signed_off_there():
    mine, bots = by(ADA, "ada@home.org", 1), by(BOT, BOTS, 2, name="dependabot[bot]")
    for commits, dco, offered in (
        ((mine,), {"portal": True}, True), ((mine,), {}, False), ((mine,), {"portal": True, "matching": "exact"}, False),
        ((bots,), {"portal": True}, False), ((by(ADA, "ada@home.org", 1, signed=True),), {"portal": True}, False),
    ):  # fmt: skip
        assert found(*commits, dco=dco).portal is offered


def test_people_are_told_apart_by_address_or_noreply_account():
    mine, web = by(ADA, "ada@home.org", 1), by(ADA, "11+ada@users.noreply.github.com", 2)
    theirs = by(BO, "bo@home.org", 3, name="Bo", signed=True)
    assert found(mine, web).others is False
    assert found(mine, theirs).others is True
    assert found(mine, theirs | {"parents": ["1" * 40, "2" * 40]}).others is False
    assert found(mine, by(ADA, "other@home.org", 3)).others is True, "an account that GitHub guesses proves nothing"


def test_commits_of_others_that_the_opener_passed_on_need_their_authors():
    mine, theirs = by(ADA, "ada@home.org", 1, signed=True), by(BO, "bo@home.org", 2, name="Bo")
    rebased = theirs | {"committer": mine["committer"], "committer_account": mine["committer_account"]}
    alone = found(mine, rebased)
    assert (alone.own, alone.committed) == (False, True)
    advice = commands(alone, "en")
    assert "Ask their authors to sign them off" in advice
    assert "git commit --amend --signoff" in advice
    assert "Use it only if that commit is yours." in commands(replace(found(rebased), own=True), "en")
    assert "Use it only if that commit is yours." not in commands(found(by(ADA, "ada@home.org", 1)), "en")
    assert found(by(ADA, "ada@home.org", 1), rebased).own is True
    assert found(mine, theirs).own is True, "it may be the opener's own, under a wrong address"


def test_a_bot_counts_as_another_person_only_when_its_commit_passes():
    mine = by(ADA, "ada@home.org", 1)
    named = found(mine, by(BOT, BOTS, 2, name="dependabot[bot]"))
    assert (named.others, named.bots) == (False, True)
    opened = found(mine, by(BOT, BOTS, 2, name="dependabot[bot]"), request={"opener": BOT})
    assert (opened.others, opened.bots) == (True, False)


def test_a_bot_is_known_by_its_account_under_any_address():
    remediation = {"dco": {"remediation": {"individual": True}}}
    mine = by(ADA, "ada@home.org", 1)
    found_ = found(mine, by(BOT, "bot@home.org", 2, name="dependabot"), **remediation)
    assert (found_.individual, found_.others) == ((mine["sha"],), False)


def test_a_merge_that_needs_no_sign_off_is_told():
    """The commands would lose it."""
    mine = by(ADA, "ada@home.org", 1)
    merge = by(ADA, "ada@home.org", 2, parents=["1" * 40, "2" * 40])
    assert found(mine).merges is False
    assert found(mine, by(ADA, "ada@home.org", 2, signed=True)).merges is False
    assert found(mine, merge).merges is True


def test_where_only_an_agents_commits_fail_no_filter_by_address_is_offered():
    agents = {"people": {"agents": {"emails": ["agent@ai.org"]}}}
    theirs = by(BO, "bo@home.org", 1, name="Bo", signed=True)
    agent = by(None, "agent@ai.org", 2, name="Agent", signed=True)
    mine = by(ADA, "ada@home.org", 3, signed=True)
    assert found(theirs, mine, agent, **agents).others is False
    assert found(theirs, mine | {"message": "Add"}, agent, **agents).others is True


@pytest.mark.parametrize("base", ["main", "eve@huawei.com"])
def test_a_base_branch_named_like_an_address_is_left_out(base):
    """The mask of an address would make the name that of another branch."""
    assert found(by(ADA, "ada@home.org", 1), request={"base": base}).base == ("" if "@" in base else base)


def test_only_commits_that_the_rulebook_lets_count_may_be_signed_off_later():
    broken, mine = by(ADA, "ada@", 1), by(ADA, "ada@home.org", 2)
    named = by(BOT, BOTS, 3, name="dependabot[bot]")
    fine = by(ADA, "ada@home.org", 4, signed=True)
    none, own, both = (
        found(broken, mine, named, fine, dco={"remediation": {"individual": individual, "third_party": third_party}})
        for individual, third_party in ((False, True), (True, False), (True, True))
    )
    assert (none.individual, none.third_party) == ((), ())
    assert (own.individual, own.third_party) == ((mine["sha"],), ())
    assert (both.individual, both.third_party) == ((mine["sha"],), (broken["sha"], mine["sha"], named["sha"]))
    assert own.reset is True


@pytest.mark.parametrize(("changes", "rulebook", "verifiable"), [
    ({}, {}, True),
    ({}, {"dco": {"matching": "exact"}}, False),  # no proof counts there
    ({"author_account": None}, {}, False),
    ({"committer_account": None}, {}, False),  # the name may be the committer's, who has no account
    ({"committer": {"name": "GitHub", "email": "noreply@github.com"}, "committer_account": None}, {}, True),
    ({"message": SIGNED.format("Eve", "ada@work.example")}, {}, False),  # another person's name
    ({"message": "Add"}, {}, False),
])  # fmt: skip
def test_an_address_can_be_verified_where_only_it_differs_and_accounts_are_known(changes, rulebook, verifiable):
    other = by(ADA, "ada@home.org", 1) | {"message": SIGNED.format("Ada", "ada@work.example")} | changes
    assert found(other, **rulebook).verifiable is verifiable


def test_a_private_address_of_github_can_be_verified_too():
    mine = by(ADA, "11+ada@users.noreply.github.com", 1) | {"message": SIGNED.format("Ada", "ada@home.org")}
    assert found(mine).verifiable


def test_a_commit_made_on_the_website_is_known_by_its_committer():
    web = {"committer": {"name": "GitHub", "email": "noreply@github.com"}}
    assert found(by(ADA, "ada@home.org", 1, **web)).web == (f"{1:040x}",)
    assert found(by(BOT, BOTS, 1, name="dependabot[bot]", **web)).web == (), "a bot commits by GitHub's API"
    assert found(by(account(198982749, "Copilot"), "198982749+Copilot@users.noreply.github.com", 1, **web)).web == ()
    assert found(by(ADA, "ada@home.org", 1, parents=["1" * 40, "2" * 40], **web), by(ADA, "ada@home.org", 2)).web == ()


def test_without_facts_the_situation_is_unknown():
    known = read(facts(by(ADA, "ada@home.org", 1), require="cla"))
    assert dco_situation.of_verdict(None, judge(known)) == dco_situation.of_verdict(known, judge(known))
