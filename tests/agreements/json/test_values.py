"""Single values of JSON facts."""

import pytest

from agreements.facts import Account
from agreements.json import values
from agreements.json.values import FactsInvalid


@pytest.mark.parametrize(
    ("value", "expected"),
    [(None, None), ({}, None), ({"id": 1}, Account(1)), ({"id": 1, "login": None, "type": None}, Account(1))],
)
def test_null_and_an_empty_object_are_no_account_and_the_id_alone_is_one(value, expected):
    assert values.account(value, "x") == expected


def test_a_key_with_a_line_feed_does_not_break_the_message():
    assert str(FactsInvalid("a\nb", "is wrong")) == "a?b: is wrong"


def test_missing_null_and_empty_values_are_told_apart():
    assert values.text({"a": None}, "a", "", default="d") == "d"
    assert values.text({"a": ""}, "a", "", default="d") == ""
    with pytest.raises(FactsInvalid, match="x\\.a: is missing"):
        values.text({}, "a", "x")
    with pytest.raises(FactsInvalid, match="a: must not be empty"):
        values.filled({"a": ""}, "a", "")
    assert list(values.items({"a": None}, "a", "")) == []
    with pytest.raises(FactsInvalid, match="a: is missing"):
        values.items({"a": None}, "a", "", needed=True)
