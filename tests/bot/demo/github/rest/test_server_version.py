"""The small GitHub tells its version, and answers in the version of the API that is asked for."""

import pytest
import requests

from bot.demo.github.simulated_github import SimulatedGitHub
from bot.demo.github.simulated_server import SimulatedGitHubServer


@pytest.fixture(name="place")
def _place(tmp_path):
    """One without the contract's gate: that knows the older version of the API alone."""
    with SimulatedGitHubServer(SimulatedGitHub(tmp_path)) as server:
        yield server


def get(place, path, **headers):
    """A plain call."""
    return requests.get(f"{place.api_url}{path}", headers=headers, timeout=10)


def test_github_com_tells_no_version(place):
    answer = get(place, "/meta")
    assert answer.json()["hooks"] == ["192.0.2.0/24"]
    assert "X-GitHub-Enterprise-Version" not in answer.headers


def test_an_enterprise_server_tells_its_version_unless_it_is_hidden(place):
    place.world.enterprise = "3.14.2"
    assert get(place, "/meta").json()["installed_version"] == "3.14.2"
    assert get(place, "/repos/nobody/none").headers["X-GitHub-Enterprise-Version"] == "3.14.2"
    place.world.tells_version = False
    answer = get(place, "/meta")
    assert ("installed_version" in answer.json(), "X-GitHub-Enterprise-Version" in answer.headers) == (False, False)


@pytest.mark.parametrize(
    ("version", "asked", "status", "selected"),
    [
        ("", "2022-11-28", 200, "2022-11-28"),
        ("", "2026-03-10", 200, "2026-03-10"),
        ("", "2021-01-01", 400, None),
        ("3.20.0", "2026-03-10", 400, None),
        ("3.21.0", "2026-03-10", 200, "2026-03-10"),
        ("3.8.0", "2026-03-10", 200, None),
    ],
)
def test_an_unknown_version_of_the_api_is_400(place, version, asked, status, selected):
    place.world.enterprise = version
    answer = get(place, "/rate_limit", **{"X-GitHub-Api-Version": asked})
    assert (answer.status_code, answer.headers.get("X-GitHub-Api-Version-Selected")) == (status, selected)
    if status == 200:
        assert ("rate" in answer.json()) is (selected != "2026-03-10")


def test_a_call_that_the_version_lacks_is_404(place):
    place.world.enterprise = "3.10.0"
    assert get(place, "/repos/cann/runtime/activity").json()["message"] == "Not Found"
