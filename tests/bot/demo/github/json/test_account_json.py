"""Accounts as JSON; their whole shape is checked against GitHub's OpenAPI by every test here."""

from bot.demo.github.json import account_json


def test_profiles_keep_addresses_to_themselves(place):
    """Also the verified ones."""
    assert "mia@" not in str(account_json.profile(place.world, place.mia))
