"""`countersign doctor` prints what it found, and its exit code says whether anything is to be done."""

import json
import subprocess
import sys

import pytest
from click.testing import CliRunner

from bot.cli.doctor import command
from bot.demo.github.authentication import key_pair
from bot.settings import NAMES, for_child
from tests.bot.doctor.manifests.test_assessment import SAMPLE

NOTHING = dict.fromkeys(name + ending for name in NAMES for ending in ("", "_FILE"))


def run(*arguments, cwd=None):
    """Run it without any setting."""
    return CliRunner(env=NOTHING).invoke(command, [str(one) for one in arguments])


@pytest.mark.parametrize("folder", [SAMPLE, SAMPLE / "compose"])
def test_manifests_that_are_fine(folder):
    """Exit code 0."""
    ran = run("--manifests", folder)
    assert ran.exit_code == 0, ran.output
    assert ran.stdout.startswith("Grade A, score 100 of 100: ")


def test_manifests_that_are_not(tmp_path):
    """Exit code 1; the JSON has just the published keys."""
    (tmp_path / "compose.yaml").write_text("services: {web: {image: countersign}}\n")
    ran = run("--manifests", tmp_path, "--format", "json")
    said = json.loads(ran.stdout)

    assert ran.exit_code == 1
    assert sorted(said) == ["grade", "items", "score"]
    assert said["grade"] == "D"
    assert {tuple(sorted(one)) for one in said["items"]} == {
        ("category", "id", "message", "remedy", "severity", "status")
    }
    assert all(one["remedy"] for one in said["items"] if one["status"] in ("fail", "unknown"))


def test_a_folder_without_manifests(tmp_path):
    """Exit code 2 and one line."""
    ran = run("--manifests", tmp_path)
    assert (ran.exit_code, ran.stdout) == (2, "")
    assert ran.stderr.startswith("countersign: --manifests: ")
    assert ran.stderr.count("\n") == 1


def test_without_any_setting(tmp_path, monkeypatch):
    """Everything that serving needs is named, nothing is made, and it is no wrong usage."""
    monkeypatch.chdir(tmp_path)
    ran = run("--format", "json")
    [valid] = [one for one in json.loads(ran.stdout)["items"] if one["id"] == "settings.valid"]

    assert ran.exit_code == 1
    assert valid["message"].count("is not set") == 8
    assert list(tmp_path.iterdir()) == []
    assert ran.stderr == ""


def test_the_report_stands_alone(tmp_path):
    """While GitHub is away, too, standard output is JSON, and nothing else is said."""
    key = tmp_path / "key.pem"
    key.write_text(key_pair()[0])
    environ = {
        "COUNTERSIGN_GITHUB_API_URL": "http://127.0.0.1:9/api/v3",
        "COUNTERSIGN_APP_ID": "7",
        "COUNTERSIGN_PRIVATE_KEY_FILE": str(key),
        "COUNTERSIGN_DATABASE_URL": f"sqlite:///{tmp_path / 'none.db'}",
        "COUNTERSIGN_REGISTRIES": "none",  # nobody else is asked either
        "COUNTERSIGN_GITHUB_URL": "http://127.0.0.1:9",
    }
    ran = subprocess.run(
        [sys.executable, "-m", "bot", "doctor", "--format", "json"],
        cwd=tmp_path, env=for_child(environ), capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip
    [reachable] = [one for one in json.loads(ran.stdout)["items"] if one["id"] == "github.reachable"]

    assert reachable["status"] == "fail"
    assert ran.stderr == ""


def test_a_server_beside_manifests(tmp_path):
    """Options about a server do nothing there: wrong usage, and not silence."""
    for option in (("--port", "8081"), ("--host", "0.0.0.0"), ("--role", "web"), ("--mail-to", "a@example.org")):
        ran = run("--manifests", tmp_path, *option)
        assert ran.exit_code == 2
        assert f"{option[0]} does nothing with --manifests" in ran.stderr
