"""Repositories, files, labels and permissions by REST."""

import base64

import pytest


def test_a_repository_by_name_and_by_id(place):
    """The same answer both ways; names know no case."""
    token = place.token()
    body = place.call("GET", "/repos/CANN/Runtime", token=token).json()
    assert (body["full_name"], body["default_branch"], body["owner"]["type"]) == (
        "cann/runtime",
        "main",
        "Organization",
    )
    assert place.call("GET", f"/repositories/{body['id']}", token=token).json() == body


def test_a_renamed_repository_redirects(place):
    """301 to read, 307 to write, both to the id; the old name taken again is another repository."""
    pull, _ = place.pull()
    token = place.token()
    place.world.rename(place.runtime, "engine", place.ada)
    moved = place.call("GET", "/repos/cann/runtime/pulls?state=all", token=token)
    assert (moved.status_code, moved.headers["Location"]) == (
        301, f"{place.server.api_url}/repositories/{place.runtime.id}/pulls?state=all",
    )  # fmt: skip
    assert place.call("GET", moved.headers["Location"], token=token).json()[0]["number"] == pull.number
    write = place.call("POST", "/repos/cann/runtime/issues/1/comments", {"body": "x"}, token=token)
    assert write.status_code == 307
    assert pull.comments == []
    again = place.world.repository(place.cann, "runtime")
    assert place.call("GET", "/repos/cann/runtime", token=token).json()["id"] == again.id
    assert place.events("repository")[0]["changes"]["repository"]["name"]["from"] == "runtime"


def test_a_file_and_a_missing_one(place):
    """Base64 in lines as GitHub sends it; 404 for what is not there, also for a folder."""
    place.world.write(place.runtime, {".github/countersign.yml": "version: 1\n" * 40})
    token = place.token()
    body = place.call("GET", "/repos/cann/runtime/contents/.github/countersign.yml", token=token).json()
    assert base64.b64decode(body["content"]).decode() == "version: 1\n" * 40
    assert place.call("GET", "/repos/cann/runtime/contents/.github", token=token).status_code == 404
    assert place.call("GET", "/repos/cann/runtime/contents/README.md?ref=nope", token=token).status_code == 404


def test_private_repositories_are_hidden(place):
    """404 for who may not read, as if it were not there."""
    place.world.repository(place.cann, "secret", private=True)
    assert place.call("GET", "/repos/cann/secret", token=place.mia.token).status_code == 404
    assert place.call("GET", "/repos/cann/secret", token=place.ada.token).status_code == 200
    assert [one["name"] for one in place.call("GET", "/orgs/cann/repos", token=place.mia.token).json()] == ["runtime"]
    assert len(place.call("GET", "/orgs/cann/repos", token=place.token()).json()) == 2


def test_a_label_is_made_once(place):
    """422 already_exists the second time, whatever the case."""
    wish = {"name": "cla: yes", "color": "0e8a16", "description": "Covered"}
    token = place.token()
    assert place.call("POST", "/repos/cann/runtime/labels", wish, token=token).status_code == 201
    again = place.call("POST", "/repos/cann/runtime/labels", {**wish, "name": "CLA: yes"}, token=token)
    assert (again.status_code, again.json()["errors"][0]["code"]) == (422, "already_exists")
    assert place.call("GET", "/repos/cann/runtime/labels/cla:%20yes", token=token).json()["color"] == "0e8a16"
    assert place.call("GET", "/repos/cann/runtime/labels/none", token=token).status_code == 404
    assert len(place.call("GET", "/repos/cann/runtime/labels", token=token).json()) == 1


@pytest.mark.parametrize(
    ("granted", "permission", "role"),
    [
        (None, "read", "read"),
        ("maintain", "write", "maintain"),
        ("triage", "read", "triage"),
        ("write", "write", "write"),
    ],
)
def test_permissions_in_githubs_two_ways(place, granted, permission, role):
    """`permission` knows only admin, write, read and none."""
    if granted:
        place.runtime.collaborators[place.mia.id] = granted
    body = place.call("GET", "/repos/cann/runtime/collaborators/mia/permission", token=place.token()).json()
    assert (body["permission"], body["role_name"], body["user"]["id"]) == (permission, role, place.mia.id)


def test_one_commit(place):
    """By hash; 422 for none."""
    pull, _ = place.pull()
    token = place.token()
    assert place.call("GET", f"/repos/cann/runtime/commits/{pull.head_sha}", token=token).json()["sha"] == pull.head_sha
    assert place.call("GET", "/repos/cann/runtime/commits/nothing", token=token).status_code == 422
