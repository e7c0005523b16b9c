"""Apps and installations as JSON."""

from bot.demo.github.json import app_json


def test_the_permission_to_read_addresses_has_two_names(place):
    """GitHub's own schemas call it `email_addresses` for an installation and `emails` for an App."""
    assert app_json.installation(place.world, place.installation)["permissions"]["email_addresses"] == "read"
    assert app_json.app(place.world, place.app)["permissions"]["emails"] == "read"


def test_an_installation_on_chosen_repositories_says_selected(place):
    assert app_json.installation(place.world, place.installation)["repository_selection"] == "all"
    place.world.choose(place.installation, place.ada, removed=[place.runtime])
    assert app_json.installation(place.world, place.installation)["repository_selection"] == "selected"
