"""The other host."""

import requests
from werkzeug.test import Client

from bot.demo.github import storage_host


def test_a_parcel_is_handed_out_once(place):
    """Whoever has the address gets it; then it is gone."""
    place.world.stored_files["abc"] = b"{}"
    url = f"{place.world.storage_url}/abc"
    assert requests.get(url, timeout=60).content == b"{}"
    assert requests.get(url, timeout=60).status_code == 404


def test_a_token_that_comes_along_is_remembered(place):
    """So that a test which sends one there fails."""
    place.world.stored_files["abc"] = b"{}"
    client = Client(storage_host.application(place.world))
    assert client.get("/abc", headers={"Authorization": "Bearer x"}).status_code == 400
    client.set_cookie("x", "y")
    assert client.get("/abc").status_code == 400
    assert len(place.world.refused) == 2
    place.world.refused.clear()
