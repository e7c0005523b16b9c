"""Commands read settings once and show every mistake on a line of its own."""

import click
from click.testing import CliRunner

from bot.cli.setting import settings


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


def test_what_a_small_command_needs_has_defaults():
    """Without any setting the database is a file here."""
    assert run().output == "sqlite:///countersign.db\n"
    assert run(DATABASE_URL="postgresql://host/x").output == "postgresql://host/x\n"


def test_every_mistake_at_once():
    """A line each, with the setting's name; exit code 2; the value of a secret is not shown."""
    result = run(URL="nowhere", APP_ID="seven", PRIVATE_KEY="hunter2")

    assert result.exit_code == 2
    assert result.stdout == ""
    assert [line.split(":")[:2] for line in result.stderr.splitlines()] == [
        ["countersign", " COUNTERSIGN_URL"],
        ["countersign", " COUNTERSIGN_APP_ID"],
        ["countersign", " COUNTERSIGN_PRIVATE_KEY"],
    ]
    assert "hunter2" not in result.stderr


def test_further_problems_join_the_list():
    """Whoever looks at the things that are named is heard together with what is wrong in itself."""
    seen = []

    @click.command()
    def looking():
        settings(look=lambda right: seen.append(right.url) or ("COUNTERSIGN_KEYS: broken",))

    environ = {"COUNTERSIGN_URL": "https://cla.example.org", "COUNTERSIGN_APP_ID": "seven"}
    result = CliRunner(env=environ).invoke(looking, [])

    assert (result.exit_code, seen) == (2, ["https://cla.example.org"])
    assert [line.split(":")[1] for line in result.stderr.splitlines()] == [" COUNTERSIGN_APP_ID", " COUNTERSIGN_KEYS"]


def test_serving_asks_for_more():
    """What is missing is named with its meaning."""
    result = run("--serving", URL="https://cla.example.org")

    assert result.exit_code == 2
    assert "countersign: COUNTERSIGN_APP_ID is not set: The App's number." in result.stderr.splitlines()
    assert "COUNTERSIGN_URL" not in result.stderr
