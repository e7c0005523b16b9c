"""Commands read settings once and show every mistake on a line of its own."""

from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from bot.cli.command_error import CommandError
from bot.cli.setting import rulebook_path, settings


@click.command()
@click.option("--serving", is_flag=True)
def probe(*, serving):
    """Print what was read."""
    click.echo(settings(serving=serving).database_url)


def run(*arguments, **environ):
    """The probe with just these settings."""
    names = {f"COUNTERSIGN_{name}": None for name in ("DATABASE_URL", "URL", "APP_ID", "KEYS")}
    changed = {f"COUNTERSIGN_{name}": value for name, value in environ.items()}
    return CliRunner(env={**names, **changed}).invoke(probe, arguments)


def test_without_settings_the_database_is_a_file_in_the_folder():
    assert run().output == "sqlite:///countersign.db\n"
    assert run(DATABASE_URL="postgresql://host/x").output == "postgresql://host/x\n"


def test_every_mistake_has_its_line_without_the_values_of_secrets():
    result = run(URL="nowhere", APP_ID="seven", PRIVATE_KEY="hunter2")

    assert result.exit_code == 2
    assert result.stdout == ""
    assert [line.split(":")[:2] for line in result.stderr.splitlines()] == [
        ["countersign", " COUNTERSIGN_URL"],
        ["countersign", " COUNTERSIGN_APP_ID"],
        ["countersign", " COUNTERSIGN_PRIVATE_KEY"],
    ]
    assert "hunter2" not in result.stderr


def test_mistakes_in_named_things_join_the_list():
    seen = []

    @click.command()
    def looking():
        settings(look=lambda right: seen.append(right.url) or ("COUNTERSIGN_KEYS: broken",))

    environ = {"COUNTERSIGN_URL": "https://cla.example.org", "COUNTERSIGN_APP_ID": "seven"}
    result = CliRunner(env=environ).invoke(looking, [])

    assert (result.exit_code, seen) == (2, ["https://cla.example.org"])
    assert [line.split(":")[1] for line in result.stderr.splitlines()] == [" COUNTERSIGN_APP_ID", " COUNTERSIGN_KEYS"]


def test_serving_names_the_missing_settings_with_their_meaning():
    result = run("--serving", URL="https://cla.example.org")

    assert result.exit_code == 2
    assert "countersign: COUNTERSIGN_APP_ID is not set: The App's number." in result.stderr.splitlines()
    assert "COUNTERSIGN_URL" not in result.stderr


@pytest.mark.parametrize(
    ("make", "why"),
    [
        (lambda _path: None, "No such file or directory"),
        (Path.mkdir, "Is a directory"),
        (lambda path: path.write_bytes(b"\xff"), "not UTF-8 text"),
    ],
)
def test_a_rulebook_that_cannot_be_read_is_one_line(tmp_path, monkeypatch, make, why):
    """Without it, companies on texts of one's own would be missing from the whitelist, and the texts from an export."""
    path = tmp_path / "rules.yml"
    make(path)
    monkeypatch.setenv("COUNTERSIGN_RULEBOOK", str(path))
    with pytest.raises(CommandError) as caught:
        rulebook_path()
    assert caught.value.message == f"COUNTERSIGN_RULEBOOK: cannot read {path}: {why}"


def test_a_rulebook_that_can_be_read_is_given(tmp_path, monkeypatch):
    monkeypatch.setenv("COUNTERSIGN_RULEBOOK", "")
    assert rulebook_path() is None
    (tmp_path / "rules.yml").touch()
    monkeypatch.setenv("COUNTERSIGN_RULEBOOK", str(tmp_path / "rules.yml"))
    assert rulebook_path() == tmp_path / "rules.yml"
