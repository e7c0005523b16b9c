"""All REST routes share pages and the reading of bodies."""

import pytest


def test_pages_link_to_each_other_and_keep_their_filters(place):
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


def test_a_page_has_30_entries_and_100_at_most(place):
    for number in range(101):
        place.world.label_of(place.runtime, f"label {number}")
    assert len(place.call("GET", "/repos/cann/runtime/labels").json()) == 30
    big = place.call("GET", "/repos/cann/runtime/labels?per_page=100&page=2")
    assert len(big.json()) == 1
    assert "next" not in big.links


@pytest.mark.parametrize(("sent", "status"), [(b"{", 400), (b"[1]", 400), (b"{}", 422)])
def test_a_broken_body_is_400_and_a_missing_field_422(place, gate, sent, status):
    place.pull()
    import requests

    url = place.server.api_url + "/repos/cann/runtime/issues/1/comments"
    answer = requests.post(url, data=sent, headers={"Authorization": f"Bearer {place.token()}"}, timeout=60)
    assert answer.status_code == status
    gate.findings.clear()  # the wrong body is meant here
