"""`audit --organization` reads through the App, and reports each mistake in one line."""

import json

import pytest

from bot.cli.licenses import audit
from tests.bot.flows.licensed import PLAIN, READLINE, locked
from tests.bot.flows.scene import Scene
from tests.terminal import TerminalRunner


@pytest.fixture(name="scene")
def _scene(tmp_path, key, gate):
    """cann/ops that uses what does not fit."""
    scene = Scene(tmp_path, key, gate, f"sqlite:///{tmp_path / 'test.db'}", rulebook=PLAIN)
    scene.world.write(scene.ops, locked(READLINE))
    yield scene
    scene.close()


@pytest.fixture(name="run")
def _run(scene, tmp_path, key):
    """The command with the settings of the scene, but for those that the test leaves out."""

    def run(*arguments, without=()):
        env = {
            "COUNTERSIGN_LICENSE_DATA": str(tmp_path / "data.json"),
            "COUNTERSIGN_LICENSE_CACHE": str(tmp_path / "cache" / "licenses.db"),
            "COUNTERSIGN_REGISTRIES": "none",
            "COUNTERSIGN_GITHUB_API_URL": scene.server.api_url,
            "COUNTERSIGN_APP_ID": str(scene.app.id),
            "COUNTERSIGN_PRIVATE_KEY": key,
        }
        given = {name: None if name in without else value for name, value in env.items()}
        return TerminalRunner(env=given).invoke(audit.command, [str(argument) for argument in arguments])

    return run


def test_an_organization_is_audited_and_a_second_run_reads_no_tree(run, scene, tmp_path):
    first = run("--organization", "cann", "--out", tmp_path / "out")
    assert first.exit_code == 1, first.output
    assert "incompatible: readline 8.2.0" in first.output
    assert json.loads((tmp_path / "out" / "report.json").read_text())["violations"] == 1
    assert (tmp_path / "out" / "cann" / "ops" / "NOTICE").exists()
    scene.calls()
    second = run("--organization", "cann")
    assert second.output == first.output
    assert not [call for call in scene.calls() if "/git/" in call[1]]


def test_a_given_rulebook_is_applied_and_named_if_it_is_broken(run, tmp_path):
    file = tmp_path / "rules.yml"
    file.write_text("version: 1\nlicenses: {fail_on: []}\n")
    assert run("--organization", "cann", "--rulebook", file).exit_code == 0
    file.write_text("version: 1\nlicenses: {fail_on: [never]}\n")
    broken = run("--organization", "cann", "--rulebook", file)
    assert (broken.exit_code, "line 2: licenses.fail_on.0" in broken.output) == (2, True)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "give either checkouts (PATH…) or --organization ORG"),
        ([".", "--organization", "cann"], "give either checkouts (PATH…) or --organization ORG"),
        (["--organization", "cann", "--offline"], "--offline and --organization cannot be combined"),
        (["--organization", "nowhere"], "cannot audit nowhere: the App is not installed at nowhere"),
    ],
)
def test_wrong_usage_exits_with_2_in_one_line(run, arguments, said):
    found = run(*arguments)
    assert found.exit_code == 2
    assert said in found.output
    assert "Traceback" not in found.output


def test_missing_settings_of_the_app_are_named(run):
    found = run("--organization", "cann", without=("COUNTERSIGN_APP_ID", "COUNTERSIGN_PRIVATE_KEY"))
    assert (found.exit_code, found.stderr.count(" is not set: The App's ")) == (2, 2)


def test_while_github_is_away_the_audit_exits_with_2_and_can_be_run_again(run, scene):
    scene.weather.faults.append(("GET", "/git/trees", 502))
    found = run("--organization", "cann")
    assert (found.exit_code, "run this again" in found.output) == (2, True)
    scene.weather.faults.clear()
    assert run("--organization", "cann").exit_code == 1
