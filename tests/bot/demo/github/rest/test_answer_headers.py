"""Headers as api.github.com sends them; the gate holds each answer of every test against the recorded ones."""

import requests


def test_what_has_not_changed_is_not_sent_again(place):
    """By its ETag, without a body, and against no limit; once it has changed it is sent."""
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


def test_what_was_made_says_where_it_is(place):
    """Location is the address of the new label, encoded."""
    made = place.call(
        "POST", "/repos/cann/runtime/labels", {"name": "cla: yes", "color": "0e8a16"}, token=place.token()
    )
    assert (
        made.headers["Location"] == made.json()["url"] == place.world.api_url("/repos/cann/runtime/labels/cla%3A%20yes")
    )


def test_the_date_is_that_of_the_world(place):
    """Once, in GMT; the moment when a limit ends is of the same clock."""
    answer = place.call("GET", "/rate_limit")
    assert answer.headers["Date"] == "Sat, 21 Nov 2026 09:00:00 GMT"
    assert int(answer.headers["X-RateLimit-Reset"]) == int(place.clock().timestamp()) + 3600
    assert "ETag" not in answer.headers


def test_an_app_is_told_no_limit(place):
    """What it asks by its JWT; the refused are told that of their address."""
    assert "X-RateLimit-Limit" not in place.call("GET", "/app", token=place.jwt()).headers
    assert place.call("GET", "/user", token="ghp_wrong").headers["X-RateLimit-Resource"] == "core"


def test_graphql_has_its_own_media_type_and_no_etag(place):
    """As its recorded answers."""
    answer = place.call("POST", f"{place.server.url}/api/graphql", {"query": "{ __typename }"}, token=place.token())
    assert (answer.headers["X-GitHub-Media-Type"], "ETag" in answer.headers) == ("github.v4; format=json", False)
