"""Commands open an existing database of the right schema, and report others in one line without a password."""

import click
import pytest
from click.testing import CliRunner
from sqlalchemy import text

import migrations
from agreements.facts import Account
from agreements.store.people import person_rows
from agreements.vault import KeyRing, Vault
from bot import clock, db
from bot.cli.database import opened
from tests.within import within


@click.command()
@click.option("--for-migration", is_flag=True)
@click.option("--sql", default="SELECT 42")
def probe(*, for_migration, sql):
    """Print what the database answers."""
    with opened(for_migration=for_migration) as engine, engine.connect() as connection:
        click.echo(connection.execute(text(sql)).scalar())


def run(url, *arguments):
    """The probe on that database: exit code, what it printed, the one line that it complained."""
    result = CliRunner(env={"COUNTERSIGN_DATABASE_URL": url}).invoke(probe, arguments)
    assert result.stderr.count("\n") <= 1
    return result.exit_code, result.stdout.strip(), result.stderr.strip().removeprefix("countersign: ")


def test_a_database_that_fits_is_opened(database_url, engine):
    assert run(database_url) == (0, "42", "")


def test_a_missing_database_is_made_for_a_migration_alone(tmp_path):
    file = tmp_path / "new.db"
    url = f"sqlite:///{file}"
    assert run(url) == (
        2,
        "",
        f"there is no database at {file}: set COUNTERSIGN_DATABASE_URL to the server's, or run `countersign migrate` to make one",
    )
    assert not file.exists()
    assert run(url, "--for-migration") == (0, "42", "")


@pytest.mark.from_nothing
def test_a_database_in_an_older_schema_is_opened_for_a_migration_alone(database_url):
    engine = db.open_engine(database_url)
    migrations.upgrade(engine, "0001")
    engine.dispose()

    assert run(database_url) == (2, "", "the database has an older schema: run countersign migrate")
    assert run(database_url, "--for-migration") == (0, "42", "")


def test_a_file_that_is_no_database_is_named_with_its_path(tmp_path):
    file = tmp_path / "notes.db"
    file.write_text("no database, but long enough to look like the beginning of one" * 10, encoding="utf-8")
    said = f"the database cannot be used: file is not a database ({file}): correct COUNTERSIGN_DATABASE_URL"

    assert run(f"sqlite:///{file}") == (2, "", said)
    assert run(f"sqlite:///{file}", "--for-migration") == (2, "", said)


def test_a_path_that_cannot_be_opened_is_named(tmp_path):
    said = "the database cannot be used: unable to open database file"

    for place, option in ((tmp_path, ()), ("/nowhere/at/all.db", ("--for-migration",))):
        line = f"{said} ({place}): correct COUNTERSIGN_DATABASE_URL"
        assert run(f"sqlite:///{place}", *option) == (2, "", line)


def test_an_address_that_is_none_is_one_line():
    code, _, said = run("postgresql://u:hunter2@localhost:port/x", "--for-migration")

    assert code == 2
    assert said.startswith(
        "COUNTERSIGN_DATABASE_URL: must be sqlite:///FILE, or postgresql://ROLE:PASSWORD@HOST:5432/NAME"
    )


def test_a_server_that_does_not_answer_is_reported_without_the_password():
    code, _, said = run("postgresql://countersign:hunter2@127.0.0.1:9/x?connect_timeout=1")

    assert code == 2
    assert said.startswith("the database cannot be used: ")
    assert said.endswith(": start the database, or correct COUNTERSIGN_DATABASE_URL")
    assert "hunter2" not in said


def test_a_database_error_inside_the_command_is_one_line(database_url, engine):
    code, _, said = run(database_url, "--sql", "SELECT * FROM nothing")

    assert code == 2
    assert said.startswith("the database cannot be used: ")
    assert "nothing" in said
    assert "COUNTERSIGN_DATABASE_URL" not in said


def test_a_record_that_the_keys_do_not_open_is_one_line(database_url, engine):
    @click.command()
    def opening():
        with opened():
            Vault(KeyRing.parse(KeyRing.generate("k1"))).decrypt_for_server(b"\x02k2", "x|y|z")

    result = CliRunner(env={"COUNTERSIGN_DATABASE_URL": database_url}).invoke(opening, [])
    assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (2, "", 1)
    assert result.stderr.startswith("countersign: the key that encrypted this is not in the key ring: add the key ")


@pytest.mark.parametrize("url", ["sqlite:///", "mysql://x"])
def test_a_wrong_database_setting_is_named(url):
    code, _, said = run(url)

    assert (code, said.partition(":")[0]) == (2, "COUNTERSIGN_DATABASE_URL")


def test_a_key_ring_that_opens_nothing_in_the_database_stops_the_command(database_url, engine):
    ring, other = KeyRing.generate("k1"), KeyRing.generate("k1")
    with db.sessions(engine)() as session:
        person_rows.ensure(within(session, Vault(KeyRing.parse(ring)), clock.now(), "p1"), Account(11, "ada"))
    found = [
        CliRunner(env={"COUNTERSIGN_DATABASE_URL": database_url, "COUNTERSIGN_KEYS": keys}).invoke(probe)
        for keys in ("", ring, other)
    ]
    assert [result.exit_code for result in found] == [0, 0, 2]
    assert found[2].stderr.startswith("countersign: COUNTERSIGN_KEYS opens nothing in this database")
