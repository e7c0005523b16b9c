"""Faults on the wire, as a client sees them."""

import time

import pytest
import requests

from bot.demo.github.faults import Fault, refusal
from tests.bot.demo.github.github_deeds import FOREVER, bad_gateway, primary_limit, secondary_limit

LABELS = "/repos/cann/runtime/labels"
LABEL = {"name": "cla/no", "color": "b60205"}


def test_a_call_is_delayed_as_often_as_asked_and_then_answered(place):
    place.world.faults.add(Fault(method="GET", path="/labels$", delay=0.3))
    place.api("POST", LABELS, LABEL)
    waits = []
    for _ in range(2):
        start = time.monotonic()
        assert len(place.api("GET", LABELS)) == 1
        waits.append(time.monotonic() - start)
    assert waits[0] >= 0.3 > waits[1]
    assert [(method, path) for method, path, _ in place.world.faults.happened] == [("GET", f"/api/v3{LABELS}")]


@pytest.mark.parametrize("status", [403, 429])
@pytest.mark.parametrize("retry_after", [None, 60])
def test_a_secondary_limit_has_githubs_form(place, contract, status, retry_after):
    place.world.faults.add(secondary_limit(status, retry_after=retry_after))
    answer = place.call("GET", LABELS)
    assert (answer.status_code, "secondary rate limit" in answer.json()["message"]) == (status, True)
    assert answer.headers.get("Retry-After") == (None if retry_after is None else "60")
    assert "X-RateLimit-Remaining" not in answer.headers
    assert contract.check_response("GET", LABELS, status, answer.json(), sent=tuple(answer.headers.items())) == []
    place.api("GET", LABELS)


@pytest.mark.parametrize("status", [403, 429])
def test_a_primary_limit_has_githubs_form(place, contract, status):
    place.world.faults.add(primary_limit(1_800_000_000, status))
    answer = place.call("GET", LABELS)
    assert answer.status_code == status
    assert (answer.headers["X-RateLimit-Remaining"], answer.headers["X-RateLimit-Reset"]) == ("0", "1800000000")
    assert contract.check_response("GET", LABELS, status, answer.json(), sent=tuple(answer.headers.items())) == []


@pytest.mark.parametrize(("after", "made"), [(False, 0), (True, 1)])
def test_an_outage_comes_before_or_after_the_effect(place, after, made):
    place.world.faults.add(bad_gateway(method="POST", path="/labels$", after=after))
    place.api("POST", LABELS, LABEL, token=place.ada.token, status=502)
    assert len(place.runtime.labels) == made


@pytest.mark.parametrize(("after", "made"), [(False, 0), (True, 1)])
def test_a_connection_is_reset_before_or_after_the_effect(place, after, made):
    place.world.faults.add(Fault(method="POST", path="/labels$", reset=True, after=after))
    with pytest.raises(requests.ConnectionError, match="reset"):
        place.call("POST", LABELS, LABEL, token=place.ada.token)
    assert len(place.runtime.labels) == made
    place.api("GET", LABELS)


def test_a_body_is_cut_before_its_announced_length(place):
    place.world.faults.add(Fault(path="/rate_limit", cut=10))
    with pytest.raises((requests.ConnectionError, requests.exceptions.ChunkedEncodingError)):
        place.call("GET", "/rate_limit")
    place.api("GET", "/rate_limit")


def test_faults_last_until_they_are_cleared(place):
    place.world.faults.add(refusal(500, "Once"), bad_gateway(times=FOREVER))
    assert [place.call("GET", "/rate_limit").status_code for _ in range(4)] == [500, 502, 502, 502]
    assert requests.get(place.server.url, timeout=60).status_code == 200
    place.world.faults.clear()
    place.api("GET", "/rate_limit")
