"""The App and its installations by REST."""

import re

import pytest


def test_the_app_knows_itself_by_its_jwt_alone(place):
    body = place.api("GET", "/app", token=place.jwt())
    assert (body["id"], body["slug"], body["installations_count"]) == (place.app.id, "countersign", 1)
    place.api("GET", "/app", status=401)
    assert place.call("GET", "/app").status_code == 401


def test_only_the_apps_own_installations_are_listed(place):
    place.world.install(place.world.app("other", place.ada, place.app.key), place.cann, place.ada)
    listed = place.call("GET", "/app/installations", token=place.jwt()).json()
    assert [(entry["id"], entry["account"]["login"], entry["suspended_at"]) for entry in listed] == [
        (place.installation.id, "cann", None)
    ]
    installation = place.call("GET", f"/app/installations/{place.installation.id}", token=place.jwt()).json()
    assert installation == listed[0]


def test_a_token_has_520_characters_and_lives_an_hour(place):
    """GitHub's tokens have this form since 2026: `ghs_`, the App's id, and dots."""
    path = f"/app/installations/{place.installation.id}/access_tokens"
    body = place.call("POST", path, token=place.jwt()).json()
    assert len(body["token"]) == 520
    assert re.fullmatch(r"ghs_[A-Za-z0-9._]{36,}", body["token"])
    assert body["token"].count(".") == 2
    assert body["expires_at"] == "2026-11-21T10:00:00Z"
    assert place.call("GET", "/installation/repositories", token=body["token"]).status_code == 200
    place.clock.forward(hours=1)
    assert place.call("GET", "/installation/repositories", token=body["token"]).status_code == 401


def test_a_token_can_have_less_and_never_more_than_its_installation(place):
    other = place.world.repository(place.cann, "driver")
    token = place.token(permissions={"contents": "read"})
    place.api("POST", "/repos/cann/driver/issues/1/comments", {"body": "x"}, token=token, status=403)
    whole = place.api("GET", "/installation/repositories")
    assert (whole["repository_selection"], whole["total_count"]) == ("all", 2)
    place.world.choose(place.installation, place.ada, removed=[other])
    chosen = place.api("GET", "/installation/repositories")
    assert (chosen["repository_selection"], chosen["total_count"]) == ("selected", 1)
    place.world.choose(place.installation, place.ada, added=[other])
    path = f"/app/installations/{place.installation.id}/access_tokens"
    place.api("POST", path, {"permissions": {"contents": "write"}}, token=place.jwt(), status=422)
    place.api("POST", path, {"repository_ids": [other.id]}, token=place.jwt(), status=422)


def test_a_suspended_installation_gets_no_token_and_no_answer(place):
    token = place.token()
    place.world.suspend(place.installation, place.ada)
    path = f"/app/installations/{place.installation.id}/access_tokens"
    assert place.call("POST", path, token=place.jwt()).status_code == 403
    assert place.call("GET", "/installation/repositories", token=token).status_code == 403
    assert place.call("GET", "/app/installations", token=place.jwt()).json()[0]["suspended_at"] is not None


def test_the_delivery_log_has_each_attempt_newest_first(place, ear):
    place.world.hooks.drain()
    ear.status = 503
    place.pull()
    place.world.hooks.drain()
    ear.status = 202
    path, jwt = "/app/hook/deliveries", place.jwt()
    [failed] = place.api("GET", f"{path}?status=failure", token=jwt)
    assert (failed["event"], failed["action"], failed["status_code"]) == ("pull_request", "opened", 503)
    assert (failed["redelivery"], failed["repository_id"]) == (False, place.runtime.id)
    place.api("POST", f"{path}/{failed['id']}/attempts", token=jwt, status=202)
    place.world.hooks.drain()
    [again, first, installed] = place.api("GET", path, token=jwt)
    assert (first, again["guid"], again["redelivery"], again["status"]) == (failed, failed["guid"], True, "OK")
    seen, url = [], f"{path}?per_page=1"
    while url:
        answer = place.call("GET", url, token=jwt)
        seen += answer.json()
        url = answer.links.get("next", {}).get("url")
    assert seen == [again, first, installed]


@pytest.mark.slow
def test_a_delivery_says_its_request_and_its_answer(place, ear):
    place.world.hooks.drain()
    [item] = place.api("GET", "/app/hook/deliveries", token=place.jwt())
    path = f"/app/hook/deliveries/{item['id']}"
    delivery = place.api("GET", path, token=place.jwt())
    assert {key: delivery[key] for key in item} == item
    assert delivery["request"]["payload"]["installation"]["id"] == place.installation.id
    assert delivery["request"]["headers"]["X-GitHub-Delivery"] == item["guid"]
    assert delivery["response"]["headers"]["Content-Length"] == "0"
    place.api("GET", "/app/hook/deliveries/1", token=place.jwt(), status=404)
    place.api("GET", path, status=401)
    other = place.world.app("other", place.ada, place.app.key)
    place.api("GET", path, token=place.jwt(iss=str(other.id)), status=404)
    place.clock.forward(days=3, seconds=1)
    place.api("POST", f"{path}/attempts", token=place.jwt(), status=404)
