"""All REST routes share pages and the reading of bodies."""

import pytest


def test_pages_link_to_each_other_and_keep_their_filters(place):
    for number in range(5):
        place.world.label_of(place.runtime, f"label {number}")
    url, seen = "/repos/cann/runtime/labels?per_page=2", []
    while url:
        answer = place.call("GET", url)
        seen += [label["name"] for label in answer.json()]
        url = answer.links.get("next", {}).get("url")
    assert seen == [f"label {number}" for number in range(5)]
    assert set(answer.links) == {"prev", "first"}
    assert "per_page=2" in answer.links["prev"]["url"]
    assert answer.links["first"]["url"].startswith(place.server.api_url)


def test_a_page_has_30_entries_and_100_at_most(place):
    for number in range(101):
        place.world.label_of(place.runtime, f"label {number}")
    assert len(place.call("GET", "/repos/cann/runtime/labels").json()) == 30
    big = place.call("GET", "/repos/cann/runtime/labels?per_page=100&page=2")
    assert len(big.json()) == 1
    assert "next" not in big.links


@pytest.mark.parametrize(("sent", "status"), [(b"{", 400), (b"[1]", 400), (b"{}", 422)])
def test_a_broken_body_is_400_and_a_missing_field_422(place, gate, sent, status):
    place.pull()
    import requests

    url = place.server.api_url + "/repos/cann/runtime/issues/1/comments"
    answer = requests.post(url, data=sent, headers={"Authorization": f"Bearer {place.token()}"}, timeout=60)
    assert answer.status_code == status
    gate.findings.clear()  # the wrong body is meant here


RUN = ("POST", "check-runs")
BUTTON = {"label": "Again", "description": "Check again", "identifier": "again"}


@pytest.mark.parametrize(
    ("call", "sent"),
    [
        *[(RUN, {"actions": [{**BUTTON, left_out: None}]}) for left_out in BUTTON],
        (RUN, {"actions": [{}]}), (RUN, {"actions": ["again"]}), (RUN, {"actions": [None]}), (RUN, {"actions": BUTTON}),
        (RUN, {"actions": [{**BUTTON, "label": 7}]}), (RUN, {"output": "Sign"}), (RUN, {"output": {"title": "Sign"}}),
        (RUN, {"output": {"summary": 7}}), (RUN, {"status": "done"}), (RUN, {"conclusion": ["success"]}), (RUN, {"external_id": 7}),
        (("POST", "git/trees"), {"base_tree": "main", "tree": ["a"]}), (("POST", "git/trees"), {"base_tree": "main", "tree": 7}),
        (("POST", "git/trees"), {"base_tree": "main", "tree": [{"path": "a"}]}),
        (("POST", "git/blobs"), {"encoding": "base64", "content": "a"}), (("POST", "git/blobs"), {"encoding": "base64"}),
        (("POST", "git/commits"), {"message": "a", "tree": "main", "parents": 7}), (("POST", "git/refs"), {"ref": "refs/heads/a"}),
        (("PUT", "contents/a"), {"message": "a", "content": "a"}), (("PUT", "contents/a"), {"message": "a", "content": "/w=="}),
        (("POST", "pulls"), {"head": 7, "base": "main"}), (("PATCH", "pulls/1"), {"title": 7}), (("PATCH", "pulls/1"), {"base": ["a"]}),
        (("POST", "issues"), {"title": None}), (("PATCH", "issues/2"), {"title": 7}), (("PATCH", "issues/2"), {"state": "done"}),
        (("POST", "issues/1/labels"), {"labels": [7]}), (("POST", "labels"), {"name": 7}),
    ],
)  # fmt: skip
def test_a_field_that_is_missing_or_of_another_type_is_422_and_changes_nothing(place, gate, call, sent):
    pull, _ = place.pull()
    title = pull.title
    place.world.open_issue(place.runtime, place.app.bot, "a", app=place.app)
    place.app.permissions["contents"] = "write"
    method, path = call
    more = {"name": "Countersign", "head_sha": pull.head_sha} if call == RUN else {}
    place.api(method, f"/repos/cann/runtime/{path}", {**more, **sent}, status=422)
    assert (place.world.check_runs, pull.title, pull.base, pull.labels) == ({}, title, "main", [])
    gate.findings.clear()  # the wrong body is meant here


def test_a_token_with_permissions_that_are_none_and_a_cursor_that_is_none_are_refused(place, gate):
    path = f"/app/installations/{place.installation.id}/access_tokens"
    place.api("POST", path, {"permissions": ["checks"]}, token=place.jwt(), status=422)
    place.api("GET", "/app/hook/deliveries?cursor=older", token=place.jwt(), status=400)
    gate.findings.clear()  # the wrong body is meant here
