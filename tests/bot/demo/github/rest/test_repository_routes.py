"""Repositories, files, labels and permissions by REST."""

import base64

import pytest

from bot.demo.github.git import bare_repository


def test_a_repository_is_the_same_by_name_and_by_id(place):
    body = place.api("GET", "/repos/CANN/Runtime")
    assert (body["full_name"], body["default_branch"], body["owner"]["type"]) == (
        "cann/runtime",
        "main",
        "Organization",
    )
    assert place.api("GET", f"/repositories/{body['id']}") == body


def test_a_renamed_repository_redirects_until_its_name_is_taken(place):
    pull, _ = place.pull()
    token = place.token()
    place.world.rename(place.runtime, "engine", place.ada)
    moved = place.call("GET", "/repos/cann/runtime/pulls?state=all", token=token)
    assert (moved.status_code, moved.headers["Location"]) == (
        301, f"{place.server.api_url}/repositories/{place.runtime.id}/pulls?state=all",
    )  # fmt: skip
    assert place.api("GET", moved.headers["Location"])[0]["number"] == pull.number
    write = place.call("POST", "/repos/cann/runtime/issues/1/comments", {"body": "x"}, token=token)
    assert write.status_code == 307
    assert pull.comments == []
    again = place.world.repository(place.cann, "runtime")
    assert place.api("GET", "/repos/cann/runtime")["id"] == again.id
    assert place.events("repository")[0]["changes"]["repository"]["name"]["from"] == "runtime"


def test_a_file_is_base64_and_a_missing_one_404(place):
    place.world.write(place.runtime, {".github/countersign.yml": "version: 1\n" * 40})
    body = place.api("GET", "/repos/cann/runtime/contents/.github/countersign.yml")
    assert base64.b64decode(body["content"]).decode() == "version: 1\n" * 40
    place.api("GET", "/repos/cann/runtime/contents/.github", status=404)
    place.api("GET", "/repos/cann/runtime/contents/README.md?ref=nope", status=404)


def test_private_repositories_are_hidden(place):
    place.world.repository(place.cann, "secret", private=True)
    place.api("GET", "/repos/cann/secret", token=place.mia.token, status=404)
    place.api("GET", "/repos/cann/secret", token=place.ada.token, status=200)


def test_a_label_is_made_once_in_any_case(place):
    fields = {"name": "cla: yes", "color": "0e8a16", "description": "Covered"}
    token = place.token()
    place.api("POST", "/repos/cann/runtime/labels", fields, status=201)
    again = place.call("POST", "/repos/cann/runtime/labels", {**fields, "name": "CLA: yes"}, token=token)
    assert (again.status_code, again.json()["errors"][0]["code"]) == (422, "already_exists")
    assert place.api("GET", "/repos/cann/runtime/labels/cla:%20yes")["color"] == "0e8a16"
    place.api("GET", "/repos/cann/runtime/labels/none", status=404)
    assert len(place.api("GET", "/repos/cann/runtime/labels")) == 1


@pytest.mark.parametrize(
    ("granted", "permission", "role"),
    [
        (None, "read", "read"),
        ("maintain", "write", "maintain"),
        ("triage", "read", "triage"),
        ("write", "write", "write"),
    ],
)
def test_a_role_is_told_as_permission_and_as_role_name(place, granted, permission, role):
    """GitHub's `permission` knows only admin, write, read and none."""
    if granted:
        place.runtime.collaborators[place.mia.id] = granted
    body = place.api("GET", "/repos/cann/runtime/collaborators/mia/permission")
    assert (body["permission"], body["role_name"], body["user"]["id"]) == (permission, role, place.mia.id)


@pytest.mark.parametrize(
    ("query", "names"), [("", ["main", "topic"]), ("?protected=true", ["main"]), ("?protected=false", ["topic"])]
)
def test_branches_are_listed_by_name_and_by_whether_they_are_protected(place, query, names):
    main = bare_repository.resolve(place.runtime.git, "refs/heads/main")
    bare_repository.point(place.runtime.git, "refs/heads/topic", main)
    place.runtime.protected_branches["main"] = {}

    found = place.api("GET", f"/repos/cann/runtime/branches{query}")

    assert [(branch["name"], branch["commit"]["sha"]) for branch in found] == [(name, main) for name in names]
