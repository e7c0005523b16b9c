"""The App as GitHub has it: what it asks for, its webhook, GitHub's clock, and the code for its keys."""

from datetime import UTC, datetime, timedelta

import pytest

from bot.github.app_registration import WebhookConfig, convert
from bot.github.client.pygithub import connect_nobody
from bot.github.ports import Missing, Unreachable

APP = {
    "id": 7, "slug": "countersign", "html_url": "https://github.com/apps/countersign", "events": ["push"],
    "permissions": {"emails": "read", "checks": "write"}, "owner": {"login": "cann"},
}  # fmt: skip
SECRETS = {"client_id": "Iv23", "client_secret": "c", "webhook_secret": None, "pem": "-----BEGIN"}


def test_registration(hub, github):
    """The one permission that has two names gets the usual one."""
    github.on("GET", "/app", APP)
    found = hub.registration()
    assert found.permissions == {"email_addresses": "read", "checks": "write"}
    assert (found.slug, found.page, found.events) == ("countersign", APP["html_url"], {"push"})


@pytest.mark.parametrize(
    ("answer", "found"),
    [
        ({"url": "https://x", "content_type": "json", "secret": "********", "insecure_ssl": "0"}, WebhookConfig("https://x", "json", has_secret=True, verifies_tls=True)),
        ({"url": "https://x", "insecure_ssl": 1}, WebhookConfig("https://x", "form", has_secret=False, verifies_tls=False)),
        ({}, WebhookConfig("", "form", has_secret=False, verifies_tls=True)),
    ],
)  # fmt: skip
def test_webhook(hub, github, answer, found):
    """Anything but 0 switches the check of certificates off; without a word GitHub sends forms."""
    github.on("GET", "/app/hook/config", answer)
    assert hub.webhook() == found


def test_the_clock(hub, github):
    """By the Date header; ahead is positive."""
    github.on("GET", "/rate_limit", {}, headers={"Date": "Sat, 21 Nov 2026 12:00:00 GMT"})
    assert hub.clock_offset(datetime(2026, 11, 21, 12, 1, tzinfo=UTC)) == timedelta(minutes=1)


def test_the_clock_of_a_server_that_answers_nobody(hub, github):
    """It is asked as the App; one that says no time is not understood."""
    github.on("GET", "/rate_limit", {"message": "no"}, status=401)
    github.on("GET", "/app", APP, headers={"Date": "Sat, 21 Nov 2026 12:00:00 GMT"})
    assert hub.clock_offset(datetime(2026, 11, 21, 11, 59, tzinfo=UTC)) == -timedelta(minutes=1)


def test_a_server_that_says_no_time(hub, github):
    """Is no server with the right time."""
    github.on("GET", "/rate_limit", {})
    github.on("GET", "/app", APP)
    with pytest.raises(Unreachable):
        hub.clock_offset(datetime(2026, 11, 21, tzinfo=UTC))


def test_the_code(github):
    """Without credentials; no secret shows where the App is shown. A code that GitHub does not know is Missing."""
    github.on("POST", "/app-manifests/a%2Fb/conversions", {**APP, **SECRETS}, status=201)
    github.on("POST", "/app-manifests/old/conversions", {"message": "Not Found"}, status=404)
    with connect_nobody(github.api) as nobody:
        made = convert(nobody, "a/b")
        with pytest.raises(Missing):
            convert(nobody, "old")
    assert (made.id, made.owner, made.webhook_secret, made.private_key) == (7, "cann", "", "-----BEGIN")
    assert "-----BEGIN" not in repr(made)
    assert all("Authorization" not in one.headers for one in github.sent())
