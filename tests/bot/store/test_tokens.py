"""API tokens: the table keeps hashes only."""

from bot.store.tokens import ApiToken


def test_no_column_for_the_token_itself():
    """What is stored can't be used to call the API."""
    assert "token" not in ApiToken.model_fields
    assert "token_hash" in ApiToken.model_fields
