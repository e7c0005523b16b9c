"""Apps and installations as JSON."""

from bot.demo.github.json import app_json


def test_the_permission_to_read_addresses_has_two_names(place):
    """`email_addresses` of an installation is `emails` of an App, as in GitHub's own schemas."""
    assert app_json.installation(place.world, place.installation)["permissions"]["email_addresses"] == "read"
    assert app_json.app(place.world, place.app)["permissions"]["emails"] == "read"


def test_a_chosen_installation_says_so(place):
    """`selected` instead of `all`."""
    assert app_json.installation(place.world, place.installation)["repository_selection"] == "all"
    place.world.choose(place.installation, place.ada, removed=[place.runtime])
    assert app_json.installation(place.world, place.installation)["repository_selection"] == "selected"
