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


def test_manifest():
    """The JSON has GitHub's keys only, our address everywhere, and the routed events."""
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


def test_nothing_more_than_needed():
    """Contents are only read, workflows and administration are not touched."""
    permissions = json.loads(run("--url", "https://x.example").output)["default_permissions"]
    assert permissions["contents"] == "read"
    assert not {"workflows", "administration", "secrets"} & set(permissions)
    assert set(permissions.values()) <= {"read", "write"}


def test_address_from_the_settings():
    """Without `--url` the setting counts; a private address does for a GitHub that is in the same network."""
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
def test_wrong_address(arguments):
    """A missing or wrong address is one clear line and exit code 2."""
    ran = run(*arguments)
    assert ran.exit_code == 2
    assert "Traceback" not in ran.output
    assert "hunter2" not in ran.output
