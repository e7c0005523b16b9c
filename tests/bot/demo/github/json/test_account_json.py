"""Accounts as JSON; their whole shape is checked against GitHub's OpenAPI by every test here."""

from bot.demo.github.json import account_json


def test_profiles_hold_no_addresses(place):
    assert "mia@" not in str(account_json.profile(place.world, place.mia))


def test_the_addresses_of_a_bot_are_encoded_and_lead_to_its_app(place):
    """GitHub's example of `check_run` shows both."""
    shown = account_json.account(place.world, place.app.bot)
    assert shown["url"] == place.world.api_url("/users/countersign%5Bbot%5D")
    assert shown["organizations_url"] == place.world.api_url("/users/countersign%5Bbot%5D/orgs")
    assert shown["html_url"] == place.world.web_url("/apps/countersign")
