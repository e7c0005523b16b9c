"""Reading by path gives the right type or one clear line."""

import pytest

from agreements.facts import Account
from bot.webhook.payload import (
    MAX_ID,
    MAX_NUMBER,
    BadPayload,
    account,
    dig,
    is_rules_repository,
    label,
    may_change_rules,
    number,
    text,
)


@pytest.mark.parametrize("payload", [None, [], "x", {"a": None}, {"a": []}, {"a": {"c": 1}}])
def test_dig_never_fails(payload):
    assert dig(payload, "a", "b") is None


@pytest.mark.parametrize("value", [None, "7", True, 0, -1, 7.0, {}])
def test_a_number_is_a_positive_whole_number(value):
    assert number({"a": {"id": 7}}, "a", "id") == 7
    with pytest.raises(BadPayload, match=r"^a\.id: a positive number is needed$"):
        number({"a": {"id": value}}, "a", "id")


def test_a_number_fits_where_it_is_stored():
    """GitHub's own type of an id may be smaller than the database's big integer."""
    assert number({"id": MAX_ID}, "id") == MAX_ID
    for value, most in [(MAX_ID + 1, MAX_ID), (MAX_NUMBER + 1, MAX_NUMBER)]:
        with pytest.raises(BadPayload, match=r"^id: the number is too large$"):
            number({"id": value}, "id", most=most)


@pytest.mark.parametrize("value", ["a\ud800", "\udfff", "nul\0", 7, None, ["x"]])
def test_text_that_no_database_stores_is_refused_or_left_out(value):
    assert label({"name": "x"}, "name") == "x"
    assert label({"name": value}, "name") == ""
    assert account({"sender": {"id": 3, "login": value}}, "sender") == Account(3, "", "User")
    with pytest.raises(BadPayload, match="text is needed"):
        text({"name": value}, "name")


@pytest.mark.parametrize("value", [None, "", 7, []])
def test_a_text_is_not_empty(value):
    assert text({"ref": "x"}, "ref") == "x"
    with pytest.raises(BadPayload, match=r"^ref: text is needed$"):
        text({"ref": value}, "ref")


def test_an_account_needs_only_its_id():
    assert account({"sender": {"id": 3}}, "sender") == Account(3, "", "User")
    assert account({"sender": {"id": 3, "login": "a[bot]", "type": "Bot"}}, "sender") == Account(3, "a[bot]", "Bot")
    with pytest.raises(BadPayload):
        account({"sender": {"login": "ghost"}}, "sender")


@pytest.mark.parametrize("kind", ["added", "modified", "removed"])
@pytest.mark.parametrize("path", [".github/countersign.yml", ".github/dco.yml"])
def test_a_push_may_name_a_rule_file_in_any_of_its_commits(kind, path):
    assert may_change_rules({"commits": [{"added": ["x"]}, {kind: ["y", path]}]})


@pytest.mark.parametrize(("count", "may"), [(0, True), (1, False), (19, False), (20, True)])
def test_an_empty_or_cut_list_of_commits_may_hide_a_rule_file(count, may):
    assert may_change_rules({"commits": [{"modified": ["README.md"]}] * count}) is may


def test_a_forced_push_may_touch_the_rules():
    """A forced push doesn't list the commits that it threw away."""
    assert may_change_rules({"commits": [{"modified": ["README.md"]}], "forced": True})


@pytest.mark.parametrize(
    ("name", "former", "its"),
    [
        (".github", None, True),
        (".GitHub", None, True),
        ("ops", ".github", True),
        (".github", "ops", True),
        ("ops", "ge", False),
        ("ops", None, False),
        (".github-private", None, False),
        (None, None, False),
        (7, 7, False),
    ],
)
def test_dot_github_is_the_organisations_repository_before_and_after_a_rename(name, former, its):
    payload = {"repository": {"name": name}, "changes": {"repository": {"name": {"from": former}}}}
    assert is_rules_repository(payload) is its
    assert is_rules_repository({"repository": {"name": name}}) is (its and former in (None, "ops"))
