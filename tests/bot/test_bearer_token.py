"""What may be a token."""

import pytest

from bot import bearer_token


@pytest.mark.parametrize("text", ["", "x" * 16, "github_pat_" + "A1_" * 20, "ghs_7_" + "x.y" * 200])
def test_tokens(text):
    """None, or long enough, of any of GitHub's forms."""
    assert bearer_token.parse(text) == text


@pytest.mark.parametrize("text", ["x" * 15, "x" * 20 + "\n", "two words of a token", "ключ" * 8, "x" * 20 + "\x00"])
def test_what_is_no_token(text):
    """Too short, or nothing that may stand in a header."""
    with pytest.raises(ValueError, match="must be at least 16 letters and digits without a space"):
        bearer_token.parse(text)
