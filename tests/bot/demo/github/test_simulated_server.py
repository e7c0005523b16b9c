"""The whole small GitHub is served on one port."""

import requests

from bot.demo.github.simulated_github import SimulatedGitHub
from bot.demo.github.simulated_server import SimulatedGitHubServer, create_app
from bot.demo.github.state import Call


def test_an_unknown_call_is_refused_and_remembered(place, gate):
    for method, path in (
        ("GET", "/repos/cann/runtime/stargazers"),
        ("PUT", "/repos/cann/runtime"),
        ("GET", "/nothing"),
    ):
        answer = place.call(method, path, {} if method == "PUT" else None, token=place.token())
        assert answer.status_code == 501
        assert f"{method} {path}" in answer.json()["message"]
    assert place.world.refused == ["GET /repos/cann/runtime/stargazers", "PUT /repos/cann/runtime", "GET /nothing"]
    place.world.refused.clear()
    gate.findings.clear()  # GitHub knows some of these, the contract's cut does not


def test_calls_are_counted_by_their_template(place):
    place.pull()
    token = place.token()
    place.world.calls.clear()
    place.call("GET", "/repos/cann/runtime/pulls/1", token=token)
    place.call("GET", f"/repositories/{place.runtime.id}/pulls/2", token=token)
    place.call("POST", place.server.url + "/api/graphql", {"query": "{ __typename }"}, token=token)
    assert place.world.calls == [
        Call("GET", "/repos/{owner}/{repo}/pulls/{pull_number}", 200),
        Call("GET", "/repositories/{repository_id}/pulls/{pull_number}", 404),
        Call("POST", "/graphql", 200),
    ]


def test_addresses_carry_the_port(place):
    """PyGithub insists on the host and port that it was given."""
    body = place.call("GET", "/repos/cann/runtime").json()
    assert body["url"] == f"http://127.0.0.1:{place.server.port}/api/v3/repos/cann/runtime"
    assert body["clone_url"] == f"{place.server.url}/cann/runtime.git"


def test_the_server_is_an_ordinary_wsgi_application(tmp_path):
    client = create_app(SimulatedGitHub(tmp_path / "git")).test_client()
    assert client.get("/api/v3/rate_limit").status_code == 200
    assert client.get("/nobody/nothing").status_code == 404


def test_stopping_frees_the_port(tmp_path):
    first = SimulatedGitHubServer(SimulatedGitHub(tmp_path / "git")).start()
    port = first.port
    first.stop()
    with SimulatedGitHubServer(SimulatedGitHub(tmp_path / "git"), port) as second:
        assert requests.get(second.url, timeout=60).status_code == 200


def test_an_unchanged_answer_is_not_sent_again(place):
    """GitHub answers 304 by the ETag and doesn't count the call."""
    token = place.token()
    path = "/repos/cann/runtime/labels"
    place.api("POST", path, {"name": "cla: yes", "color": "0e8a16"}, token=token)
    first = place.call("GET", path, token=token)
    url, known = (
        place.server.api_url + path,
        {"Authorization": f"Bearer {token}", "If-None-Match": first.headers["ETag"]},
    )
    again = requests.get(url, headers=known, timeout=60)
    assert (again.status_code, again.content, again.headers["ETag"]) == (304, b"", first.headers["ETag"])
    assert again.headers["X-RateLimit-Used"] == first.headers["X-RateLimit-Used"]
    place.api("POST", path, {"name": "cla: no", "color": "b60205"}, token=token)
    changed = requests.get(url, headers=known, timeout=60)
    assert (changed.status_code, len(changed.json())) == (200, 2)


def test_a_created_label_has_its_encoded_address_as_location(place):
    made = place.call(
        "POST", "/repos/cann/runtime/labels", {"name": "cla: yes", "color": "0e8a16"}, token=place.token()
    )
    assert (
        made.headers["Location"] == made.json()["url"] == place.world.api_url("/repos/cann/runtime/labels/cla%3A%20yes")
    )


def test_the_date_is_that_of_the_world(place):
    answer = place.call("GET", "/rate_limit")
    assert answer.headers["Date"] == "Sat, 21 Nov 2026 09:00:00 GMT"
    assert int(answer.headers["X-RateLimit-Reset"]) == int(place.clock().timestamp()) + 3600
    assert "ETag" not in answer.headers


def test_a_call_by_jwt_is_told_no_limit(place):
    assert "X-RateLimit-Limit" not in place.call("GET", "/app", token=place.jwt()).headers
    assert place.call("GET", "/user", token="ghp_wrong").headers["X-RateLimit-Resource"] == "core"


def test_graphql_has_its_own_media_type_and_no_etag(place):
    """GitHub's recorded answers show both."""
    answer = place.call("POST", f"{place.server.url}/api/graphql", {"query": "{ __typename }"}, token=place.token())
    assert (answer.headers["X-GitHub-Media-Type"], "ETag" in answer.headers) == ("github.v4; format=json", False)
