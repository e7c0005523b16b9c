"""Rate limits: of calls in an hour, and of what is written in a minute."""

import pytest

PATH = "/repos/cann/runtime"


def left(place, **more):
    """Calls left, as the header of the next call says."""
    return int(place.call("GET", PATH, **more).headers["X-RateLimit-Remaining"])


def test_each_callers_remaining_calls_count_down_in_every_answer(place):
    token = place.token()
    assert [left(place, token=token) for _ in range(2)] == [4999, 4998]
    place.api("GET", f"{PATH}/pulls/9", token=token, status=404)
    rate = place.api("GET", "/rate_limit", token=token)["rate"]
    assert (rate["limit"], rate["used"], rate["remaining"]) == (5000, 3, 4997)
    assert left(place, token=place.mia.token) == 4999
    assert left(place) == 4999


def test_the_count_begins_anew_when_the_hour_is_over(place):
    """Nothing is refused meanwhile, so that a long test never stops at the limit."""
    place.world.rate_limit.limit = 2
    assert [left(place) for _ in range(3)] == [1, 0, 0]
    last = place.call("GET", PATH)
    assert (last.status_code, last.headers["X-RateLimit-Remaining"]) == (200, "0")
    place.clock.forward(hours=1)
    assert last.headers["X-RateLimit-Reset"] == str(int(place.clock.moment.timestamp()))
    assert left(place) == 1


def test_graphql_has_a_limit_of_its_own(place):
    token = place.token()
    assert place.graphql("{ __typename }", token=token) == {"data": {"__typename": "Query"}}
    assert left(place, token=token) == 4999
    assert place.api("GET", "/rate_limit", token=token)["resources"]["graphql"]["used"] == 1


@pytest.mark.slow
def test_writes_have_a_limit_by_minute_and_hour(place, contract):
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
