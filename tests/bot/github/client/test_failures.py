"""The meaning of each bad answer."""

from datetime import UTC, datetime

import pytest

from bot.github.client.failures import (
    SECONDARY_WAIT,
    Limited,
    Transient,
    describe_call,
    failure,
    is_used_up,
    named_wait,
    plain,
    wait,
)
from bot.github.ports import Missing, Moved, Refused, Unreachable

NOW = datetime(2026, 11, 21, 12, 0, 0, tzinfo=UTC)
CALL = "GET /repos/…/…/pulls"
SECONDARY = {"message": "You have exceeded a secondary rate limit. Please wait a few minutes before you try again."}


def test_a_missing_permission_is_named_as_in_githubs_header():
    said = {"message": "Resource not accessible by integration"}

    def about(accepted, status=403):
        return str(failure(status, {"x-accepted-github-permissions": accepted}, said, call=CALL, now=NOW))

    assert about("checks=write").endswith("(the call needs the permission checks: write)")
    assert about("issues=write; pull_requests=write,contents=read").endswith(
        "(the call needs the permission issues: write or pull_requests: write and contents: read)"
    )
    for other in ("", "a b c", "checks=write; <script>", "ghs_0123456789=write"):
        assert about(other) == f"GitHub answered 403 to {CALL}: {said['message']}"
    assert "needs" not in about("checks=write", status=422)


@pytest.mark.parametrize(
    ("status", "headers", "body", "kind"),
    [
        (401, {}, {"message": "Bad credentials"}, Refused),
        (403, {}, {"message": "Resource not accessible by integration"}, Refused),
        (403, {}, {"message": "API rate limit exceeded for installation ID 77."}, Limited),
        (403, {}, SECONDARY, Limited),
        (403, {"retry-after": "7"}, {"message": "no"}, Limited),
        (403, {"x-ratelimit-remaining": "0"}, {"message": "no"}, Limited),
        (403, {"x-ratelimit-remaining": "10"}, {"message": "no"}, Refused),
        (403, {}, None, Limited),
        (429, {}, None, Limited),
        (404, {}, {"message": "Not Found"}, Missing),
        (410, {}, {}, Refused),
        (409, {}, {"message": "Git Repository is empty."}, Missing),
        (409, {}, {"message": "Merge conflict"}, Refused),
        (422, {}, {"message": "Validation Failed"}, Refused),
        (400, {}, "<html>", Refused),
        (408, {}, None, Unreachable),
        (500, {}, None, Unreachable),
        (502, {}, None, Transient),
        (503, {}, "<html>", Transient),
        (503, {"retry-after": "7"}, None, Unreachable),
        (301, {}, {"message": "Moved"}, Moved),
        (308, {}, None, Moved),
    ],
)
def test_every_status_means_one_thing(status, headers, body, kind):
    found = failure(status, headers, body, call=CALL, now=NOW)

    assert type(found) is kind
    assert f"{status} to {CALL}" in str(found)


def test_a_redirect_of_the_whole_api_is_a_wrong_address():
    found = failure(301, {}, None, call="GET /app", now=NOW)

    assert isinstance(found, Refused)
    assert "check COUNTERSIGN_GITHUB_API_URL" in str(found)


@pytest.mark.parametrize(
    ("headers", "message", "seconds"),
    [
        ({"retry-after": "7"}, "", 7.0),
        ({"retry-after": "Sat, 21 Nov 2026 12:01:30 GMT"}, "", 90.0),
        ({"retry-after": "Sat, 21 Nov 2026 11:00:00 GMT"}, "", 0.0),
        ({"retry-after": "Sat, 21 Nov 2026 12:01:30"}, "", 90.0),
        ({"retry-after": "7, 7"}, "", 7.0),
        ({"retry-after": "9" * 400}, "", None),
        ({"retry-after": "soon"}, "", None),
        ({"x-ratelimit-remaining": "0", "x-ratelimit-reset": str(int(NOW.timestamp()) + 100)}, "", 101.0),
        ({"x-ratelimit-remaining": "0", "x-ratelimit-reset": str(int(NOW.timestamp()) - 100)}, "", 1.0),
        ({"x-ratelimit-remaining": "5", "x-ratelimit-reset": "99999999999"}, "", None),
        ({}, SECONDARY["message"], SECONDARY_WAIT),
        ({}, "no", None),
    ],
)
def test_the_wait_is_retry_after_then_the_reset_then_a_minute(headers, message, seconds):
    assert wait(headers, message, NOW) == seconds


def test_a_wait_is_reckoned_by_githubs_clock():
    reset = {"x-ratelimit-remaining": "0", "x-ratelimit-reset": str(int(NOW.timestamp()) + 100)}

    assert named_wait({**reset, "date": "Sat, 21 Nov 2026 12:01:00 GMT"}, NOW) == 41.0
    assert named_wait({**reset, "date": "today"}, NOW) == 101.0
    assert named_wait({"date": "Sat, 21 Nov 2026 12:01:00 GMT"}, NOW) is None


@pytest.mark.parametrize(
    ("resource", "remaining", "used_up"),
    [
        ("core", "0", True),
        ("", "0", True),
        ("graphql", "0", True),
        ("dependency_sbom", "0", False),
        ("core", "1", False),
    ],
)
def test_only_a_used_up_limit_of_all_calls_counts_as_used_up(resource, remaining, used_up):
    assert is_used_up({"x-ratelimit-resource": resource, "x-ratelimit-remaining": remaining}) is used_up


def test_a_bare_429_waits_a_minute():
    assert failure(429, {}, None, call=CALL, now=NOW).retry_after == SECONDARY_WAIT


@pytest.mark.parametrize(
    ("call", "shown"),
    [
        (("GET", "/repos/ann/secret/collaborators/bo/permission"), "GET /repos/…/…/collaborators/…/permission"),
        (("POST", "https://api.github.com/graphql"), "POST /graphql"),
        (("GET", "/users/ann?x=ann"), "GET /users/…"),
        (("POST", "/app/installations/77/access_tokens"), "POST /app/installations/…/access_tokens"),
    ],
)
def test_a_call_is_named_without_login_repository_or_number(call, shown):
    assert describe_call(*call) == shown


@pytest.mark.parametrize(
    "secret", ["ghs_7_" + "a" * 250 + "." + "b" * 264, "eyJhbGciOiJSUzI1NiJ9.e30.sig-n_a", "ann@example.org"]
)
def test_a_message_keeps_no_token_and_no_address(secret):
    shown = plain(f"bad\n\t{secret} here " + "x " * 500)

    assert shown.startswith("bad … here")
    assert secret[4:12] not in shown
    assert "\n" not in shown
    assert len(shown) <= 161


@pytest.mark.parametrize(("call", "kind"), [
    ("GET /repos/…/…/issues/…", Missing), ("POST /repos/…/…/issues", Missing), ("GET /repos/…/…/contents/…/…", Refused),
    ("POST /app/installations/…/access_tokens", Refused), ("GET /repositories/…", Refused), ("GET /rate_limit", Refused),
])  # fmt: skip
def test_a_status_410_means_missing_only_for_issues(call, kind):
    """GitHub answers 410 for a deleted issue, and for any call of a version of its API that has ended."""
    found = failure(410, {}, {"message": "Gone"}, call=call, now=NOW)
    assert type(found) is kind
    assert ("REST API" in str(found)) is (kind is Refused)
