"""No look-up is ever built with a missing or empty key."""

import pytest

from agreements.store.lookup.keys import (
    MAX_KEYS_PER_QUERY,
    account_chunks,
    account_key,
    byte_chunks,
    canonical_key,
    text_chunks,
    text_key,
)


@pytest.mark.parametrize("key", [None, 0, -1, True, "11", 1.0])
def test_an_account_key_is_a_positive_number(key):
    """None would become IS NULL, True would become 1."""
    with pytest.raises(ValueError, match="needs an account id"):
        account_key(key)
    with pytest.raises(ValueError, match="needs an account id"):
        list(account_chunks([11, key]))


@pytest.mark.parametrize("key", [None, "", "  ", b"x"])
def test_a_text_key_is_not_empty(key):
    """Neither missing nor blank."""
    with pytest.raises(ValueError, match="not empty"):
        text_key(key)
    with pytest.raises(ValueError, match="not empty"):
        list(text_chunks(["a", key]))


@pytest.mark.parametrize("key", [None, b""])
def test_a_fingerprint_is_not_empty(key):
    """Neither missing nor blank."""
    with pytest.raises(ValueError, match="not empty"):
        list(byte_chunks([b"a", key]))


def test_keys_come_in_lots():
    """Each once, in order, never more than a query may take; no keys, no query."""
    lots = list(account_chunks([*range(1, 2 * MAX_KEYS_PER_QUERY + 2), 5, 5]))
    assert [len(lot) for lot in lots] == [MAX_KEYS_PER_QUERY, MAX_KEYS_PER_QUERY, 1]
    assert [key for lot in lots for key in lot] == list(range(1, 2 * MAX_KEYS_PER_QUERY + 2))
    assert list(account_chunks([])) == list(text_chunks(())) == list(byte_chunks(())) == []


def test_an_address_key_has_one_spelling():
    """Any case, final dot and IDN spelling give the same key."""
    assert canonical_key("Ada@HUAWEI.com.") == "ada@huawei.com"
    with pytest.raises(ValueError, match="valid e-mail address") as caught:
        canonical_key("secret@@x.org")
    assert "secret" not in str(caught.value)
