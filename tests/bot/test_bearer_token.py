"""The forms of a token."""

import pytest

from bot import bearer_token


@pytest.mark.parametrize("text", ["", "x" * 16, "github_pat_" + "A1_" * 20, "ghs_7_" + "x.y" * 200])
def test_a_token_is_empty_or_long_enough(text):
    assert bearer_token.parse(text) == text


@pytest.mark.parametrize("text", ["x" * 15, "x" * 20 + "\n", "two words of a token", "ключ" * 8, "x" * 20 + "\x00"])
def test_a_short_or_unprintable_token_is_refused(text):
    with pytest.raises(ValueError, match="must be at least 16 letters and digits without a space"):
        bearer_token.parse(text)
