"""The page on which the player of the demo writes TXT records."""

import pytest
import requests


@pytest.fixture(name="page")
def _page(place):
    """Its address; the zone is empty."""
    place.world.zone = {}
    return place.server.url + "/dns"


def test_a_record_is_added_and_removed_as_plain_text(place, page):
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
def test_a_wrong_name_or_text_is_no_record(place, page, name, text):
    assert requests.post(page, data={"name": name, "text": text}, timeout=60).status_code == 422
    assert place.world.zone == {}


def test_without_a_zone_there_is_no_page_of_records(place):
    assert requests.get(place.server.url + "/dns", timeout=60).status_code == 404
    assert "/dns" not in requests.get(place.server.url + "/", timeout=60).text
