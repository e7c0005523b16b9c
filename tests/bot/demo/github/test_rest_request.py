"""What all REST routes share."""

import pytest


def test_pages_link_to_each_other(place):
    """Link header with next, last, prev and first; the filters stay in it."""
    for number in range(5):
        place.world.label_of(place.runtime, f"label {number}")
    url, seen = "/repos/cann/runtime/labels?per_page=2", []
    while url:
        answer = place.call("GET", url)
        seen += [one["name"] for one in answer.json()]
        url = answer.links.get("next", {}).get("url")
    assert seen == [f"label {number}" for number in range(5)]
    assert set(answer.links) == {"prev", "first"}
    assert "per_page=2" in answer.links["prev"]["url"]
    assert answer.links["first"]["url"].startswith(place.server.api_url)


def test_one_page_has_no_links_and_none_more_than_a_hundred(place):
    """30 unless asked otherwise."""
    for number in range(101):
        place.world.label_of(place.runtime, f"label {number}")
    assert len(place.call("GET", "/repos/cann/runtime/labels").json()) == 30
    big = place.call("GET", "/repos/cann/runtime/labels?per_page=100&page=2")
    assert len(big.json()) == 1
    assert "next" not in big.links


@pytest.mark.parametrize(("sent", "status"), [(b"{", 400), (b"[1]", 400), (b"{}", 422)])
def test_bodies_that_do_not_parse_or_lack_a_field(place, gate, sent, status):
    """400 for what is no object, 422 for what misses a field."""
    place.pull()
    import requests

    url = place.server.api_url + "/repos/cann/runtime/issues/1/comments"
    answer = requests.post(url, data=sent, headers={"Authorization": f"Bearer {place.token()}"}, timeout=60)
    assert answer.status_code == status
    gate.findings.clear()  # the wrong body is meant here
