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


def small(require, **limits):
    """A rulebook in which small changes need no agreement."""
    return {"repositories": [{"match": ["*"], "require": require, "small": limits}]}


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
def test_a_rule_that_never_matches_is_doubted(matches, expected):
    assert lint(rules(*matches)) == expected


NO_NAME = ("!core", "a b", "ops:math", "/ge", "cann/", "a/b/c", "[", "[ab", "[!a-z0-9._-]", "算子")
"""Names at GitHub are made of few characters; nothing here means "not"."""
SOME_NAMES = ("??*", "*-*", "[a-y]*", "cann/*", "*a*", "?")
"""Some repository is left for the rules after it."""


@pytest.mark.parametrize("pattern", NO_NAME + SOME_NAMES)
def test_a_pattern_that_no_name_has_is_doubted(pattern):
    assert lint(rules([pattern], ["*"])) == (["repositories.0.match.0"] if pattern in NO_NAME else [])


@pytest.mark.parametrize("pattern", ["**", "?*", "*?", "*/*", "?*/?*", "**/**", "[!x]*/*", "[!/]*/*", "*[!/]"])
def test_a_catch_all_in_any_spelling_belongs_last(pattern):
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
def test_a_rule_shadowed_by_several_earlier_ones_is_doubted(matches, shadowed):
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
def test_leaving_out_opener_or_senders_is_doubted(asked, missing):
    """Authors are only a claim of the commit."""
    found = [
        text
        for path, text in doubts(parse({"people": {"check": asked}}), NOW, GITHUB_COM)
        if path == ("people", "check")
    ]
    assert [text.partition(":")[0] for text in found] == [f"leaves out {role}" for role in missing]


def test_an_exemption_by_login_alone_is_doubted():
    data = {"people": {"exempt": [{"id": 1, "login": "a"}, {"login": "b"}], "agents": {"accounts": [{"login": "c"}]}}}
    assert lint(data) == ["people.exempt.1", "people.agents.accounts.0"]
    assert lint({"dco": {"exempt": [{"id": 1, "login": "a"}, {"login": "b"}, {"id": 1}]}}) == [
        "dco.exempt.1",
        "dco.exempt.2.id",
    ]


def test_a_repeated_id_or_address_is_doubted():
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
def test_an_address_that_any_person_can_get_is_doubted(address, doubted):
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
def test_accepted_versions_that_leave_out_the_current_one_or_do_nothing_are_doubted(entries, expected):
    assert lint({"agreements": {"accept": {"icla": entries}}}) == [f"agreements.accept.{at}" for at in expected]


def test_each_current_version_of_one_text_counts():
    agreements = {
        "individual": {"text": "icla", "version": "2.0"},
        "corporate": {"text": "icla", "version": "3.0"},
        "accept": {"icla": [{"versions": "2.0"}]},
    }
    ((path, said),) = doubts(parse({"agreements": agreements}), NOW, GITHUB_COM)
    assert (path, "3.0" in said) == (("agreements", "accept", "icla"), True)


@pytest.mark.parametrize(("since", "doubted"), [("2026-11-22", True), ("2026-11-21", False), (None, False)])
def test_a_beginning_in_the_future_is_doubted(since, doubted):
    """Every pull request goes unjudged until then."""
    assert lint({"since": since}) == (["since"] if doubted else [])


def test_no_address_is_repeated_in_a_doubt():
    ada = "ada.lovelace@huawei.com"
    said = doubts(parse({**rules([ada]), "people": {"exempt": [{"login": ada}]}}), NOW, GITHUB_COM)
    assert len(said) == 2
    assert all("a…e@huawei.com" in words and ada not in words for _, words in said)


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        ({"dco": {"remediation": {"third_party": True}}}, ["dco.remediation.third_party"]),
        ({"dco": {"names": "free", "matching": "exact"}}, ["dco.names"]),
        ({"dco": {"names": "free"}}, []),
        ({"dco": {"merged": "exempt", "matching": "exact"}}, ["dco.merged"]),
        ({"dco": {"merged": "exempt"}}, []),
        ({"dco": {"portal": True, "matching": "exact"}}, ["dco.portal"]),
        ({"dco": {"portal": True}}, []),
        ({"dco": {"reverts": "exempt", "matching": "exact"}}, ["dco.reverts"]),
        ({"dco": {"reverts": "exempt"}}, []),
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
        (small("cla", lines=15, paths=["*.md", "docs/**"]), []),
        (small("dco", lines=15, paths=["*.md"]), ["repositories.0.small"]),
        (small("cla", lines=101, paths=["*.md"]), ["repositories.0.small.lines"]),
        (
            small("cla", lines=9, paths=["*.md", "*", "src/**"]),
            ["repositories.0.small.paths.1", "repositories.0.small.paths.2"],
        ),
    ],
)
def test_a_setting_without_effect_is_doubted(data, expected):
    assert lint(data) == expected


@pytest.mark.parametrize("require", ["cla", "both", "either", "dco", "none"])
def test_an_agreement_without_the_organisations_name_is_doubted(require):
    data = {"repositories": [{"match": ["ops"], "require": "dco"}, {"match": ["*"], "require": require}]}
    found = [path for path, _ in nameless(parse(data))]

    assert found == ([("organization",)] if require in ("cla", "both", "either") else [])
    assert nameless(parse({**data, "organization": "CANN"})) == ()


def test_the_advice_names_the_noreply_form_of_its_own_server():
    server = github_server("ghe.corp.example")
    for local, doubted in (("Copilot", True), ("5+Copilot", False)):
        emails = [f"{local}@users.noreply.ghe.corp.example"]
        found = doubts(parse({"people": {"agents": {"emails": emails}}}), NOW, server)
        assert [said for _, said in found if "write ID+LOGIN@users.noreply.ghe.corp.example" in said] == [
            doubt[1] for doubt in found
        ]
        assert bool(found) is doubted
