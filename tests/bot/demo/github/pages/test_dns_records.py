"""The page on which whoever plays writes TXT records."""

import pytest
import requests


@pytest.fixture(name="page")
def _page(place):
    """Its address; the zone is empty."""
    place.world.zone = {}
    return place.server.url + "/dns"


def test_a_record_is_added_and_removed(place, page):
    """Under the one spelling of its name, twice counts once, the newest four stay; nothing is markup."""
    assert "No records yet." in requests.get(page, timeout=60).text
    for text in ("one", "two", "two", "three", "four", "<b>five"):
        added = requests.post(page, data={"name": " _CLA-challenge.Example.com. ", "text": text}, timeout=60)
    assert place.world.zone == {"_cla-challenge.example.com": ["two", "three", "four", "<b>five"]}
    assert "TXT &lt;b&gt;five" in added.text
    assert '<a href="/dns">DNS</a>' in added.text
    requests.post(page + "/remove", data={"name": "_cla-challenge.example.com"}, timeout=60)
    requests.post(page + "/remove", data={"name": "other.example"}, timeout=60)
    assert place.world.zone == {}


NO_NAMES = ("", "_x", "_x.", "com", "a_b.example.com", "_a b.example.com", "1.2.3.4", "_..example.com")
NO_TEXTS = ("", " ", "é", "a\nb", "x" * 201)


@pytest.mark.parametrize(
    ("name", "text"), [*((name, "x") for name in NO_NAMES), *(("example.com", text) for text in NO_TEXTS)]
)
def test_what_is_no_record(place, page, name, text):
    """A wrong name or text is refused."""
    assert requests.post(page, data={"name": name, "text": text}, timeout=60).status_code == 422
    assert place.world.zone == {}


def test_where_nobody_asks_for_names(place):
    """There is no such page and no link to it."""
    assert requests.get(place.server.url + "/dns", timeout=60).status_code == 404
    assert "/dns" not in requests.get(place.server.url + "/", timeout=60).text
