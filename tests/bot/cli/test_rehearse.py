"""`countersign rehearse`: what is missing or wrong is one line, before anything is written."""

import json
import os
import signal

import click
import pytest
from click.testing import CliRunner

from bot.cli.rehearse import _signals_noted, command
from tests.bot.flows.conftest import _database_url, _scene, _staged  # noqa: F401 - fixtures

TOKEN = "COUNTERSIGN_REHEARSAL_TOKEN"


@pytest.fixture(name="run")
def _run(scene):
    """The command with the settings of a deployment where cann/ops is; nobody runs a server."""
    token = scene.world.fine_grained_token(scene.ada, {"contents": "write", "pull_requests": "write"})
    environ = {
        "COUNTERSIGN_DATABASE_URL": scene.settings.database_url,
        "COUNTERSIGN_GITHUB_URL": scene.settings.github_url,
        "COUNTERSIGN_GITHUB_API_URL": scene.settings.github_api_url,
        "COUNTERSIGN_APP_ID": str(scene.app.id),
        "COUNTERSIGN_PRIVATE_KEY": scene.settings.private_key.reveal(),
        "COUNTERSIGN_ACCOUNTS": "cann",
        TOKEN: token,
    }

    def run(*arguments, pasted=None, **changed):
        scene.calls()
        return CliRunner(env={**environ, **changed}).invoke(command, arguments, input=pasted)

    return run


def refused(scene, result):
    """The last line on standard error of a command that ended with 2 and wrote nothing."""
    assert (result.exit_code, result.stdout, scene.writes()) == (2, "", [])
    return result.stderr.splitlines()[-1]


@pytest.mark.parametrize("target", ["ops", "cann/ops#1", "https://github.com/cann/ops", "a/b/c", ""])
def test_what_is_no_repository(run, scene, target):
    """Said before GitHub is asked."""
    assert f"--repository: {target!r} is not owner/repository" in refused(scene, run("--repository", target, "--yes"))


def test_who_cannot_be_asked(run, scene):
    """Without a terminal, `--yes` is what agrees."""
    assert "add --yes" in refused(scene, run("--repository", "cann/ops"))


def test_without_a_token(run, scene):
    """Which token, with which permissions, and where to make it: one line."""
    said = refused(scene, run("--repository", "cann/ops", "--yes", **{TOKEN: ""}))
    assert said == (
        "countersign: a rehearsal acts as a person: make a fine-grained token of yours for cann/ops alone with Contents and "
        f"Pull requests: read and write at {scene.settings.github_url}/settings/personal-access-tokens/new, "
        "and set COUNTERSIGN_REHEARSAL_TOKEN to it"
    )


def test_a_token_that_is_none(run, scene):
    """By its form, or for GitHub; it is not shown."""
    said = refused(scene, run("--repository", "cann/ops", "--yes", **{TOKEN: "a secret of mine"}))
    assert "COUNTERSIGN_REHEARSAL_TOKEN: must be at least 16 letters and digits without a space" in said
    said = refused(scene, run("--repository", "cann/ops", "--yes", **{TOKEN: "ghp_" + "z" * 36}))
    assert said.startswith("countersign: GitHub does not take the token (")
    assert "zzz" not in said


def test_a_token_that_is_pasted(run, scene, monkeypatch):
    """It is asked for where there is a terminal; white space around it does not matter."""
    monkeypatch.setattr("click.testing._NamedTextIOWrapper.isatty", lambda _stream: True, raising=False)
    pasted = f" ghp_{'z' * 36} \n"
    said = refused(scene, run("--repository", "cann/ops", "--yes", pasted=pasted, **{TOKEN: ""}))
    assert "does not take the token" in said


def test_a_token_from_a_file(run, scene, tmp_path):
    """As every setting."""
    file = tmp_path / "token"
    file.write_text("ghp_" + "z" * 36 + "\n")
    said = refused(scene, run("--repository", "cann/ops", "--yes", **{TOKEN: "", f"{TOKEN}_FILE": str(file)}))
    assert "does not take the token" in said


def test_what_the_preparation_says(run, scene, tmp_path):
    """One line; without a database there is nothing to compare with."""
    assert "cann is not served" in refused(
        scene, run("--repository", "cann/ops", "--yes", COUNTERSIGN_ACCOUNTS="other")
    )
    assert "is not installed on cann/nothing" in refused(scene, run("--repository", "cann/nothing", "--yes"))
    database = f"sqlite:///{tmp_path / 'typo.db'}"
    said = refused(scene, run("--repository", "cann/ops", "--yes", COUNTERSIGN_DATABASE_URL=database))
    assert "there is no database at" in said
    assert "set COUNTERSIGN_APP_ID" in refused(scene, run("--repository", "cann/ops", "--yes", COUNTERSIGN_APP_ID=""))


def test_without_a_server(run, scene):
    """The step of the webhook is not seen: 1, JSON where it is piped, a table on request, and nothing is left behind."""
    result = run("--repository", "cann/ops", "--yes", "--timeout", "1")
    found = json.loads(result.stdout)
    assert (result.exit_code, found["ok"], found["left"], found["repository"]) == (1, False, [], "cann/ops")
    assert [one["status"] for one in found["steps"][:5]] == ["seen", "seen", "seen", "missing", "skipped"]
    assert "A rehearsal in cann/ops as ada" in result.stderr
    (pull,) = scene.ops.pulls.values()
    assert (pull.state, found["number"]) == ("closed", pull.number)

    result = run("--repository", "cann/ops", "--yes", "--timeout", "1", "--format", "text")
    assert result.exit_code == 1
    assert "FAIL   4 Webhook" in result.stdout
    assert result.stdout.endswith("6 of 11 steps of the rehearsal in cann/ops were not seen.\n")


def test_what_an_earlier_one_left_behind(run, scene, monkeypatch):
    """With --yes it is removed; what somebody else's still holds is left to them."""
    branch = "countersign-rehearsal-0123abcd"
    monkeypatch.setattr(scene.world, "clock", lambda: scene.clock().replace(year=2025))
    scene.world.write(scene.ops, {"x": "y"}, branch=branch)
    pull = scene.world.open_pull(scene.ops, scene.ada, branch)
    monkeypatch.undo()

    result = run("--repository", "cann/ops", "--yes", "--timeout", "1")

    assert f"An earlier rehearsal left behind: branch {branch} of 2025-" in result.stderr
    assert f"with pull request #{pull.number}" in result.stderr
    assert pull.state == "closed"


def test_what_stays_is_named(run, scene):
    """On standard error at once, and in the result."""
    scene.weather.faults.append(("DELETE", "/git/refs/", 422))
    result = run("--repository", "cann/ops", "--yes", "--timeout", "1")
    (left,) = json.loads(result.stdout)["left"]
    assert result.exit_code == 1
    assert left.startswith(f"branch {scene.settings.github_url}/cann/ops/tree/countersign-rehearsal-")
    assert f"Still there: {left}" in result.stderr


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_signals_are_only_noted(number):
    """So that cleaning up is never cut short; afterwards they do again what they did."""
    before = signal.getsignal(number)
    with _signals_noted() as noted:
        os.kill(os.getpid(), number)
        os.kill(os.getpid(), number)
        assert noted == [number, number]
    assert signal.getsignal(number) == before


def test_its_help_names_the_token():
    """Which one, and that it is not stored."""
    text = " ".join(CliRunner().invoke(command, ["--help"]).stdout.split())
    assert "Contents and Pull requests: read and write" in text
    assert "not stored" in text
    assert isinstance(command, click.Command)
