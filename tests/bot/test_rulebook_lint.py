"""Doubts are named only where they are certain."""

import pytest

from agreements.rules import parse
from bot.rulebook_lint import doubts


def lint(data):
    """The key paths that are doubted."""
    return [".".join(map(str, path)) for path, _ in doubts(parse(data))]


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


def test_exempt_without_an_id():
    """A login alone means nobody."""
    data = {"people": {"exempt": [{"id": 1, "login": "a"}, {"login": "b"}], "agents": {"accounts": [{"login": "c"}]}}}
    assert lint(data) == ["people.exempt.1", "people.agents.accounts.0"]


def test_free_mail():
    """Anybody can have an address at a free-mail provider."""
    assert lint({"people": {"agents": {"emails": ["noreply@anthropic.com", "agent@gmail.com"]}}}) == [
        "people.agents.emails.1"
    ]
