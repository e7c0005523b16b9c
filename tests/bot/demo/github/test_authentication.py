"""Callers are known by their tokens and may do what these allow."""

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa

from tests.bot.demo.github import github_deeds


@pytest.mark.parametrize(
    "claims",
    [
        {"iat": 1_900_000_000},
        {"exp": 1_700_000_000},
        {"exp": 1_900_000_000},
        {"exp": None},
        {"iat": "soon"},
    ],
)
def test_a_jwt_with_impossible_times_is_refused(place, claims):
    place.api("GET", "/app", token=place.jwt(**claims), status=401)


def test_an_app_that_is_not_there_is_not_found(place):
    """GitHub answers 404 with these words: octokit/rest.js#218."""
    assert place.api("GET", "/app", token=place.jwt(iss="1"), status=404)["message"] == "Integration not found"


def test_a_jwt_by_another_key_or_algorithm_is_refused(place):
    """An attacker may sign by HMAC with the public key as the secret."""
    now = int(place.clock().timestamp())
    claims = {"iat": now - 60, "exp": now + 300, "iss": str(place.app.id)}
    foreign = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    none = jwt.encode(claims, None, "none")
    for token in (
        jwt.encode(claims, foreign, "RS256"),
        none,
        jwt.encode(claims, "x" * 40, "HS256"),
        "ey.x.y",
        "nonsense",
    ):
        place.api("GET", "/app", token=token, status=401)


def test_the_client_id_is_an_issuer_too(place):
    """GitHub recommends the client id as the issuer."""
    place.api("GET", "/app", token=place.jwt(iss=place.app.client_id), status=200)


@pytest.mark.parametrize(
    ("method", "path", "body", "permissions"),
    [
        ("POST", "/repos/cann/runtime/check-runs", {"name": "C", "head_sha": "HEAD"}, {"checks": "read"}),
        ("POST", "/repos/cann/runtime/issues/1/comments", {"body": "x"}, {"contents": "read"}),
        ("POST", "/repos/cann/runtime/issues/1/labels", {"labels": ["x"]}, {"issues": "read"}),
        ("DELETE", "/repos/cann/runtime/issues/1/labels/x", None, {"metadata": "read"}),
        ("POST", "/repos/cann/runtime/labels", {"name": "x", "color": "ffffff"}, {"checks": "write"}),
        ("PATCH", "/repos/cann/runtime/pulls/1", {"state": "closed"}, {"checks": "write"}),
    ],
)
def test_writing_without_the_permission_is_refused_and_changes_nothing(place, method, path, body, permissions):
    pull, _ = place.pull()
    place.world.add_labels(pull, ["x"], place.ada)
    if body and "head_sha" in body:
        body["head_sha"] = pull.head_sha
    answer = place.call(method, path, body, token=place.token(permissions=permissions))
    assert (answer.status_code, answer.json()["message"]) == (403, "Resource not accessible by integration")
    assert (pull.state, [label.name for label in pull.labels], pull.comments) == ("open", ["x"], [])
    assert place.world.check_runs == {}


def test_only_private_repositories_need_the_permission_to_read(place):
    place.pull()
    path = "/repos/cann/runtime/pulls/1"
    token = place.token(permissions={"metadata": "read"})
    place.api("GET", path, token=token, status=200)
    place.runtime.private = True
    place.api("GET", path, token=token, status=403)
    place.api("GET", path, token=place.token(permissions={"pull_requests": "read"}), status=200)
    assert place.call("GET", path).status_code == 404


def test_an_app_writes_nothing_where_it_is_not_installed(place):
    place.pull()
    body = {"name": "x", "color": "ffffff"}
    place.api("POST", "/repos/mia/runtime/labels", body, status=403)
    other = place.world.repository(place.cann, "other", private=True)
    place.world.choose(place.installation, place.ada, removed=[other])
    place.api("GET", "/repos/cann/other", status=404)


def test_an_uninstalled_app_has_no_tokens(place):
    token = place.token()
    github_deeds.uninstall(place.world, place.installation, place.ada)
    assert place.call("GET", "/repos/cann/runtime", token=token).status_code == 401


def test_people_may_do_only_as_much_as_their_role_allows(place):
    place.pull()
    place.api("POST", "/repos/cann/runtime/issues/1/labels", {"labels": ["x"]}, token=place.mia.token, status=403)
    place.api("POST", "/repos/cann/runtime/issues/1/comments", {"body": "x"}, token=place.mia.token, status=201)
    assert place.call("POST", "/repos/cann/runtime/issues/1/comments", {"body": "x"}).status_code == 401
    basic = {"auth": ("mia", place.mia.token)}
    assert place.call("GET", "/user", **basic).json()["login"] == "mia"
    assert place.call("GET", "/user", auth=("ada", place.mia.token)).status_code == 401


def test_a_fine_grained_token_needs_its_own_and_its_persons_permission(place):
    pull, _ = place.pull()
    comments, runs = "/repos/cann/runtime/issues/1/comments", f"/repos/cann/runtime/commits/{pull.head_sha}/check-runs"
    writing = github_deeds.fine_grained_token(place.world, place.ada, {"pull_requests": "write", "checks": "read"})
    reading = github_deeds.fine_grained_token(place.world, place.ada, {"pull_requests": "read", "contents": "write"})
    place.api("POST", comments, {"body": "x"}, token=writing, status=201)
    refused = place.call("POST", comments, {"body": "x"}, token=reading)
    assert (refused.status_code, refused.json()["message"]) == (403, "Resource not accessible by personal access token")
    assert refused.headers["X-Accepted-GitHub-Permissions"] == "issues=write; pull_requests=write"
    theirs = github_deeds.fine_grained_token(place.world, place.mia, {"issues": "write"})
    place.api("POST", "/repos/cann/runtime/issues/1/labels", {"labels": ["x"]}, token=theirs, status=403)
    place.api("GET", runs, token=writing, status=200)
    place.runtime.private = True
    place.api("GET", runs, token=writing, status=403)
    place.api("GET", runs, token=place.ada.token, status=200)
