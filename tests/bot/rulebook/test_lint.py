"""Doubts are named only where they are certain."""

from datetime import UTC, datetime

import pytest

from agreements.github_server import GITHUB_COM, github_server
from agreements.rulebook.rules_reader import parse
from bot.rulebook.lint import doubts, nameless

NOW = datetime(2026, 11, 21, tzinfo=UTC)


def lint(data):
    """The key paths that are doubted."""
    return [".".join(map(str, path)) for path, _ in doubts(parse(data), NOW, GITHUB_COM)]


def rules(*patterns):
    """A rulebook with one rule for each list of patterns."""
    return {"repositories": [{"match": list(match), "require": "cla"} for match in patterns]}


@pytest.mark.parametrize(
    ("matches", "expected"),
    [
        ([["ops-*", "ge"], ["*"]], []),
        ([["*"], ["ge"]], ["repositories.0.match", "repositories.1.match.0"]),
        ([["ops-*"], ["OPS-math", "ge"]], ["repositories.1.match.0"]),
        ([["ops-*"], ["ops-m*"]], ["repositories.1.match.0"]),
        ([["ops-m*"], ["ops-*"]], []),
        ([["ge", "GE"]], []),
        ([["ops-?"], ["ops-*"]], []),
        ([["ops-[ab]"], ["ops-[ac]"]], []),
        ([["cann/ops-*"], ["ops-*"]], []),
        ([["ops-*"], ["cann/ops-math"]], ["repositories.1.match.0"]),
        ([["cann/*"], ["cann/ge"]], ["repositories.1.match.0"]),
        ([["a/b/c"], ["*"]], ["repositories.0.match.0"]),
        ([["ops math"], ["*"]], ["repositories.0.match.0"]),
    ],
)
def test_rules_that_never_match(matches, expected):
    """A pattern that an earlier rule takes, or that no name can have, is doubted; a catch-all belongs last."""
    assert lint(rules(*matches)) == expected


NO_NAME = ("!core", "a b", "ops:math", "/ge", "cann/", "a/b/c", "[", "[ab", "[!a-z0-9._-]", "算子")
"""Names at GitHub are made of few characters; nothing here means "not"."""
SOME_NAMES = ("??*", "*-*", "[a-y]*", "cann/*", "*a*", "?")
"""Some repository is left for the rules after it."""


@pytest.mark.parametrize("pattern", NO_NAME + SOME_NAMES)
def test_patterns_that_no_name_has(pattern):
    """They are doubted, and those that some names have are not."""
    assert lint(rules([pattern], ["*"])) == (["repositories.0.match.0"] if pattern in NO_NAME else [])


@pytest.mark.parametrize("pattern", ["**", "?*", "*?", "*/*", "?*/?*", "**/**", "[!x]*/*", "[!/]*/*", "*[!/]"])
def test_every_spelling_of_all_belongs_last(pattern):
    """What takes every repository, however it is written; the last rule may."""
    found = lint(rules([pattern], ["ge"]))
    assert ("repositories.0.match" in found) is (pattern != "[!x]*/*")
    assert lint(rules(["ge"], [pattern])) == []


@pytest.mark.parametrize(
    ("matches", "shadowed"),
    [
        ([["a*"], ["b*"], ["[ab]c"]], True),
        ([["a*"], ["b*"], ["[abc]d"]], False),
        ([["[a-m]*"], ["[!a-m]*"], ["*"]], True),
        ([["ge-a"], ["ge-b"], ["ge-[ab]"]], True),
        ([["ge-a"], ["ge-b"], ["ge-?"]], False),
        ([["ge", "me"], ["me"]], True),
        ([["cann/ge"], ["other/ge"], ["ge"]], False),
        ([["*/ge"], ["ge"]], True),
        ([["ge"], ["GE"]], True),
        ([["cann/*", "other/*"], ["ge"]], False),
    ],
)
def test_shadowed_by_several(matches, shadowed):
    """Also where only several earlier rules together take everything of a later one."""
    assert lint(rules(*matches)) == ([f"repositories.{len(matches) - 1}.match.0"] if shadowed else [])


@pytest.mark.parametrize(
    ("asked", "missing"),
    [
        (["opener", "senders"], []),
        (["senders", "authors", "coauthors"], ["opener"]),
        (["opener", "authors"], ["senders"]),
        (["authors"], ["opener", "senders"]),
    ],
)
def test_whom_git_names(asked, missing):
    """Authors are what a commit claims: whoever opens and whoever pushes should be asked, too."""
    found = [
        text
        for path, text in doubts(parse({"people": {"check": asked}}), NOW, GITHUB_COM)
        if path == ("people", "check")
    ]
    assert [text.partition(":")[0] for text in found] == [f"leaves out {role}" for role in missing]


def test_exempt_without_an_id():
    """A login alone means nobody."""
    data = {"people": {"exempt": [{"id": 1, "login": "a"}, {"login": "b"}], "agents": {"accounts": [{"login": "c"}]}}}
    assert lint(data) == ["people.exempt.1", "people.agents.accounts.0"]
    assert lint({"dco": {"exempt": [{"id": 1, "login": "a"}, {"login": "b"}, {"id": 1}]}}) == [
        "dco.exempt.1",
        "dco.exempt.2.id",
    ]


def test_the_same_twice():
    """One id, or one address in two spellings."""
    people = {
        "exempt": [{"id": 1, "login": "a"}, {"id": 2, "login": "a"}, {"id": 1, "login": "b"}],
        "agents": {"accounts": [{"id": 1}, {"id": 1}], "emails": ["bot@openai.com", "x@openai.com", "Bot@OpenAI.com."]},
    }
    assert lint({"people": people}) == ["people.exempt.2.id", "people.agents.accounts.1.id", "people.agents.emails.2"]


@pytest.mark.parametrize(
    ("address", "doubted"),
    [
        ("noreply@anthropic.com", False),
        ("agent@gmail.com", True),
        ("agent@mail.qq.com", True),
        ("agent@mailinator.com", True),
        ("198982749+Copilot@users.noreply.github.com", False),
        ("Copilot@users.noreply.github.com", True),
        ("noreply@github.com", False),
        ("agent@localhost", False),
        ("not an address@", False),
    ],
)
def test_addresses_that_anybody_can_have(address, doubted):
    """At a free-mail or disposable-mail provider, or made of a login alone, which changes hands."""
    assert lint({"people": {"agents": {"emails": [address]}}}) == (["people.agents.emails.0"] if doubted else [])


@pytest.mark.parametrize(
    ("entries", "expected"),
    [
        ([{"versions": ">=2.0"}], []),
        ([{"versions": "1.x", "until": "2027-01-31"}, {"versions": ">=2.0"}], []),
        ([], ["icla"]),
        ([{"versions": "1.x"}], ["icla"]),
        ([{"versions": "<2.0"}, {"versions": ">2.0"}], ["icla"]),
        ([{"versions": "2"}], []),
        ([{"versions": ">=2.0", "until": "2026-11-22"}], []),
        ([{"versions": ">=2.0", "until": "2026-11-21"}], ["icla.0.until", "icla"]),
        ([{"versions": ">=2.0"}, {"versions": "1.x", "until": "2020-01-01"}], ["icla.1.until"]),
        ([{"versions": ">=2.0"}, {"versions": ">2.0, <1.0"}], ["icla.1.versions"]),
        ([{"versions": ">=2.0"}, {"versions": "1.x"}, {"versions": "1.x", "until": "2027-01-01"}], ["icla.2.versions"]),
    ],
)
def test_versions_that_count(entries, expected):
    """Whoever signs the current version must be covered; an entry that is over, or that no version fits, does nothing."""
    assert lint({"agreements": {"accept": {"icla": entries}}}) == [f"agreements.accept.{at}" for at in expected]


def test_each_current_version_counts():
    """Of both agreements, also where they are one text."""
    agreements = {
        "individual": {"text": "icla", "version": "2.0"},
        "corporate": {"text": "icla", "version": "3.0"},
        "accept": {"icla": [{"versions": "2.0"}]},
    }
    ((path, said),) = doubts(parse({"agreements": agreements}), NOW, GITHUB_COM)
    assert (path, "3.0" in said) == (("agreements", "accept", "icla"), True)


@pytest.mark.parametrize(("since", "doubted"), [("2026-11-22", True), ("2026-11-21", False), (None, False)])
def test_since(since, doubted):
    """A beginning in the future lets every pull request of today go unjudged."""
    assert lint({"since": since}) == (["since"] if doubted else [])


def test_no_address_is_repeated():
    """What was written in the wrong place may be somebody's address."""
    ada = "ada.lovelace@huawei.com"
    said = doubts(parse({**rules([ada]), "people": {"exempt": [{"login": ada}]}}), NOW, GITHUB_COM)
    assert len(said) == 2
    assert all("a…e@huawei.com" in words and ada not in words for _, words in said)


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        ({"dco": {"remediation": {"third_party": True}}}, ["dco.remediation.third_party"]),
        ({"dco": {"remediation": {"third_party": True, "individual": True}}}, []),
        ({"dco": {"matching": "exact", "exempt": [{"id": 50}]}}, ["dco.exempt"]),
        ({"dco": {"matching": "evidence", "exempt": [{"id": 50}]}}, []),
        ({"changelog": {"path": "/CHANGELOG.md"}}, ["changelog.path"]),
        ({"changelog": {"path": "../CHANGELOG.md"}}, ["changelog.path"]),
        ({"changelog": {"path": "./docs/CHANGES"}}, ["changelog.path"]),
        ({"changelog": {"path": "docs/"}}, ["changelog.path"]),
        ({"changelog": {"path": "docs/..changes/.log"}}, []),
        ({"changelog": {"skip-label": "CLA-Signed"}}, ["changelog.skip-label"]),
        ({"labels": {"required": "no-changelog"}}, ["changelog.skip-label"]),
    ],
)
def test_what_has_no_effect(data, expected):
    """Remediation by others alone, a path that no file has, labels that GitHub does not take or that mean two things."""
    assert lint(data) == expected


@pytest.mark.parametrize("require", ["cla", "both", "either", "dco", "none"])
def test_agreements_with_nobody(require):
    """Whoever is asked to sign has to be told with whom; without agreements no name is needed."""
    data = {"repositories": [{"match": ["ops"], "require": "dco"}, {"match": ["*"], "require": require}]}
    found = [path for path, _ in nameless(parse(data))]

    assert found == ([("organization",)] if require in ("cla", "both", "either") else [])
    assert nameless(parse({**data, "organization": "CANN"})) == ()


def test_an_address_of_a_login_alone_on_another_server():
    """The advice names the form of the server whose accounts these are."""
    server = github_server("ghe.corp.example")
    for local, doubted in (("Copilot", True), ("5+Copilot", False)):
        emails = [f"{local}@users.noreply.ghe.corp.example"]
        found = doubts(parse({"people": {"agents": {"emails": emails}}}), NOW, server)
        assert [said for _, said in found if "write ID+LOGIN@users.noreply.ghe.corp.example" in said] == [
            one[1] for one in found
        ]
        assert bool(found) is doubted
