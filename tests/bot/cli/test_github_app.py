"""Commands that need GitHub report each missing or wrong setting in one line."""

import click
import pytest
import structlog
from click.testing import CliRunner

from bot.cli import github_app
from bot.cli.command_error import CommandError
from bot.github.ports import Unreachable

KEY, APP = "COUNTERSIGN_PRIVATE_KEY", "COUNTERSIGN_APP_ID"


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({}, [f"{APP} is not set: The App's number. Or.", f"{KEY} is not set: The App's private key in PEM form. Or."]),
        ({APP: "7"}, [f"{KEY} is not set: The App's private key in PEM form. Or."]),
        (
            {APP: "x"},
            [
                f"{APP}: must be the App's number, as on its settings page",
                f"{KEY} is not set: The App's private key in PEM form. Or.",
            ],
        ),
        (
            {APP: "7", KEY: "-----BEGIN RSA PRIVATE KEY-----\nx\n-----END RSA PRIVATE KEY-----"},
            [f"{KEY}: the private key is not an RSA key in PEM format, as GitHub issues it"],
        ),
    ],
)
def test_a_missing_or_wrong_setting_of_the_app_is_named(given, said):
    @click.command()
    def asking():
        with github_app.connected(otherwise="Or."):
            raise AssertionError("no hub may come of this")

    result = CliRunner(env={APP: None, KEY: None, **given}).invoke(asking)
    assert (result.exit_code, result.stderr.splitlines()) == (2, [f"countersign: {line}" for line in said])


def test_an_error_of_github_becomes_one_line(monkeypatch, key):
    monkeypatch.setenv(APP, "7")
    monkeypatch.setenv(KEY, key)
    with pytest.raises(CommandError) as caught, github_app.connected():
        raise Unreachable("GitHub answered 502 to GET /app")
    assert caught.value.message == "GitHub: GitHub answered 502 to GET /app"


def test_log_lines_go_to_standard_error(monkeypatch, key, capsys):
    monkeypatch.setenv(APP, "7")
    monkeypatch.setenv(KEY, key)
    with github_app.connected():
        structlog.get_logger().warning("github.open", seconds=5)
        structlog.get_logger().error("page.broken")
    told = capsys.readouterr()
    assert told.out == ""
    assert "github.open" not in told.err
    assert "page.broken" in told.err
