"""The dependency graph over REST."""

import requests
from werkzeug.test import Client

from bot.demo.github.rest import dependency_graph_routes

WHERE = "/repos/cann/runtime/dependency-graph/sbom"


def test_a_report_takes_a_while_and_is_fetched_elsewhere_without_a_token(place):
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
    place.runtime.sbom = {}
    other = place.world.repository(place.cann, "other")
    other.sbom = {}
    name = place.api("GET", f"{WHERE}/generate-report")["sbom_url"].rpartition("/")[2]
    path = f"/repos/cann/other/dependency-graph/sbom/fetch-report/{name}"
    place.api("GET", path, status=404)
    place.api("GET", f"{WHERE}/fetch-report/nothing", status=404)


def test_a_report_is_handed_out_once(place):
    place.world.stored_files["abc"] = b"{}"
    url = f"{place.world.storage_url}/abc"
    assert requests.get(url, timeout=60).content == b"{}"
    assert requests.get(url, timeout=60).status_code == 404


def test_a_token_sent_for_a_report_is_remembered(place):
    """A test that sends its token there then fails."""
    place.world.stored_files["abc"] = b"{}"
    client = Client(dependency_graph_routes.storage_host(place.world))
    assert client.get("/abc", headers={"Authorization": "Bearer x"}).status_code == 400
    client.set_cookie("x", "y")
    assert client.get("/abc").status_code == 400
    assert len(place.world.refused) == 2
    place.world.refused.clear()
