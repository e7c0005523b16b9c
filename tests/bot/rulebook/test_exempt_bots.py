"""Bots are proposed where a CLA is required, and what is proposed can be pasted."""

import pytest
import yaml

from agreements.github_server import GITHUB_COM, github_server
from agreements.rulebook.rules_reader import parse
from bot.rulebook.exempt_bots import BOTS, advice, proposed


def book(require="cla", **people):
    """A rulebook with these people."""
    return {
        "version": 1,
        "repositories": [{"match": ["*"], "require": require}],
        **({"people": people} if people else {}),
    }


@pytest.mark.parametrize(("data", "logins"), [
    (book(), [bot.login for bot in BOTS]), (book("both"), [bot.login for bot in BOTS]), (book("either"), [bot.login for bot in BOTS]),
    (book("dco"), []), (book("none"), []), ({"version": 1}, []),
    (book(exempt=[{"id": 49699333}, {"id": 29139614, "login": "x"}]), ["github-actions[bot]", "pre-commit-ci[bot]"]),
    (book(exempt=[{"login": "dependabot[bot]"}]), [bot.login for bot in BOTS]), (book(exempt=[{"id": bot.id} for bot in BOTS]), []),
])  # fmt: skip
def test_bots_are_proposed_where_a_cla_is_required_and_none_is_exempt_by_id(data, logins):
    """A login alone exempts no account."""
    assert [bot.login for bot in proposed(parse(data), GITHUB_COM)] == logins


@pytest.mark.parametrize(
    ("text", "under"),
    [
        ("version: 1\n", ""),
        ("version: 1\npeople:\n  domains: enrolled\n", ""),
        ("version: 1\npeople:\n  exempt:\n    - {id: 7}\n", ""),
        ("version: 1\npeople:\n", "people:"),
        ("version: 1\npeople:\n  exempt: []\n", "  exempt: []"),
    ],
)
def test_the_proposed_text_can_be_pasted(text, under):
    said = list(advice(BOTS, yaml.safe_load(text)))
    pasted = "\n".join(line for line in said if line.startswith(("people:", "  ")))
    lines = [*(text.replace(f"{under}\n", "") if under else text).splitlines(), *pasted.splitlines()]
    whole, keys = yaml.safe_load("\n".join(lines)), [line.split(":")[0] for line in lines if "{" not in line]
    assert sorted(set(keys)) == sorted(keys), "no key twice, of which one would be lost"
    before = (yaml.safe_load(text)["people"] if "people" in text else None) or {}
    assert whole["people"] == {
        **before,
        "exempt": [*before.get("exempt", []), *({"id": bot.id, "login": bot.login} for bot in BOTS)],
    }
    assert said[:4] == [
        "",
        "Bots cannot sign an agreement. If you use any of these bots, add them to people.exempt",
        "in the organisation's rulebook:",
        "",
    ]
    assert proposed(parse({**whole, "repositories": [{"match": ["*"], "require": "cla"}]}), GITHUB_COM) == ()
    assert list(advice((), {})) == []


@pytest.mark.parametrize("host", ["ghe.corp.example", "acme.ghe.com"])
def test_no_bot_is_proposed_on_another_server(host):
    """The same numbers are other accounts there."""
    assert proposed(parse(book()), github_server(host)) == ()
