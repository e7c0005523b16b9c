"""A wrong field is found wherever it stands, and what GitHub does is never called wrong."""

import json

import pytest

from tests.contract.contract import DATA, Contract
from tests.contract.convert import resolved
from tests.contract.exceptions import DEPARTURES, NULL

CHECKS = "/repos/cann/ops/check-runs"
RUN = {"name": "Countersign", "head_sha": "a" * 40, "status": "completed", "conclusion": "success",
       "output": {"title": "All covered", "summary": "1 commit"}}  # fmt: skip


def test_right_request_passes(contract):
    """A check run as we send it has no findings."""
    assert contract.check_request("POST", CHECKS, {}, RUN) == []


@pytest.mark.parametrize(
    ("change", "finding"),
    [
        ({"conclusion": "red"}, 'body/conclusion: "red" is not one of'),
        ({"detail_url": "https://x"}, "body/detail_url: GitHub has no such field here"),
        ({"output": {"title": "t", "summary": "s", "txt": "x"}}, "body/output/txt: GitHub has no such field here"),
        ({"output": {"title": "t"}}, 'body/output: "summary" is a required property'),
        ({"head_sha": None}, "body/head_sha: null is not of type"),
    ],
)
def test_wrong_field_in_a_request(contract, change, finding):
    """A wrong value, an unknown name, a missing and a null field are each found, with the place."""
    findings = contract.check_request("POST", CHECKS, {}, {**RUN, **change})
    assert [one for one in findings if finding in one], findings


@pytest.mark.parametrize(
    ("path", "query", "finding"),
    [
        ("/user/octocat", {}, "path account_id"),
        ("/user/emails", {"perpage": "100"}, "query parameter perpage is unknown"),
        ("/user/emails", {"per_page": "many"}, "query per_page"),
        ("/repos/cann/ops/stars", {}, "GitHub has no such operation"),
        ("/repos/cann/ops/pulls/1/", {}, "GitHub has no such operation"),
    ],
)
def test_wrong_address(contract, path, query, finding):
    """Unknown operations, unknown parameters and parameters of the wrong type are found."""
    findings = contract.check_request("GET", path, query, None)
    assert len(findings) == 1
    assert finding in findings[0]


@pytest.mark.parametrize(
    ("path", "template"),
    [
        ("/user/emails", "/user/emails"),
        ("/user/21", "/user/{account_id}"),
        ("/repos/o/r/contents/a/b/c.yml", "/repos/{owner}/{repo}/contents/{path}"),
        ("/repos/o/r/commits/topic/x/check-runs", "/repos/{owner}/{repo}/commits/{ref}/check-runs"),
        ("/repos/o/r/compare/main...me:topic/x", "/repos/{owner}/{repo}/compare/{basehead}"),
        ("/repos/o/r/labels/cla%2Fno", "/repos/{owner}/{repo}/labels/{name}"),
        ("/repositories/7", "/repos/{owner}/{repo}"),
        ("/repositories/7/pulls/1/files", "/repos/{owner}/{repo}/pulls/{pull_number}/files"),
    ],
)
def test_the_closest_operation_answers(contract, path, template):
    """Literal segments win; a path, a ref and a comparison may span several segments."""
    assert contract.operation("GET", path).template == template


def test_wrong_field_in_an_answer(contract):
    """A field of the wrong type, a missing and an invented one in an answer are found."""
    email = {"email": "a@example.org", "primary": True, "verified": 1, "confirmed": True}
    assert contract.check_response("GET", "/user/emails", 200, [email]) == [
        'GET /user/emails answer 200: body/0: "visibility" is a required property',
        'GET /user/emails answer 200: body/0/verified: 1 is not of type "boolean"',
        "GET /user/emails answer 200: body/0/confirmed: GitHub has no such field here",
    ]


@pytest.mark.parametrize(
    ("status", "body", "right"),
    [
        (200, None, False), (201, [], False), (418, {"message": "teapot"}, False), (401, {"message": "no"}, True),
        (401, {"message": 3}, False), (429, {"message": "slow down"}, True), (301, None, True), (304, None, True),
        (502, None, True),
    ],
)  # fmt: skip
def test_statuses(contract, status, body, right):
    """Errors may come anywhere in GitHub's form; another success than the documented one is wrong."""
    assert (contract.check_response("GET", "/user/emails", status, body) == []) is right


def test_null_author_of_a_commit_is_right(contract, commit):
    """`author: null` and `author: {}` are both GitHub's way to say that nobody has that address."""
    for author in (None, {}):
        answer = [{**commit, "author": author}]
        assert contract.check_response("GET", "/repos/o/r/pulls/1/commits", 200, answer) == []


def test_a_body_where_none_belongs(contract):
    """GET takes no body, POST of a check run needs one, and 204 has none, which nothing that we use answers today."""
    assert contract.check_request("GET", "/app", {}, {"a": 1}) == [
        "GET /app request: a body is sent where GitHub takes none"
    ]
    assert "a body is required" in contract.check_request("POST", CHECKS, {}, None)[0]
    document = json.loads((DATA / "github-openapi.json").read_text(encoding="utf-8"))
    document["paths"]["/it"] = {"delete": {"responses": {"204": {"description": "Response"}}}}
    gone = Contract(document, "").check_response("DELETE", "/it", 204, {})
    assert gone == ["DELETE /it answer 204: a body where GitHub sends none"]


def test_departures_are_few_and_cited():
    """At most ten, and each says what of GitHub shows it."""
    assert len(DEPARTURES) <= 10
    assert all(len(departure.why) > 60 for departure in DEPARTURES)


@pytest.mark.parametrize("place", [place for departure in DEPARTURES for place in departure.where])
def test_every_departure_is_needed(place):
    """What a departure allows is not yet in GitHub's schema; else it must go."""
    departure = next(one for one in DEPARTURES if place in one.where)
    document = json.loads((DATA / "github-openapi.json").read_text(encoding="utf-8"))
    node = document
    for part in place.split("/")[1:]:
        node = node[part.replace("~1", "/")]
    node = resolved(document, node)
    assert departure.also != node
    assert departure.also not in node.get("anyOf", [])
    assert departure.also != NULL or not node.get("nullable")


def test_both_ways_to_add_labels_are_right(contract):
    """The bare array that PyGithub sends, and the object; an array of numbers is neither."""
    path = "/repos/o/r/issues/1/labels"
    assert contract.check_request("POST", path, {}, ["cla/yes"]) == []
    assert contract.check_request("POST", path, {}, {"labels": ["cla/yes"]}) == []
    assert contract.check_request("POST", path, {}, [3]) != []


@pytest.fixture(name="commit")
def _commit():
    """A commit of a pull request, with all that GitHub's schema asks for."""
    person = {"name": "Ada", "email": "ada@example.org", "date": "2026-11-21T00:00:00Z"}
    url = "https://api.github.com/repos/o/r/commits/1"
    return {"url": url, "sha": "1" * 40, "node_id": "C_1", "html_url": url, "comments_url": url, "committer": None,
            "commit": {"url": url, "author": person, "committer": person, "message": "Add", "comment_count": 0,
                       "tree": {"sha": "2" * 40, "url": url}},
            "author": None, "parents": [{"sha": "3" * 40, "url": url}]}  # fmt: skip
