"""A status beyond the description is right for a reason that GitHub gives, in words that GitHub uses."""

import pytest

from tests.contract.statuses import Answer, may_answer

LABEL = "/repos/{owner}/{repo}/labels/{name}"


def answer(status, message="", *, method="GET", template=LABEL, takes_body=False, headers=(), asked=()):
    """An answer to a call about a label, unless another is named."""
    return Answer(method, template, status, takes_body, message, dict(headers), dict(asked))


@pytest.mark.parametrize(
    "message",
    [
        "Bad credentials", "Requires authentication", "A JSON web token could not be decoded",
        "'Expiration time' claim ('exp') must be a numeric value representing the future time at which the assertion expires",
        "Must specify two-factor authentication OTP code.",
    ],
)  # fmt: skip
def test_a_401_has_recorded_words(message):
    assert may_answer(answer(401, message))
    assert not may_answer(answer(401, f"Sorry: {message}"))


@pytest.mark.parametrize(
    "message",
    [
        "Resource not accessible by integration", "This installation has been suspended", "Must have admin rights to Repository.",
        "Must have push access to view collaborator permission.",
        "Although you appear to have the correct authorization credentials, the `cann` organization has an IP allow list enabled.",
        "Resource protected by organization SAML enforcement. You must grant your personal token access to this organization.",
    ],
)  # fmt: skip
def test_a_403_has_a_recorded_reason(message):
    assert may_answer(answer(403, message))
    assert not may_answer(answer(403, "Forbidden"))


@pytest.mark.parametrize("status", [403, 429])
def test_a_limit_says_until_when(status):
    used_up = "API rate limit exceeded for installation ID 7."
    assert may_answer(answer(status, used_up, headers={"x-ratelimit-remaining": "0"}))
    assert may_answer(answer(status, "You have exceeded a secondary rate limit. Please wait a few minutes."))
    assert not may_answer(answer(status, "slow down", headers={"retry-after": "60"}))


@pytest.mark.parametrize("status", [409, 410, 418, 451, 202, 205])
def test_some_statuses_need_githubs_description(status):
    assert not may_answer(answer(status, "Gone"))


def test_an_object_below_an_unknown_reference_is_refused_like_the_commit():
    below = "/repos/{owner}/{repo}/commits/{ref}/check-runs"
    assert may_answer(answer(422, "No commit found for SHA: main", template=below))
    assert not may_answer(answer(422, "No commit found for SHA: main"))
