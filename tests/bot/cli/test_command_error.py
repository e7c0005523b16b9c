"""A command that cannot go on says so in one line."""

import click
import pytest
from click.testing import CliRunner

from bot.cli import root
from bot.cli.command_error import CommandError


@click.command()
@click.option("--port", type=int)
def probe(port):
    """Refuse every port."""
    raise CommandError(f"port {port} is not ours: choose another")


def test_a_command_error_is_one_line_and_exit_code_2():
    result = CliRunner().invoke(probe, ["--port", "8080"])

    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == "countersign: port 8080 is not ours: choose another\n"


@pytest.mark.parametrize(
    "arguments",
    [
        ["doctor", "--manifests", "no\x1b[31mwhere"],
        ["keys", "generate", "--out", "no\x1b[31mwhere/keys"],
        ["license", "detect", "--format", "text", "no\x1b[31mwhere"],
        ["license", "refresh", "red\x1b[31m"],
        ["receipt", "verify", "--key", "x", "red\x1b[31m"],
        ["import", "plain", "red\x1b[31m"],
    ],
)
def test_no_name_of_a_file_reaches_the_terminal_as_an_escape_sequence(arguments, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "red\x1b[31m").write_text("{", encoding="utf-8")
    result = CliRunner().invoke(root, arguments, color=True)

    assert result.exit_code == 2
    assert r"\x1b[31m" in result.stderr
    assert "\x1b" not in result.output


@pytest.mark.parametrize(
    "arguments",
    [
        ["deliveries"],
        ["evaluate", "nowhere.json"],
        ["keys", "generate", "--out", "here"],
        ["keys", "generate", "--out", "."],
        ["keys", "list"],
        ["recheck", "cann/ge"],
        ["rulebook", "check", "nowhere.yml"],
        ["whitelist"],
        ["whitelist", "--out", "nowhere/at/all"],
    ],
    ids=" ".join,
)
def test_every_command_reports_wrong_input_in_one_line_and_makes_no_file(arguments, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "here").write_text("precious", encoding="utf-8")
    names = [f"COUNTERSIGN_{name}{end}" for name in ("DATABASE_URL", "KEYS") for end in ("", "_FILE")]
    result = CliRunner(env=dict.fromkeys(names)).invoke(root, arguments)

    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("countersign: ")
    assert result.stderr.count("\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["here"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["frobnicate"], "no such command 'frobnicate' (`countersign --help` shows the usage)"),
        (["--frob"], "no such option '--frob' (`countersign --help` shows the usage)"),
        (["serve", "--port", "0"], "--port: 0 is not between 1 and 65535 (`countersign serve --help` shows the usage)"),
        (["import", "csv", "x"], "FORMAT: 'csv' is not one of "),
        (["import"], "missing argument 'FORMAT'. Choose from: plain, cla-assistant-csv, "),
        (["license", "refresh"], "missing argument 'FILE' (`countersign license refresh --help` shows the usage)"),
        (["adopt"], "give OWNER/REPO or --organization ORG (`countersign adopt --help` shows the usage)"),
    ],
)
def test_wrong_usage_is_one_line_like_any_other_mistake(arguments, said):
    result = CliRunner().invoke(root, arguments, prog_name="countersign")

    assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (2, "", 1)
    assert result.stderr.startswith(f"countersign: {said}")


def test_a_group_without_a_command_shows_its_help():
    result = CliRunner().invoke(root, ["license"], prog_name="countersign")

    assert result.exit_code == 2
    assert "Commands:" in result.stderr
