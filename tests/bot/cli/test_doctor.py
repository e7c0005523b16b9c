"""`doctor` prints its findings, and its exit code says if anything is to be done."""

import json
import subprocess
import sys

import pytest

from bot.cli.doctor import command
from bot.demo.github.authentication import key_pair
from bot.settings import NAMES, for_child
from tests.bot.doctor.manifests.test_assessment import SAMPLE
from tests.terminal import TerminalRunner

NOTHING = dict.fromkeys(name + ending for name in NAMES for ending in ("", "_FILE"))


def run(*arguments, cwd=None):
    """Run it without any setting."""
    return TerminalRunner(env=NOTHING).invoke(command, [str(argument) for argument in arguments])


@pytest.mark.parametrize("folder", [SAMPLE, SAMPLE / "compose"])
def test_good_manifests_exit_with_0(folder):
    ran = run("--manifests", folder)
    assert ran.exit_code == 0, ran.output
    assert ran.stdout.startswith("Grade A, score 100 of 100: ")


def test_manifests_with_faults_exit_with_1_and_give_the_published_keys(tmp_path):
    (tmp_path / "compose.yaml").write_text("services: {web: {image: countersign}}\n")
    ran = run("--manifests", tmp_path, "--format", "json")
    said = json.loads(ran.stdout)

    assert ran.exit_code == 1
    assert sorted(said) == ["grade", "items", "score"]
    assert said["grade"] == "D"
    assert {tuple(sorted(check)) for check in said["items"]} == {
        ("category", "id", "message", "remedy", "severity", "status")
    }
    assert all(check["remedy"] for check in said["items"] if check["status"] in ("fail", "unknown"))


def test_a_folder_without_manifests_exits_with_2_in_one_line(tmp_path):
    ran = run("--manifests", tmp_path)
    assert (ran.exit_code, ran.stdout) == (2, "")
    assert ran.stderr.startswith(f"countersign: {tmp_path} ")
    assert ran.stderr.count("\n") == 1


def test_without_settings_everything_that_serving_needs_is_named(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ran = run("--format", "json")
    [valid] = [check for check in json.loads(ran.stdout)["items"] if check["id"] == "settings.valid"]

    assert ran.exit_code == 1
    assert valid["message"].count("is not set") == 8
    assert list(tmp_path.iterdir()) == []
    assert ran.stderr == ""


@pytest.mark.slow
def test_the_json_report_stands_alone_on_standard_output(tmp_path):
    key = tmp_path / "key.pem"
    key.write_text(key_pair()[0])
    environ = {
        "COUNTERSIGN_GITHUB_API_URL": "http://127.0.0.1:9/api/v3",
        "COUNTERSIGN_APP_ID": "7",
        "COUNTERSIGN_PRIVATE_KEY_FILE": str(key),
        "COUNTERSIGN_DATABASE_URL": f"sqlite:///{tmp_path / 'none.db'}",
        "COUNTERSIGN_REGISTRIES": "none",  # no registry is asked either
        "COUNTERSIGN_GITHUB_URL": "http://127.0.0.1:9",
    }
    ran = subprocess.run(
        [sys.executable, "-m", "bot", "doctor", "--format", "json"],
        cwd=tmp_path, env=for_child(environ), capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip
    [reachable] = [check for check in json.loads(ran.stdout)["items"] if check["id"] == "github.reachable"]

    assert reachable["status"] == "fail"
    assert ran.stderr == ""


def test_options_about_a_server_are_refused_beside_manifests(tmp_path):
    for option in (("--port", "8081"), ("--host", "0.0.0.0"), ("--role", "web"), ("--mail-to", "a@example.org")):
        ran = run("--manifests", tmp_path, *option)
        assert ran.exit_code == 2
        assert f"{option[0]} does nothing with --manifests" in ran.stderr
