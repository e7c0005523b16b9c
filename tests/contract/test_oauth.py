"""A wrong step of signing in is found, and GitHub's documented and recorded steps pass."""

import json
from urllib.parse import urlencode

import pytest

from tests.contract.oauth import AUTHORIZE, TOKEN, Page, check, is_described

BACK = "https://cla.example.org/login/callback"
ASKED = {"client_id": "Iv1.a", "redirect_uri": BACK, "state": "st", "code_challenge": "c" * 43, "code_challenge_method": "S256",
         "response_type": "code"}  # fmt: skip
CODE = {
    "client_id": "Iv1.a",
    "client_secret": "s",
    "code": "c",
    "redirect_uri": BACK,
    "code_verifier": "v",
    "grant_type": "authorization_code",
}
GIVEN = {"access_token": "ghu_x", "token_type": "bearer", "scope": ""}
EXPIRING = {**GIVEN, "expires_in": 28800, "refresh_token": "ghr_x", "refresh_token_expires_in": 15811200}
REFUSED = {"error": "bad_verification_code", "error_description": "The code passed is incorrect or expired.",
           "error_uri": "https://docs.github.com/apps"}  # fmt: skip


def authorized(query=ASKED, *, status=200, location=""):
    """Findings about the page that asks."""
    headers = {"location": location} if location else {}
    return [finding.partition(": ")[2] for finding in check(Page("GET", AUTHORIZE, query, {}, "", status, headers, ""))]


def back(**said):
    """The App's address with these parameters."""
    return f"{BACK}?{urlencode(said)}"


def exchanged(fields=CODE, answer=GIVEN, *, status=200, accept="application/json"):
    """Findings about a code for a token."""
    page = Page("POST", TOKEN, {}, {"accept": accept}, urlencode(fields), status, {}, json.dumps(answer))
    return [finding.partition(": ")[2] for finding in check(page)]


DENIED = {
    "error": "access_denied",
    "error_description": "The user has denied your application access.",
    "error_uri": "/apps",
}


@pytest.mark.parametrize(
    "location", ["", back(code="1", state="st"), back(**DENIED, state="st"), "https://github.com/login?return_to=x"]
)
def test_pages_that_ask_for_a_sign_in_are_right(location):
    assert authorized(status=302 if location else 200, location=location) == []


@pytest.mark.parametrize(
    ("change", "finding"),
    [
        ({"client_id": None}, "parameter client_id is missing"),
        ({"scopes": "user"}, "parameter scopes is unknown"),
        ({"redirect_uri": "/callback"}, "parameter redirect_uri is '/callback'"),
        ({"code_challenge": "short"}, "parameter code_challenge is 'short'"),
        ({"code_challenge_method": None}, "code_challenge and its method come together"),
        ({"code_challenge_method": "plain"}, "parameter code_challenge_method is 'plain'"),
    ],
)
def test_a_wrong_question_is_found(change, finding):
    asked = {name: value for name, value in {**ASKED, **change}.items() if value is not None}
    assert authorized(asked) == [finding]


@pytest.mark.parametrize(
    ("location", "finding"),
    [
        (back(code="1"), "the state does not come back"),
        (back(state="st"), "neither a code nor an error comes back, or both"),
        (back(**{**DENIED, "error": "no"}, state="st"), "error no is unknown"),
        (back(error="access_denied", state="st"), "an error comes without error_description and error_uri"),
        ("https://other.example/?code=1&state=st", "the browser is sent to https://other.example/"),
    ],
)
def test_a_wrong_way_back_is_found(location, finding):
    assert authorized(status=302, location=location) == [finding]


@pytest.mark.parametrize("answer", [GIVEN, EXPIRING, REFUSED, {**REFUSED, "error": "incorrect_client_credentials"}])
def test_recorded_tokens_and_refusals_are_right(answer):
    assert exchanged(answer=answer) == []


def test_an_unknown_client_is_not_found_in_githubs_words():
    page = Page("POST", TOKEN, {}, {"accept": "application/json"}, urlencode(CODE), 404, {}, '{"error":"Not Found"}')
    assert list(check(page)) == []


@pytest.mark.parametrize(
    ("answer", "status", "finding"),
    [
        ({**GIVEN, "token_type": "Bearer"}, 200, "token_type is 'Bearer'"),
        ({**GIVEN, "expires_in": 28800}, 200, "of a token that expires only expires_in"),
        ({**EXPIRING, "expires_in": "28800"}, 200, "expires_in is no number"),
        ({**GIVEN, "id_token": "x"}, 200, "an answer has no id_token"),
        ({"token_type": "bearer", "scope": ""}, 200, "access_token is missing"),
        ({**REFUSED, "error": "invalid_grant"}, 200, "error invalid_grant is unknown"),
        ({"error": "bad_verification_code", "error_uri": "/"}, 200, "an error comes without error_description"),
        (REFUSED, 400, "the status is 400: GitHub's is 200, for an error, too"),
        ([], 200, "the answer is no JSON object"),
    ],
)
def test_a_wrong_token_is_found(answer, status, finding):
    assert exchanged(answer=answer, status=status) == [finding]


@pytest.mark.parametrize(
    ("fields", "accept", "finding"),
    [
        ({**CODE, "scope": "user"}, "application/json", "field scope is unknown"),
        ({"client_id": "x", "client_secret": "y"}, "application/json", "field code is missing"),
        (CODE, "*/*", "without `Accept: application/json` the answer is a form"),
    ],
)
def test_a_wrong_exchange_is_found(fields, accept, finding):
    assert exchanged(fields, accept=accept) == [finding]


def manifest(path="/settings/apps/new", slip="", *, status=200, location=""):
    """Findings about an App that is registered."""
    page = Page("POST", path, {}, {}, urlencode({"manifest": slip}), status, {"location": location}, "")
    return [finding.partition(": ")[2] for finding in check(page)]


def test_an_app_is_registered_from_a_manifest():
    slip, path = json.dumps({"redirect_url": BACK}), "/organizations/cann/settings/apps/new"
    assert is_described(path)
    assert is_described("/settings/apps/new")
    assert manifest(path, slip) == manifest(slip=slip) == []
    assert manifest(slip="{") == ["the form has no manifest in JSON"]
    assert manifest(slip="{", status=422) == []
    assert manifest(slip=slip, status=302, location=back(code="1", state="s")) == []
    assert manifest(slip=slip, status=302, location=back(state="s")) == [f"the browser is sent to {BACK}?state=s"]
