"""A wrong field is found wherever it stands, and what GitHub does is never called wrong."""

import json

import pytest

from tests.contract.contract import DATA, Contract
from tests.contract.convert import resolved
from tests.contract.exceptions import DEPARTURES, NULL
from tests.contract.statuses import ELSEWHERE

CHECKS = "/repos/cann/ops/check-runs"
RUN = {"name": "Countersign", "head_sha": "a" * 40, "status": "completed", "conclusion": "success",
       "output": {"title": "All covered", "summary": "1 commit"}}  # fmt: skip


def test_a_right_request_has_no_findings(contract):
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
def test_a_wrong_field_in_a_request_is_found_with_its_place(contract, change, finding):
    findings = contract.check_request("POST", CHECKS, {}, {**RUN, **change})
    assert [line for line in findings if finding in line], findings


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
def test_an_unknown_operation_or_parameter_is_found(contract, path, query, finding):
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
    assert contract.operation("GET", path).template == template


def test_a_wrong_field_in_an_answer_is_found(contract):
    email = {"email": "a@example.org", "primary": True, "verified": 1, "confirmed": True}
    assert contract.check_response("GET", "/user/emails", 200, [email]) == [
        'GET /user/emails answer 200: body/0: "visibility" is a required property',
        'GET /user/emails answer 200: body/0/verified: 1 is not of type "boolean"',
        "GET /user/emails answer 200: body/0/confirmed: GitHub has no such field here",
    ]


LIMIT = {"message": "API rate limit exceeded for user ID 7."}
LABEL = "/repos/cann/ops/labels/cla"


@pytest.mark.parametrize(
    ("path", "status", "body", "right"),
    [
        ("/user/emails", 200, None, False),
        ("/user/emails", 201, [], False),
        ("/user/emails", 418, {"message": "teapot"}, False),
        ("/user/emails", 401, {"message": "no"}, True),  # it is described: any message will do
        ("/user/emails", 401, {"message": 3}, False),
        ("/user/emails", 502, None, True),
        ("/user/emails", 409, {"message": "Conflict"}, False),
        ("/user/emails", 410, {"message": "Gone"}, False),
        ("/user/emails", 422, {"message": "Validation Failed"}, False),
        (LABEL, 401, {"message": "Bad credentials"}, True),
        (LABEL, 401, {"message": "no"}, False),
        (LABEL, 403, {"message": "Resource not accessible by integration"}, True),
        (LABEL, 403, {"message": "no"}, False),
        (LABEL, 404, {"message": "Not Found"}, True),
        (LABEL, 422, {"message": "Validation Failed"}, False),
        (LABEL, 429, {"message": "slow down"}, False),
        (LABEL, 429, LIMIT, True),
        ("/app", 404, {"message": "Not Found"}, False),
        ("/app", 404, {"message": "Integration not found"}, True),
    ],
)
def test_a_status_beyond_the_description_needs_githubs_words_and_form(contract, path, status, body, right):
    assert (contract.check_response("GET", path, status, body) == []) is right


@pytest.mark.parametrize(
    ("call", "answer", "sent", "asked", "right"),
    [
        (("GET", LABEL), (304, None), {}, {}, False),
        (("GET", LABEL), (304, None), {}, {"if-none-match": '"1"'}, True),
        (("POST", CHECKS), (304, None), {}, {"if-none-match": '"1"'}, False),
        (("GET", LABEL), (301, None), {}, {}, False),
        (("GET", LABEL), (301, None), {"Location": "https://api.github.com/repositories/7/labels/cla"}, {}, True),
        (("GET", "/user/emails"), (301, None), {"Location": "https://api.github.com/user/emails"}, {}, False),
        (("GET", LABEL), (403, LIMIT), {}, {}, False),
        (("GET", LABEL), (403, LIMIT), {"X-RateLimit-Remaining": "0"}, {}, True),
        (("GET", LABEL), (403, {"message": "You have exceeded a secondary rate limit."}), {}, {}, True),
        (("POST", CHECKS), (422, {"message": "Validation Failed"}), {}, {}, True),
        (("POST", CHECKS), (400, {"message": "Problems parsing JSON"}), {}, {}, True),
        (("POST", CHECKS), (400, {"message": "Bad Request"}), {}, {}, False),
        (("GET", LABEL), (400, {"message": "Problems parsing JSON"}), {}, {}, False),
    ],
)
def test_some_statuses_need_a_header_or_something_that_was_sent(contract, call, answer, sent, asked, right):
    found = contract.check_response(*call, *answer, sent=tuple(sent.items()), asked=asked)
    assert (found == []) is right, found


def test_every_status_beyond_the_description_has_a_source():
    cited = ("REST API'", "API versions'", "recorded", "description", "rest.js#")
    assert all(any(source in rule.why for source in cited) for rule in ELSEWHERE)


@pytest.mark.parametrize(
    ("change", "finding"),
    [
        ({"completed_at": "yesterday"}, 'body/completed_at: "yesterday" is not a "date-time"'),
        ({"completed_at": "2026-11-21 09:00:00"}, 'is not a "date-time"'),
    ],
)
def test_a_moment_is_one_of_rfc_3339(contract, change, finding):
    findings = contract.check_request("POST", CHECKS, {}, {**RUN, **change})
    assert len(findings) == 1
    assert finding in findings[0]


def test_a_commit_without_an_account_may_have_null_or_an_empty_object(contract, commit):
    for author in (None, {}):
        answer = [{**commit, "author": author}]
        assert contract.check_response("GET", "/repos/o/r/pulls/1/commits", 200, answer) == []


def test_a_body_stands_only_where_one_belongs(contract):
    assert contract.check_request("GET", "/app", {}, {"a": 1}) == [
        "GET /app request: a body is sent where GitHub takes none"
    ]
    assert "a body is required" in contract.check_request("POST", CHECKS, {}, None)[0]
    document = json.loads((DATA / "github-openapi.json").read_text(encoding="utf-8"))
    document["paths"]["/it"] = {"delete": {"responses": {"204": {"description": "Response"}}}}
    gone = Contract(document, "").check_response("DELETE", "/it", 204, {})
    assert gone == ["DELETE /it answer 204: a body where GitHub sends none"]


def test_departures_are_few_and_cited():
    assert len(DEPARTURES) <= 11
    assert all(len(departure.why) > 60 for departure in DEPARTURES)


@pytest.mark.parametrize("place", [place for departure in DEPARTURES for place in departure.where])
def test_every_departure_is_needed(place):
    departure = next(departure for departure in DEPARTURES if place in departure.where)
    document = json.loads((DATA / "github-openapi.json").read_text(encoding="utf-8"))
    node = document
    for part in place.split("/")[1:]:
        node = node[part.replace("~1", "/")]
    node = resolved(document, node)
    assert departure.also != node
    assert departure.also not in node.get("anyOf", [])
    assert departure.also != NULL or not node.get("nullable")


def test_both_ways_to_add_labels_are_right(contract):
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
