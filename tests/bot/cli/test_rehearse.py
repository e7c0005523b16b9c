"""`rehearse` checks its settings before it writes, shows each step, and cleans up."""

import json
import os
import signal

import click
import pytest
from click.testing import CliRunner

from bot.cli.rehearse import _signals_noted, command
from tests.bot.demo.github import github_deeds
from tests.bot.flows.conftest import _database_url, _scene, _staged  # noqa: F401 - fixtures

TOKEN = "COUNTERSIGN_REHEARSAL_TOKEN"


@pytest.fixture(name="run")
def _run(scene):
    """The command with the settings of a deployment where cann/ops is; no server runs."""
    token = github_deeds.fine_grained_token(scene.world, scene.ada, {"contents": "write", "pull_requests": "write"})
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
def test_a_target_that_is_no_repository_is_refused_before_github_is_asked(run, scene, target):
    assert f"--repository: {target!r} is not owner/repository" in refused(scene, run("--repository", target, "--yes"))


def test_without_a_terminal_yes_is_required(run, scene):
    assert "add --yes" in refused(scene, run("--repository", "cann/ops"))


def test_a_missing_token_is_one_line_that_says_how_to_make_it(run, scene):
    said = refused(scene, run("--repository", "cann/ops", "--yes", **{TOKEN: ""}))
    assert said == (
        "countersign: a rehearsal acts as a person: make a fine-grained token of yours for cann/ops alone with Contents and "
        f"Pull requests: read and write at {scene.settings.github_url}/settings/personal-access-tokens/new, "
        "and set COUNTERSIGN_REHEARSAL_TOKEN to it"
    )


def test_an_invalid_token_is_refused_and_not_shown(run, scene):
    said = refused(scene, run("--repository", "cann/ops", "--yes", **{TOKEN: "a secret of mine"}))
    assert "COUNTERSIGN_REHEARSAL_TOKEN: must be at least 16 letters and digits without a space" in said
    said = refused(scene, run("--repository", "cann/ops", "--yes", **{TOKEN: "ghp_" + "z" * 36}))
    assert said.startswith("countersign: GitHub does not take the token (")
    assert "zzz" not in said


def test_a_token_is_asked_for_on_a_terminal_and_stripped(run, scene, monkeypatch):
    monkeypatch.setattr("click.testing._NamedTextIOWrapper.isatty", lambda _stream: True, raising=False)
    pasted = f" ghp_{'z' * 36} \n"
    said = refused(scene, run("--repository", "cann/ops", "--yes", pasted=pasted, **{TOKEN: ""}))
    assert "does not take the token" in said


def test_a_token_is_read_from_a_file(run, scene, tmp_path):
    file = tmp_path / "token"
    file.write_text("ghp_" + "z" * 36 + "\n")
    said = refused(scene, run("--repository", "cann/ops", "--yes", **{TOKEN: "", f"{TOKEN}_FILE": str(file)}))
    assert "does not take the token" in said


def test_what_the_rehearsal_needs_is_checked_before_anything_is_written(run, scene, tmp_path):
    assert "cann is not served" in refused(
        scene, run("--repository", "cann/ops", "--yes", COUNTERSIGN_ACCOUNTS="other")
    )
    assert "is not installed on cann/nothing" in refused(scene, run("--repository", "cann/nothing", "--yes"))
    database = f"sqlite:///{tmp_path / 'typo.db'}"
    said = refused(scene, run("--repository", "cann/ops", "--yes", COUNTERSIGN_DATABASE_URL=database))
    assert "there is no database at" in said
    assert "COUNTERSIGN_APP_ID is not set" in refused(
        scene, run("--repository", "cann/ops", "--yes", COUNTERSIGN_APP_ID="")
    )


@pytest.mark.slow
def test_without_a_server_the_unseen_steps_exit_with_1_and_nothing_is_left(run, scene):
    result = run("--repository", "cann/ops", "--yes", "--timeout", "1")
    found = json.loads(result.stdout)
    assert (result.exit_code, found["ok"], found["left"], found["repository"]) == (1, False, [], "cann/ops")
    assert [step["status"] for step in found["steps"][:5]] == ["seen", "seen", "seen", "missing", "skipped"]
    assert "A rehearsal in cann/ops as ada" in result.stderr
    (pull,) = scene.ops.pulls.values()
    assert (pull.state, found["number"]) == ("closed", pull.number)

    result = run("--repository", "cann/ops", "--yes", "--timeout", "1", "--format", "text")
    assert result.exit_code == 1
    assert "FAIL   4 Webhook" in result.stdout
    assert result.stdout.endswith("6 of 11 steps of the rehearsal in cann/ops were not seen.\n")


def test_remains_of_an_earlier_rehearsal_are_removed_with_yes(run, scene, monkeypatch):
    branch = "countersign-rehearsal-0123abcd"
    monkeypatch.setattr(scene.world, "clock", lambda: scene.clock().replace(year=2025))
    scene.world.write(scene.ops, {"x": "y"}, branch=branch)
    pull = scene.world.open_pull(scene.ops, scene.ada, branch)
    monkeypatch.undo()

    result = run("--repository", "cann/ops", "--yes", "--timeout", "1")

    assert f"An earlier rehearsal left behind: branch {branch} of 2025-" in result.stderr
    assert f"with pull request #{pull.number}" in result.stderr
    assert pull.state == "closed"


def test_a_branch_that_cannot_be_deleted_is_named(run, scene):
    scene.weather.faults.append(("DELETE", "/git/refs/", 422))
    result = run("--repository", "cann/ops", "--yes", "--timeout", "1")
    (left,) = json.loads(result.stdout)["left"]
    assert result.exit_code == 1
    assert left.startswith(f"branch {scene.settings.github_url}/cann/ops/tree/countersign-rehearsal-")
    assert f"Still there: {left}" in result.stderr


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_during_the_rehearsal_is_noted_and_handled_after_it(number):
    """Cleaning up must not be cut short."""
    before = signal.getsignal(number)
    with _signals_noted() as noted:
        os.kill(os.getpid(), number)
        os.kill(os.getpid(), number)
        assert noted == [number, number]
    assert signal.getsignal(number) == before


def test_the_help_names_the_tokens_permissions():
    text = " ".join(CliRunner().invoke(command, ["--help"]).stdout.split())
    assert "Contents and Pull requests: read and write" in text
    assert "not stored" in text
    assert isinstance(command, click.Command)
