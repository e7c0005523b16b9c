"""Commands that need GitHub report each missing or wrong setting in one line."""

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
def test_a_missing_or_wrong_setting_of_the_app_is_named(monkeypatch, given, said):
    for name in (APP, KEY):
        monkeypatch.delenv(name, raising=False)
    for name, value in given.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(CommandError) as caught, github_app.connected("It needs the App"):
        raise AssertionError("no hub may come of this")
    assert caught.value.message == said


def test_an_error_of_github_becomes_one_line(monkeypatch, key):
    monkeypatch.setenv(APP, "7")
    monkeypatch.setenv(KEY, key)
    with pytest.raises(CommandError) as caught, github_app.connected("It needs the App"):
        raise Unreachable("GitHub answered 502 to GET /app")
    assert caught.value.message == "GitHub: GitHub answered 502 to GET /app"


def test_log_lines_go_to_standard_error(monkeypatch, key, capsys):
    monkeypatch.setenv(APP, "7")
    monkeypatch.setenv(KEY, key)
    with github_app.connected("It needs the App"):
        structlog.get_logger().warning("github.open", seconds=5)
        structlog.get_logger().error("page.broken")
    told = capsys.readouterr()
    assert told.out == ""
    assert "github.open" not in told.err
    assert "page.broken" in told.err
