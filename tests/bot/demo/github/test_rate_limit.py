"""The primary rate limit."""

import pytest

PATH = "/repos/cann/runtime"


def left(place, **more):
    """Calls left, as the header of the next call says."""
    return int(place.call("GET", PATH, **more).headers["X-RateLimit-Remaining"])


def test_each_caller_counts_down(place):
    """In every answer, refusals too; asking for the limit does not count."""
    token = place.token()
    assert [left(place, token=token) for _ in range(2)] == [4999, 4998]
    place.api("GET", f"{PATH}/pulls/9", token=token, status=404)
    rate = place.api("GET", "/rate_limit", token=token)["rate"]
    assert (rate["limit"], rate["used"], rate["remaining"]) == (5000, 3, 4997)
    assert left(place, token=place.mia.token) == 4999
    assert left(place) == 4999


def test_when_enforced_the_calls_beyond_it_are_refused_until_the_hour_is_over(place, contract):
    """403 with nothing left and the moment from which it goes on; what is refused has no effect."""
    place.world.rate_limit.limit, place.world.rate_limit.enforced = 2, True
    token = place.token()
    assert [left(place, token=token) for _ in range(2)] == [1, 0]
    refused = place.call("POST", f"{PATH}/labels", {"name": "x", "color": "ffffff"}, token=token)
    assert (refused.status_code, refused.headers["X-RateLimit-Remaining"]) == (403, "0")
    assert f"API rate limit exceeded for installation ID {place.installation.id}" in refused.json()["message"]
    assert place.runtime.labels == {}
    place.clock.forward(minutes=59)
    assert refused.headers["X-RateLimit-Reset"] == str(int(place.clock.moment.timestamp()) + 60)
    place.clock.forward(minutes=1)
    assert left(place, token=place.token()) == 1


def test_graphql_has_a_limit_of_its_own(place):
    """Beyond it the answer is 200 with an error and no data."""
    place.world.rate_limit.limit, place.world.rate_limit.enforced = 1, True
    token = place.token()
    query = "{ __typename }"
    assert place.graphql(query, token=token) == {"data": {"__typename": "Query"}}
    answer = place.graphql(query, token=token)
    assert ("data" in answer, answer["errors"][0]["type"]) == (False, "RATE_LIMITED")
    assert left(place, token=token) == 0


@pytest.mark.parametrize("enforced", [False, True])
def test_nothing_is_refused_unless_it_is_enforced(place, enforced):
    """So that a long test or benchmark never stops at it."""
    place.world.rate_limit.limit, place.world.rate_limit.enforced = 1, enforced
    statuses = [place.call("GET", PATH).status_code for _ in range(2)]
    assert statuses == [200, 403 if enforced else 200]
