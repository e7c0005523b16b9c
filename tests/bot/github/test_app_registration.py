"""The App as GitHub has it: what it asks for, its webhook, GitHub's clock, and the code for its keys."""

from datetime import UTC, datetime, timedelta

import pytest

from agreements.github_server import github_server
from bot.github.app_registration import WebhookConfig, convert, offered
from bot.github.client.server_features import ServerFeatures
from bot.github.connection import connect, connect_anonymously
from bot.github.ports import Missing, Unreachable

APP = {
    "id": 7, "slug": "countersign", "html_url": "https://github.com/apps/countersign", "events": ["push"],
    "permissions": {"emails": "read", "checks": "write"}, "owner": {"login": "cann"},
}  # fmt: skip
SECRETS = {"client_id": "Iv23", "client_secret": "c", "webhook_secret": None, "pem": "-----BEGIN"}


def test_the_registration_is_read_and_its_renamed_permission_gets_the_usual_name(hub, github):
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
def test_any_value_but_0_means_that_certificates_are_not_checked(hub, github, answer, found):
    github.on("GET", "/app/hook/config", answer)
    assert hub.webhook() == found


def test_the_clock_is_read_from_the_date_header(hub, github):
    github.on("GET", "/rate_limit", {}, headers={"Date": "Sat, 21 Nov 2026 12:00:00 GMT"})
    assert hub.clock_offset(datetime(2026, 11, 21, 12, 1, tzinfo=UTC)) == timedelta(minutes=1)


def test_a_server_that_refuses_unsigned_calls_is_asked_the_time_as_the_app(hub, github):
    github.on("GET", "/rate_limit", {"message": "Requires authentication"}, status=401)
    github.on("GET", "/app", APP, headers={"Date": "Sat, 21 Nov 2026 12:00:00 GMT"})
    assert hub.clock_offset(datetime(2026, 11, 21, 11, 59, tzinfo=UTC)) == -timedelta(minutes=1)


@pytest.mark.parametrize("date", [{}, {"Date": "soon"}])
def test_a_server_that_says_no_time_is_an_error(hub, github, date):
    github.on("GET", "/rate_limit", {}, headers=date, elsewhere=True)
    github.on("GET", "/app", APP, headers=date, elsewhere=True)
    with pytest.raises(Unreachable):
        hub.clock_offset(datetime(2026, 11, 21, tzinfo=UTC))


def test_the_manifest_code_is_exchanged_without_credentials(github):
    github.on("POST", "/app-manifests/a%2Fb/conversions", {**APP, **SECRETS}, status=201)
    github.on("POST", "/app-manifests/old/conversions", {"message": "Not Found"}, status=404)
    with connect_anonymously(github.api) as anonymous:
        made = convert(anonymous, "a/b")
        with pytest.raises(Missing):
            convert(anonymous, "old")
    assert (made.id, made.owner, made.webhook_secret, made.private_key) == (7, "cann", "", "-----BEGIN")
    assert "-----BEGIN" not in repr(made)
    assert all("Authorization" not in request.headers for request in github.sent())


@pytest.mark.parametrize(("version", "permission", "events"), [
    (None, True, {"merge_group", "push"}), ("3.14.0", True, {"push"}), ("3.13.9", False, {"push"}), ("3.40.0", True, {"push"}),
])  # fmt: skip
def test_a_manifest_for_an_enterprise_server_lacks_only_names_unknown_to_its_version(version, permission, events):
    features = ServerFeatures()
    features.saw(version)
    slip = {
        "name": "x",
        "default_permissions": {"checks": "write", "merge_queues": "read"},
        "default_events": ["merge_group", "push"],
    }
    found = offered(slip, features)
    assert (found["name"], "merge_queues" in found["default_permissions"]) == ("x", permission)
    assert (found["default_permissions"]["checks"], set(found["default_events"])) == ("write", events)
    assert len(slip["default_events"]) == 2


@pytest.mark.parametrize(("host", "asked"), [("github.com", 0), ("octo.ghe.com", 0), ("ghe.corp.example", 1)])
def test_an_enterprise_server_is_asked_for_its_version_once_as_the_app(key, github, host, asked):
    github.on("GET", "/meta", {"verifiable_password_authentication": True, "installed_version": "3.17.3"})
    hub = connect(app_id=1, server=github_server(host), private_key=key)
    found = [hub.server_features().version for _ in range(2)]
    hub.close()
    assert found == [(3, 17, 3) if asked else None] * 2
    assert len(github.sent("GET", "/meta")) == asked


def test_a_server_that_hides_its_version_has_none(key, github):
    github.on("GET", "/meta", {"message": "no"}, status=403, elsewhere=True)
    hub = connect(app_id=1, server=github_server("ghe.corp.example"), private_key=key)
    features = hub.server_features()
    hub.close()
    assert (features.version, features.lacking()) == (None, ())
