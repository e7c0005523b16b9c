"""`redeliver` has GitHub send failed deliveries again, since a time that is given in two ways."""

import pytest
from click.testing import CliRunner

from bot.cli.redeliver import command
from tests.bot.flows.conftest import _database_url, _scene, _staged  # noqa: F401 - fixtures


@pytest.fixture(name="run")
def _run(scene):
    """The command with the settings of the scene."""
    environ = {
        "COUNTERSIGN_DATABASE_URL": scene.settings.database_url,
        "COUNTERSIGN_GITHUB_URL": scene.settings.github_url,
        "COUNTERSIGN_GITHUB_API_URL": scene.settings.github_api_url,
        "COUNTERSIGN_APP_ID": str(scene.app.id),
        "COUNTERSIGN_PRIVATE_KEY": scene.settings.private_key.reveal(),
    }
    return lambda *arguments, **changed: CliRunner(env={**environ, **changed}).invoke(command, arguments)


def test_failed_deliveries_that_matter_are_sent_again_once(run, scene):
    scene.pull()
    scene.world.hooks.drain()
    scene.world.hooks.log_failure(scene.world.hooks.log[-1])

    result = run("--since", "2h")

    assert (result.exit_code, result.stdout) == (0, "1 of 1 failed delivery will be sent again\n")
    assert scene.world.hooks.redelivered == [scene.world.hooks.log[-1]]

    scene.settle()
    assert run("--since", "2h").stdout == (
        "0 of 1 failed delivery will be sent again\n"
        "Skipped: what arrived later, what Countersign does not use, and what GitHub no longer sends.\n"
    )


@pytest.mark.parametrize("since", ["3d", "90m", "2024-11-21", "2024-11-21T08:00Z", "2024-11-21T08:00+08:00"])
def test_since_takes_a_duration_or_a_date(run, since):
    assert run("--since", since).exit_code == 0


@pytest.mark.parametrize("since", ["", "yesterday", "3w", "0h", "-1h", "99999999d", "2999-01-01", "2999-01-01T00:00Z"])
def test_an_unreadable_time_is_one_line_about_the_option(run, since):
    result = run("--since", since)
    assert result.exit_code == 2
    assert "is not a time such as 90m, 12h, 3d or " in result.stderr.splitlines()[-1]


def test_missing_settings_of_the_app_are_one_line(run):
    result = run(COUNTERSIGN_APP_ID="", COUNTERSIGN_PRIVATE_KEY="")
    assert (result.exit_code, result.stderr.splitlines()) == (2, [
        "countersign: COUNTERSIGN_APP_ID is not set: The App's number.",
        "countersign: COUNTERSIGN_PRIVATE_KEY is not set: The App's private key in PEM form.",
    ])  # fmt: skip


def test_an_error_of_github_is_one_line(run, scene):
    scene.weather.faults.append(("GET", "/app/hook/deliveries", 502))
    result = run()
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == "countersign: GitHub: GitHub answered 502 to GET /app/hook/deliveries\n"
