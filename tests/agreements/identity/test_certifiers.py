"""Whose word can certify: people, and nobody else."""

import pytest

from agreements.facts import Account, Commit, Identity
from agreements.github_server import GITHUB_COM
from agreements.identity.certifiers import (
    actors,
    agent_list,
    agent_name,
    certifying,
    is_bot,
    kind,
    named_bot,
    people,
    perhaps_bots,
    with_bots,
)
from agreements.identity.equivalence import CommitPerson
from agreements.json.facts_reader import read
from agreements.rulebook.rules import Agents, ExemptAccount

LIST = agent_list(
    Agents(accounts=(ExemptAccount(5, "agent"), ExemptAccount(None, "nobody")), emails=("Bot@Agent.example", "")),
    GITHUB_COM,
    known=True,
)


@pytest.mark.parametrize(("email", "account", "expected"), [
    ("ada@x.org", None, "person"), ("ada@x.org", Account(11, "ada"), "person"), ("NoReply@GitHub.com", None, "web-flow"),
    ("x@y.org", Account(19864447, "web-flow"), "web-flow"), ("bot@agent.example", None, "agent"), ("x@y.org", Account(5, "renamed"), "agent"),
    ("5+agent@users.noreply.github.com", None, "agent"), ("x@bot@agent.example", None, "person"), ("", Account(6, "nobody"), "person"),
    ("noreply@ｇithub.com", None, "web-flow"), ("noreply@github。com", None, "web-flow"), ("xnoreply@github.com", None, "person"),
    ("NoReply@Anthropic.com", None, "agent"), ("noreply@anthropic.com", Account(11, "ada"), "agent"), ("x@y.org", Account(198982749, "any"), "agent"),
    ("158243242+devin-ai-integration[bot]@users.noreply.github.com", None, "agent"), ("noreply@x.anthropic.com", None, "person"),
    ("x@y.org", Account(9, "z", "Bot"), "bot"), ("x@y.org", Account(9, "z[bot]"), "bot"), ("9+z[bot]@users.noreply.github.com", None, "bot"),
])  # fmt: skip
def test_kinds(email, account, expected):
    """Agents by exact id or address, bots by type or brackets, web-flow by address or id."""
    assert kind(Identity("N", email), account, LIST) == expected


def test_an_agent_without_an_id_is_nobody():
    """An entry without its key matches no one, not even an account without an address."""
    assert LIST.ids == {5}
    assert not LIST.has("", None)
    assert not agent_list(Agents(), GITHUB_COM, known=True).has("", None)


def test_a_bot_by_address_or_account():
    """Also where it is a known agent."""
    assert named_bot(Identity("D", "158243242+devin-ai-integration[bot]@users.noreply.github.com"), None, GITHUB_COM)
    assert named_bot(Identity("D", "x@y.org"), Account(9, "z", "Bot"), GITHUB_COM)
    assert not named_bot(Identity("D", "x@y.org"), Account(9, "z"), GITHUB_COM)


def test_the_name_of_an_agent():
    """By the address, or by the account of whoever has the address in the commit; another's account says nothing."""
    among = [CommitPerson(Identity("A", "a@x.org"), Account(198982749, "Copilot"), "author")]
    assert agent_name("noreply@anthropic.com", among, GITHUB_COM) == "Claude"
    assert agent_name("A@X.org", among, GITHUB_COM) == "GitHub Copilot"
    assert agent_name("b@x.org", among, GITHUB_COM) is None


def test_only_people_remain():
    """What is no person is left out of those who may certify."""
    named = [
        CommitPerson(Identity("A", "a@x"), None, "author"),
        CommitPerson(Identity("G", "noreply@github.com"), None, "committer"),
    ]
    assert [one.role for one in certifying(named, LIST)] == ["author"]


def test_author_and_committer(case):
    """A commit's people are the identities that it names."""
    found = read(case({"sha": "a", "author": {"name": "A", "email": "a"}, "committer": None})).commits[0]
    assert [one.role for one in people(found)] == ["author"]
    (both,) = read(case()).commits
    assert [one.role for one in people(both)] == ["author", "committer"]


def test_actors_are_authenticated(case):
    """Opener and pushers act; authors only claim."""
    assert actors(read(case(senders=[{"id": 12}]))) == {11, 12}
    assert actors(read(case(pull_request={**case()["pull_request"], "opener": None}))) == frozenset()


def test_bots():
    """A bot is told by its type, or by brackets that no user can have."""
    assert is_bot(Account(1, "a", "Bot"))
    assert is_bot(Account(1, "a[bot]"))
    assert not is_bot(Account(1, "bot", "User"))


def test_whose_noreply_address_it_is_may_be_asked():
    """Only GitHub's own addresses without an account, and of authors whose commit is no merge."""
    robot, other = "5+x[bot]@users.noreply.github.com", "6+Copilot@Users.NoReply.GitHub.com"

    def commit(email, account=None, parents=("0",)):
        return Commit(sha="a", message="", parents=parents, author=Identity("X", email), author_account=account)

    linked = commit("7+y[bot]@users.noreply.github.com", Account(7, "y[bot]", "Bot"))
    some = (commit(robot), commit(other), commit("8+z[bot]@users.noreply.github.com", parents=("0", "1")), linked)
    assert perhaps_bots([*some, commit("a@x.org"), Commit(sha="b", message="")], GITHUB_COM) == {robot, other}

    found = with_bots(
        [*some, Commit(sha="b", message="")], {robot: Account(5, "x[bot]", "Bot"), linked.author.email: Account(9)}
    )
    assert [one.author_account and one.author_account.id for one in found] == [5, None, None, 7, None]
