"""The dependency graph over REST."""

import requests

WHERE = "/repos/cann/runtime/dependency-graph/sbom"


def test_a_report_takes_a_while_and_lies_elsewhere(place):
    """Not ready, not ready, then at another address, where it is got without a token."""
    token = place.token()
    place.api("GET", f"{WHERE}/generate-report", status=404)
    place.runtime.sbom, place.world.sbom_patience = {"spdxVersion": "SPDX-2.3"}, 2
    made = place.call("GET", f"{WHERE}/generate-report", token=token)
    url = made.json()["sbom_url"]
    statuses = [place.call("GET", url, token=token).status_code for _ in range(2)]
    there = place.call("GET", url, token=token)
    assert (made.status_code, statuses, there.status_code) == (201, [202, 202], 302)
    away = there.headers["Location"]
    assert away.startswith(place.world.storage_url)
    assert not away.startswith(place.world.url)
    assert requests.get(away, timeout=60).json() == {"spdxVersion": "SPDX-2.3"}


def test_a_report_of_another_repository_is_not_there(place):
    """Its name alone opens nothing."""
    place.runtime.sbom = {}
    other = place.world.repository(place.cann, "other")
    other.sbom = {}
    name = place.api("GET", f"{WHERE}/generate-report")["sbom_url"].rpartition("/")[2]
    path = f"/repos/cann/other/dependency-graph/sbom/fetch-report/{name}"
    place.api("GET", path, status=404)
    place.api("GET", f"{WHERE}/fetch-report/nothing", status=404)
