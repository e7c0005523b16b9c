"""GitHub for commands: each thing that is missing or wrong is one line that names the setting."""

import pytest
import structlog

from bot.cli import github_app
from bot.cli.command_error import CommandError
from bot.github.ports import Unreachable

KEY, APP = "COUNTERSIGN_PRIVATE_KEY", "COUNTERSIGN_APP_ID"


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({}, f"It needs the App: set {APP} and {KEY}"),
        ({APP: "7"}, f"It needs the App: set {KEY}"),
        (
            {APP: "7", KEY: "-----BEGIN RSA PRIVATE KEY-----\nx\n-----END RSA PRIVATE KEY-----"},
            f"{KEY}: the private key is not an RSA key in PEM format, as GitHub issues it",
        ),
    ],
)
def test_what_is_missing_or_wrong(monkeypatch, given, said):
    """Nothing is asked of GitHub."""
    for name in (APP, KEY):
        monkeypatch.delenv(name, raising=False)
    for name, value in given.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(CommandError) as caught, github_app.connected("It needs the App"):
        raise AssertionError("no hub may come of this")
    assert caught.value.message == said


def test_what_github_does_not_answer(monkeypatch, key):
    """The error of any call inside is one line, too."""
    monkeypatch.setenv(APP, "7")
    monkeypatch.setenv(KEY, key)
    with pytest.raises(CommandError) as caught, github_app.connected("It needs the App"):
        raise Unreachable("GitHub answered 502 to GET /app")
    assert caught.value.message == "GitHub: GitHub answered 502 to GET /app"


def test_what_is_logged_stands_beside_the_answer(monkeypatch, key, capsys):
    """Standard output is the command's own. What it says itself is not logged as well; a fault is."""
    monkeypatch.setenv(APP, "7")
    monkeypatch.setenv(KEY, key)
    with github_app.connected("It needs the App"):
        structlog.get_logger().warning("github.open", seconds=5)
        structlog.get_logger().error("page.broken")
    told = capsys.readouterr()
    assert told.out == ""
    assert "github.open" not in told.err
    assert "page.broken" in told.err
