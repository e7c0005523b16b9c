"""One value at a time."""

import pytest

from agreements.facts import Account
from agreements.json import values
from agreements.json.values import FactsInvalid


@pytest.mark.parametrize(
    ("value", "expected"),
    [(None, None), ({}, None), ({"id": 1}, Account(1)), ({"id": 1, "login": None, "type": None}, Account(1))],
)
def test_accounts(value, expected):
    """Null and {} are no account; the id alone makes one."""
    assert values.account(value, "x") == expected


def test_the_path_is_one_line():
    """A key that holds a line feed can't break the message."""
    assert str(FactsInvalid("a\nb", "is wrong")) == "a?b: is wrong"


def test_missing_and_empty():
    """Missing, null and empty are told apart where it matters."""
    assert values.text({"a": None}, "a", "", default="d") == "d"
    assert values.text({"a": ""}, "a", "", default="d") == ""
    with pytest.raises(FactsInvalid, match="x\\.a: is missing"):
        values.text({}, "a", "x")
    with pytest.raises(FactsInvalid, match="a: must not be empty"):
        values.filled({"a": ""}, "a", "")
    assert list(values.items({"a": None}, "a", "")) == []
    with pytest.raises(FactsInvalid, match="a: is missing"):
        values.items({"a": None}, "a", "", needed=True)
