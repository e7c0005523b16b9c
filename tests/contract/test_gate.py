"""Everything that passes a gate comes out unchanged, and what is wrong with it is noted."""

import io
import json
from pathlib import Path

import pytest
import requests
import responses
from werkzeug.test import Client

from tests.contract import plugin
from tests.contract.gate import PREFIX, Gate, Watch

CASES = Path(__file__).resolve().parent.parent / "cases" / "github"
EMAIL = {"email": "a@example.org", "primary": True, "verified": True, "visibility": None}
PLACE = "http://localhost/api/v3/repos/cann/ops/labels/cla/yes"
LABEL = {"id": 1, "node_id": "L_1", "url": PLACE, "name": "cla/yes", "description": None,
         "color": "0e8a16", "default": False}  # fmt: skip


HEADERS = {
    "Date": "Sat, 28 Nov 2026 09:00:00 GMT", "ETag": 'W/"' + "a" * 64 + '"', "X-GitHub-Request-Id": "8A96:10854:895AE2:8AB25B:64803F81",
    "X-GitHub-Api-Version-Selected": "2022-11-28", "X-GitHub-Media-Type": "github.v3; format=json",
    "X-RateLimit-Limit": "5000", "X-RateLimit-Remaining": "4959", "X-RateLimit-Used": "41", "X-RateLimit-Reset": "1795858200",
    "X-RateLimit-Resource": "core", "Content-Type": "application/json; charset=utf-8",
}  # fmt: skip
"""Of an answer of GitHub's to a GET."""


def peer(answer: object, status: str = "200 OK", **changed: str):
    """A WSGI application: it answers all callers alike and keeps the body; `changed` are headers, "" omits a header."""
    sent = {**HEADERS, **{name.replace("_", "-"): value for name, value in changed.items()}}

    def app(environ, start_response):
        app.sent = environ["wsgi.input"].read()
        start_response(status, [(name, value) for name, value in sent.items() if value])
        return [json.dumps(answer).encode()]

    return app


def renamed() -> dict:
    """GitHub's example of a renamed repository, which fits GitHub's schema."""
    examples = json.loads((CASES / "repository.json").read_text(encoding="utf-8"))
    return next(example for example in examples if example["action"] == "renamed")


def test_a_right_exchange_passes_unchanged(contract):
    app = peer(LABEL, "201 Created", Location=PLACE)
    gate = Gate(app, contract)
    body = {"name": "cla/yes", "color": "0e8a16"}
    answer = Client(gate).post("/api/v3/repos/cann/ops/labels", json=body)
    assert (answer.status_code, answer.json, json.loads(app.sent)) == (201, LABEL, body)
    assert (gate.findings, gate.watch.seen) == ([], 1)


def test_half_a_request_is_neither_passed_on_nor_noted(contract):
    """The sender of such a request was killed."""
    gate = Gate(lambda *_: pytest.fail("passed on"), contract)
    environ = {
        "REQUEST_METHOD": "POST",
        "PATH_INFO": f"{PREFIX}/repos/cann/ops/issues/1/comments",
        "CONTENT_LENGTH": "9",
    }
    begun = []
    assert gate({**environ, "wsgi.input": io.BytesIO(b'{"bo')}, lambda *answer: begun.append(answer)) == []
    assert (begun, gate.findings) == ([("400 Bad Request", [])], [])


def test_a_wrong_request_and_a_wrong_answer_are_noted(contract):
    gate = Gate(peer({**LABEL, "color": 3}, "201 Created", Location=PLACE), contract)
    answer = Client(gate).post("/api/v3/repos/cann/ops/labels", json={"nam": "cla/yes"})
    assert answer.status_code == 201
    place = "POST /repos/{owner}/{repo}/labels"
    assert gate.findings == [
        f'{place} request: body: "name" is a required property',
        f"{place} request: body/nam: GitHub has no such field here",
        f'{place} answer 201: body/color: 3 is not of type "string"',
    ]


@pytest.mark.parametrize(
    ("path", "finding"),
    [
        ("/api/v3/repos/cann/ops/stars", "no such operation"),
        ("/api/v3/user/emails?perpage=1", "query parameter perpage is unknown"),
        ("/api/v3/repos/cann/ops/labels/cla%2Fyes", "GET /repos/{owner}/{repo}/labels/{name} answer 200: body"),
    ],
)
def test_a_raw_address_is_judged_with_its_query_and_encoding(contract, path, finding):
    gate = Gate(peer([EMAIL]), contract)
    Client(gate).get(path)
    assert len(gate.findings) == 1
    assert finding in gate.findings[0]


def test_pages_and_git_pass_unjudged(contract):
    gate = Gate(peer("a page", Content_Type="text/html"), contract)
    Client(gate).get("/cann/ops/pull/1")
    assert (gate.findings, gate.watch.seen) == ([], 0)


def test_signing_in_is_judged(contract):
    gate = Gate(peer("a page", Content_Type="text/html"), contract)
    Client(gate).get("/login/oauth/authorize?client_id=x&scopes=user")
    Client(gate).post("/login/oauth/access_token", data={"client_id": "x"}, headers={"Accept": "application/json"})
    assert gate.findings == [
        "GET /login/oauth/authorize: parameter scopes is unknown",
        "POST /login/oauth/access_token: field client_secret is missing",
        "POST /login/oauth/access_token: field code is missing",
        "POST /login/oauth/access_token: the answer is no JSON object",
    ]
    assert gate.watch.seen == 2


def test_an_answer_that_is_not_json_is_noted(contract):
    gate = Gate(peer("a page", Content_Type="text/html"), contract)
    Client(gate).get("/api/v3/user/emails")
    assert gate.findings == ["GET /user/emails answer 200: the body is missing"]


@pytest.mark.parametrize(
    ("query", "data", "finding"),
    [
        ("{viewer{login}}", {"viewer": {"login": "ada"}}, None),
        ("{viewer{logn}}", {"viewer": {"login": "ada"}}, "Did you mean 'login'?"),
        ("{viewer{login}}", {"viewer": {"login": 7, "id": 1}}, "viewer"),
        (None, {}, "the body has no query"),
    ],
)
def test_graphql_is_judged_on_both_sides(contract, query, data, finding):
    gate = Gate(peer({"data": data}), contract)
    Client(gate).post("/api/graphql", json={"query": query})
    assert gate.watch.seen == 1
    assert bool(gate.findings) is bool(finding)
    assert finding is None or finding in gate.findings[0]


@responses.activate
@pytest.mark.parametrize("api", ["https://api.github.com", "http://127.0.0.1:1/api/v3"])
def test_recorded_calls_are_judged(contract, api):
    responses.get(f"{api}/user/emails", json=[{**EMAIL, "verified": "yes"}])
    responses.post(f"{api}/repos/cann/ops/labels", body=requests.ConnectionError("down"))
    requests.get(f"{api}/user/emails", timeout=1)
    with pytest.raises(requests.ConnectionError):
        requests.post(f"{api}/repos/cann/ops/labels", json={"color": "0e8a16"}, timeout=1)
    watch = Watch(contract)
    watch.calls(responses.calls)
    assert watch.findings == [
        'GET /user/emails answer 200: body/0/verified: "yes" is not of type "boolean"',
        'POST /repos/{owner}/{repo}/labels request: body: "name" is a required property',
    ]


def test_webhooks_are_judged(contract):
    payload = renamed()
    assert contract.check_webhook("repository", payload) == []
    watch = Watch(contract)
    watch.webhook("repository", {**payload, "sender": None, "sendr": {}})
    watch.webhook("repository", {**payload, "action": "named"})
    assert [finding.split(": ", 1)[1] for finding in watch.findings] == [
        'payload/sender: null is not of type "object"',
        "payload/sendr: GitHub has no such field here",
        "GitHub has no such event, or wanted/webhooks.txt lacks it",
    ]


def test_a_gate_before_countersign_judges_deliveries(contract):
    gate = Gate(peer({}, "202 Accepted"), contract)
    headers = {
        "User-Agent": "GitHub-Hookshot/c0ffee1", "X-GitHub-Event": "repository", "X-GitHub-Hook-ID": "1",
        "X-GitHub-Delivery": "72d3162e-cc78-11e3-81ab-4c9367dc0958", "X-GitHub-Hook-Installation-Target-ID": "2",
        "X-GitHub-Hook-Installation-Target-Type": "integration", "X-Hub-Signature-256": "sha256=" + "a" * 64,
    }  # fmt: skip
    Client(gate).post("/webhook", json=renamed(), headers=headers)
    assert gate.findings == []
    Client(gate).post(
        "/webhook", json=renamed(), headers={**headers, "X-GitHub-Delivery": "1", "X-Hub-Signature-256": "a"}
    )
    assert gate.findings == ["webhook header HTTP_X_GITHUB_DELIVERY: 1", "webhook header HTTP_X_HUB_SIGNATURE_256: a"]


def test_the_fixture_collects_findings_in_one_list(gate):
    Client(gate.wrap(peer([EMAIL]))).get("/api/v3/user/emails")
    assert (gate.findings, gate.seen) == ([], 1)
    Client(gate.wrap(peer([{}]))).get("/api/v3/user/emails")
    assert gate.findings != []
    gate.findings.clear()


def test_a_finding_left_behind_fails_the_test(contract):
    steps = plugin._gate._get_wrapped_function()(contract)
    next(steps).webhook("pong", {})
    with pytest.raises(AssertionError, match="webhook pong: GitHub has no such event"):
        next(steps)


def test_a_limit_that_does_not_fall_is_noted(contract):
    """Two calls of one caller cannot leave the same number of calls."""
    gate = Gate(peer([EMAIL]), contract)
    for _ in range(2):
        Client(gate).get("/api/v3/user/emails", headers={"Authorization": "Bearer x"})
    Client(gate).get("/api/v3/user/emails", headers={"Authorization": "Bearer y"})
    assert gate.findings == ["GET /api/v3/user/emails: x-ratelimit-remaining 4959 was shown before"]


def test_wrong_and_missing_headers_are_noted(contract):
    gate = Gate(peer([EMAIL], Date="Sat, 28 Nov 2026 09:00:00", ETag=""), contract)
    Client(gate).get("/api/v3/user/emails")
    assert [finding.partition(": ")[2] for finding in gate.findings] == [
        "header date is not in GitHub's form: 'Sat, 28 Nov 2026 09:00:00'",
        "header etag is missing",
    ]
    gate = Gate(peer("a page", "502 Bad Gateway", Content_Type="text/html", Date="", ETag=""), contract)
    Client(gate).get("/api/v3/user/emails")
    assert gate.findings == []
