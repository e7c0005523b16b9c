"""`countersign manifest` prints what GitHub's registration form accepts."""

import json

import pytest
from click.testing import CliRunner

from bot.cli.manifest import command
from bot.webhook.event_parser import ALWAYS_SENT, ROUTED

# The keys of GitHub's documentation, "Registering a GitHub App from a manifest".
DOCUMENTED = {
    "name",
    "url",
    "hook_attributes",
    "redirect_url",
    "callback_urls",
    "setup_url",
    "description",
    "public",
    "default_events",
    "default_permissions",
    "request_oauth_on_install",
    "setup_on_update",
}


def run(*arguments, **environ):
    """Run the command with this environment."""
    return CliRunner().invoke(
        command, arguments, env={"COUNTERSIGN_URL": None, "COUNTERSIGN_URL_FILE": None, **environ}
    )


def test_the_manifest_has_githubs_keys_our_addresses_and_the_routed_events():
    ran = run("--url", "https://cla.example.org/")
    assert ran.exit_code == 0
    manifest = json.loads(ran.output)
    assert set(manifest) <= DOCUMENTED
    assert manifest["url"] == "https://cla.example.org"
    assert manifest["hook_attributes"] == {"url": "https://cla.example.org/webhook", "active": True}
    assert manifest["callback_urls"] == ["https://cla.example.org/login/callback"]
    assert manifest["public"] is False
    assert set(manifest["default_events"]) == set(ROUTED) - ALWAYS_SENT
    assert "{url}" not in ran.output


def test_the_manifest_asks_for_no_more_permissions_than_needed():
    permissions = json.loads(run("--url", "https://x.example").output)["default_permissions"]
    assert permissions["contents"] == "read"
    assert not {"workflows", "administration", "secrets"} & set(permissions)
    assert set(permissions.values()) <= {"read", "write"}


def test_the_address_comes_from_the_settings_without_the_option():
    ran = run(COUNTERSIGN_URL="https://cla.example.org")
    assert json.loads(ran.output)["hook_attributes"]["url"] == "https://cla.example.org/webhook"
    ran = run(COUNTERSIGN_URL="http://10.0.0.7:8080", COUNTERSIGN_GITHUB_URL="https://ghe.corp.internal")
    assert json.loads(ran.output)["hook_attributes"]["url"] == "http://10.0.0.7:8080/webhook"


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["--url", "cla.example.org"],
        ["--url", "ftp://x"],
        ["--url", "https://x/?a=b"],
        ["--url", "https://x/cla"],
        ["--url", "https://["],
        ["--url", "https://me:hunter2@x"],
        ["--url", "http://cla.example.org"],
        ["--url", "http://localhost:8080"],
        ["--url", "https://cla"],
    ],
)
def test_a_missing_or_wrong_address_exits_with_2_without_the_password(arguments):
    ran = run(*arguments)
    assert ran.exit_code == 2
    assert "Traceback" not in ran.output
    assert "hunter2" not in ran.output
