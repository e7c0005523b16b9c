"""Rate limits: of calls in an hour, and of what is written in a minute."""

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


def test_what_is_written_has_a_limit_of_its_own(place, contract):
    """403 with the words of a secondary limit, by caller, in any minute and any hour; reading goes on."""
    limit = place.world.content_limit
    limit.per_minute, limit.per_hour, limit.enforced = 2, 3, True
    token = place.token()

    def written(name):
        answer = place.call("POST", f"{PATH}/labels", {"name": name, "color": "ffffff"}, token=place.token())
        if answer.status_code == 403:
            assert "secondary rate limit" in answer.json()["message"]
            assert answer.headers["Retry-After"] == "60"
        return answer.status_code

    assert [written(name) for name in "abc"] == [201, 201, 403]
    assert place.call("GET", PATH, token=token).status_code == 200
    assert "c" not in place.runtime.labels
    place.clock.forward(seconds=60)
    assert [written(name) for name in "cd"] == [201, 403]  # the hour's
    place.clock.forward(minutes=59)
    assert written("d") == 201
