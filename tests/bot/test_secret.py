"""A secret is shown by no representation, and is false where it is empty."""

import json

import pytest

from bot.secret import NO_SECRET, Secret


def test_a_secret_shows_in_no_text():
    secret = Secret("hush")

    assert "hush" not in f"{secret} {secret!r} {[secret]} %s" % secret
    assert secret.reveal() == "hush"
    with pytest.raises(TypeError):
        json.dumps(secret)


@pytest.mark.parametrize("text", ["", "x" * 16, "github_pat_" + "A1_" * 20, "ghs_7_" + "x.y" * 200])
def test_a_token_is_empty_or_long_enough(text):
    assert Secret.bearer_token(text) == Secret(text)


@pytest.mark.parametrize("text", ["x" * 15, "x" * 20 + "\n", "two words of a token", "ключ" * 8, "x" * 20 + "\x00"])
def test_a_short_or_unprintable_token_is_refused(text):
    with pytest.raises(ValueError, match="must be at least 16 letters and digits without a space"):
        Secret.bearer_token(text)


def test_an_empty_secret_is_false():
    assert (bool(NO_SECRET), bool(Secret("x"))) == (False, True)
