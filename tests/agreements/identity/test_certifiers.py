"""Only people certify: bots, agents and web-flow are told from them."""

import re
from datetime import date
from urllib.parse import urlsplit

import pytest

from agreements.domains.canonical_form import approvable, canonical_address
from agreements.facts import Account, Commit, Identity
from agreements.github_server import GITHUB_COM, github_server
from agreements.identity.certifiers import (
    actors,
    agent_list,
    agent_name,
    certifying,
    is_bot,
    is_web_flow,
    kind,
    known_agent,
    known_coauthor,
    named_bot,
    people,
    perhaps_bots,
    shipped_agents,
    with_bots,
)
from agreements.identity.matching import CommitPerson, address_key, noreply_owner
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
def test_identities_are_told_as_person_bot_agent_or_web_flow(email, account, expected):
    assert kind(Identity("N", email), account, LIST) == expected


@pytest.mark.parametrize(("host", "email", "number", "login", "is_one"), [
    ("github.com", "noreply@github.com", None, "", True), ("github.com", "x@y.org", 19864447, "renamed", True), ("github.com", "x@y.org", 5, "web-flow", False),
    ("github.com", "noreply@ghe.corp.example", None, "", False), ("ghe.corp.example", "noreply@ghe.corp.example", None, "", True),
    ("ghe.corp.example", "noreply@github.com", None, "", True), ("ghe.corp.example", "x@y.org", 5, "Web-Flow", True), ("ghe.corp.example", "x@y.org", 19864447, "dan", False),
    ("ghe.corp.example", "5+web-flow@users.noreply.ghe.corp.example", None, "", True), ("ghe.corp.example", "web-flow@users.noreply.ghe.corp.example", None, "", True),
    ("ghe.corp.example", "5+web-flowers@users.noreply.ghe.corp.example", None, "", False), ("ghe.corp.example", "noreply@corp.example", None, "", False),
    ("ghe.corp.example", "noreply@x.ghe.corp.example", None, "", False), ("acme.ghe.com", "noreply@acme.ghe.com", None, "", True), ("acme.ghe.com", "noreply@ghe.com", None, "", False),
    ("github.com", "", None, "", False), ("ghe.corp.example", "", None, "", False),
])  # fmt: skip
def test_web_flow_is_its_number_on_github_com_and_its_login_elsewhere(host, email, number, login, is_one):
    """Its address on github.com belongs to no person on any server."""
    account = None if number is None else Account(number, login)
    assert is_web_flow(email, account, github_server(host)) is is_one


def test_an_agent_entry_without_an_id_matches_no_account():
    assert LIST.ids == {5}
    assert not LIST.has("", None)
    assert not agent_list(Agents(), GITHUB_COM, known=True).has("", None)


def test_a_bot_is_named_by_its_address_or_its_account():
    assert named_bot(Identity("D", "158243242+devin-ai-integration[bot]@users.noreply.github.com"), None, GITHUB_COM)
    assert named_bot(Identity("D", "x@y.org"), Account(9, "z", "Bot"), GITHUB_COM)
    assert not named_bot(Identity("D", "x@y.org"), Account(9, "z"), GITHUB_COM)


def test_an_agent_is_named_by_its_address_or_by_the_account_of_that_address():
    among = [CommitPerson(Identity("A", "a@x.org"), Account(198982749, "Copilot"), "author")]
    assert agent_name("noreply@anthropic.com", among, GITHUB_COM) == "Claude"
    assert agent_name("A@X.org", among, GITHUB_COM) == "GitHub Copilot"
    assert agent_name("b@x.org", among, GITHUB_COM) is None


def test_only_people_may_certify():
    named = [
        CommitPerson(Identity("A", "a@x"), None, "author"),
        CommitPerson(Identity("G", "noreply@github.com"), None, "committer"),
    ]
    assert [person.role for person in certifying(named, LIST)] == ["author"]


def test_the_people_of_a_commit_are_the_identities_that_it_names(case):
    found = read(case({"sha": "a", "author": {"name": "A", "email": "a"}, "committer": None})).commits[0]
    assert [person.role for person in people(found)] == ["author"]
    (both,) = read(case()).commits
    assert [person.role for person in people(both)] == ["author", "committer"]


def test_only_opener_and_senders_are_authenticated_actors(case):
    assert actors(read(case(senders=[{"id": 12}]))) == {11, 12}
    assert actors(read(case(pull_request={**case()["pull_request"], "opener": None}))) == frozenset()


def test_a_bot_is_told_by_its_type_or_by_brackets_that_no_user_s_login_can_have():
    assert is_bot(Account(1, "a", "Bot"))
    assert is_bot(Account(1, "a[bot]"))
    assert not is_bot(Account(1, "bot", "User"))


def test_the_owner_of_a_noreply_address_is_asked_only_for_unlinked_authors_of_plain_commits():
    robot, other = "5+x[bot]@users.noreply.github.com", "6+Copilot@Users.NoReply.GitHub.com"

    def commit(email, account=None, parents=("0",)):
        return Commit(sha="a", message="", parents=parents, author=Identity("X", email), author_account=account)

    linked = commit("7+y[bot]@users.noreply.github.com", Account(7, "y[bot]", "Bot"))
    some = (commit(robot), commit(other), commit("8+z[bot]@users.noreply.github.com", parents=("0", "1")), linked)
    assert perhaps_bots([*some, commit("a@x.org"), Commit(sha="b", message="")], GITHUB_COM) == {robot, other}

    found = with_bots(
        [*some, Commit(sha="b", message="")], {robot: Account(5, "x[bot]", "Bot"), linked.author.email: Account(9)}
    )
    assert [commit.author_account and commit.author_account.id for commit in found] == [5, None, None, 7, None]


ENTRIES = shipped_agents()
BO = Account(12, "bo")
CLAUDE, ACTION = "noreply@anthropic.com", "41898282+claude[bot]@users.noreply.github.com"


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda agent: agent.email or agent.login)
def test_each_listed_agent_has_a_number_or_an_address_and_a_dated_source(entry):
    assert entry.name
    assert (entry.id is None) != (entry.email == "")
    assert entry.id is None or (entry.id > 0 and entry.login)
    assert not re.search(r"[*?\s]", entry.email)
    source = urlsplit(entry.source)
    assert (source.scheme, source.netloc, source.query, source.fragment) == ("https", "github.com", "", "")
    assert re.fullmatch(
        r"/[\w.-]+/[\w.-]+(/(blob|commit|issues|pull)/[\w./-]+)?", source.path
    )  # of a public repository
    assert entry.read_on > date(2026, 1, 1)


@pytest.mark.parametrize("email", [entry.email for entry in ENTRIES if entry.email])
def test_no_listed_agent_address_can_belong_to_a_person(email):
    _, _, domain = email.partition("@")
    if domain == "users.noreply.github.com":
        assert noreply_owner(email, GITHUB_COM) is not None
    else:
        assert canonical_address(email) == email
        assert approvable(domain) is None or domain == "github.com"  # GitHub's own; its users have another


def test_no_id_or_address_is_listed_for_two_agents():
    ids = [entry.id for entry in ENTRIES if entry.id is not None]
    addresses = [address_key(entry.email) for entry in ENTRIES if entry.email]
    assert len(set(ids)) == len(ids)
    assert len(set(addresses)) == len(addresses)


@pytest.mark.parametrize(("email", "account", "name", "coauthor"), [
    (CLAUDE, None, "Claude", "Claude"), (CLAUDE.upper(), None, "Claude", "Claude"), (CLAUDE, Account(81847, "renamed"), "Claude", "Claude"),
    ("x@y.org", Account(81847, "claude"), "Claude", "Claude"), ("81847+anything@users.noreply.github.com", None, "Claude", "Claude"),
    (CLAUDE, BO, "Claude", None), (ACTION, None, "Claude", "Claude"), (ACTION, Account(41898282, "github-actions[bot]", "Bot"), "Claude", "Claude"), (ACTION, BO, "Claude", None),
    ("41898282+github-actions[bot]@users.noreply.github.com", None, None, None), ("198982749+Copilot@users.noreply.github.com", None, "GitHub Copilot", "GitHub Copilot"),
    ("198982749+Copilot@users.noreply.github.com", BO, None, None), (CLAUDE, Account(198982749, "Copilot"), "GitHub Copilot", "GitHub Copilot"),
    ("x@y.org", Account(6, "claude"), None, None), ("claude@users.noreply.github.com", None, None, None), ("me+noreply@anthropic.com", None, None, None), ("", None, None, None), ("", BO, None, None),
])  # fmt: skip
def test_the_account_id_decides_that_an_identity_is_an_agent(email, account, name, coauthor):
    assert (known_agent(email, account, GITHUB_COM), known_coauthor(email, account, GITHUB_COM)) == (name, coauthor)


@pytest.mark.parametrize(("email", "name"), [
    ("gemini@google.com", "Gemini CLI"), ("218195315+gemini-cli@users.noreply.github.com", "Gemini CLI"), ("244629292+kiro-agent@users.noreply.github.com", "Kiro"),
    ("noreply@codeium.com", "Windsurf"), ("codex@openai.com", "OpenAI Codex"), ("158243242+devin-ai-integration[bot]@users.noreply.github.com", "Devin"),
    ("161369871+google-labs-jules[bot]@users.noreply.github.com", "Jules"), ("clio-agent@sisyphuslabs.ai", "Sisyphus"), ("no-reply@ona.com", "Ona"), ("noreply@cline.bot", "Cline"),
    ("159125892+gpt-engineer-app[bot]@users.noreply.github.com", "Lovable"), ("159125892+lovable-dev[bot]@users.noreply.github.com", "Lovable"), ("NoReply@Continue.dev", "Continue"),
    ("gemini@gmail.com", None), ("gemini-cli@users.noreply.github.com", None), ("218195316+gemini-cli@users.noreply.github.com", None), ("kiro@amazon.com", None), ("noreply@google.com", None),
    ("windsurf@codeium.com", None), ("noreply@codeium.com.example.org", None), ("cline-agent@users.noreply.github.com", None), ("12+kiro-agent[bot]@users.noreply.github.com", None),
])  # fmt: skip
def test_the_names_that_agents_write_into_commits_are_known_and_look_alikes_are_not(email, name):
    assert known_coauthor(email, None, GITHUB_COM) == name


def test_the_listed_ids_are_those_of_github_com():
    """On another server the same number is another account, in an address as well."""
    elsewhere = github_server("github.example.com")
    assert known_agent("x@y.org", Account(218195315, "bo"), elsewhere) is None
    assert known_coauthor("218195315+bo@users.noreply.github.example.com", None, elsewhere) is None
