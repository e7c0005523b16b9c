"""`countersign migrate` brings a database from nothing to the newest schema and says so."""

import pytest
from click.testing import CliRunner
from sqlalchemy import inspect, text

import migrations
from agreements.facts import Account
from agreements.store.integrity.upgrade import WITHOUT_LOG
from agreements.store.ledger.stored_ledger import SERVER
from agreements.store.people import person_rows, signatures
from agreements.vault import KeyRing, Vault
from bot import db
from bot.cli.migrate import command
from tests.drafts import signature_draft
from tests.tampering.history import History
from tests.tampering.release_before import running
from tests.within import within


def run(url, *options, keys=None):
    """The command on that database."""
    return CliRunner(env={"COUNTERSIGN_DATABASE_URL": url, "COUNTERSIGN_KEYS": keys}).invoke(command, options)


@pytest.mark.slow
@pytest.mark.from_nothing
def test_an_empty_database_is_migrated_to_the_newest_schema_once(database_url):
    first, second = run(database_url), run(database_url)

    assert first.exit_code == second.exit_code == 0
    assert first.stdout == f"made the database, with schema {migrations.newest()}\n"
    assert second.stdout == f"the database already has schema {migrations.newest()}\n"
    engine = db.open_engine(database_url)
    assert migrations.current(engine) == migrations.newest()
    inspector = inspect(engine)
    everywhere = {name for schema in inspector.get_schema_names() for name in inspector.get_table_names(schema)}
    assert "workflow_status" in everywhere
    engine.dispose()


@pytest.mark.slow
@pytest.mark.from_nothing
def test_an_older_schema_is_migrated_forward(database_url):
    engine = db.open_engine(database_url)
    migrations.upgrade(engine, "0002")
    engine.dispose()

    assert run(database_url).stdout == f"migrated the database from schema 0002 to {migrations.newest()}\n"


@pytest.mark.slow
def test_a_newer_schema_is_left_alone_and_refused_if_incompatible(database_url):
    assert run(database_url).exit_code == 0
    for oldest, code in ((migrations.newest(), 0), ("9001", 2)):
        engine = db.open_engine(database_url)
        with engine.begin() as connection:
            connection.execute(text("UPDATE alembic_version SET version_num = '9001'"))
            connection.execute(text(f"UPDATE schema_floor SET oldest = '{oldest}'"))
        engine.dispose()
        told = run(database_url)
        assert told.exit_code == code
        said = "the database already has schema 9001\n" if code == 0 else f"countersign: {migrations.NEWER}\n"
        assert told.output == said


@pytest.mark.slow
def test_records_older_than_the_log_are_added_once_when_asked(tmp_path):
    url = f"sqlite:///{tmp_path / 'older.db'}"
    engine = db.open_engine(url)
    migrations.upgrade(engine, "0007")
    with engine.begin() as connection:
        connection.execute(
            text(
                "INSERT INTO company (id, name, agreement, version, signed_at, wrapped_key, ring_key_id)"
                " VALUES ('c', 'Huawei', 'ccla', '2.0', '2026-01-01 00:00:00.000000', X'78', 'k1')"
            )
        )
    engine.dispose()
    unasked, without, ring = run(url), run(url, "--begin-log"), KeyRing.generate("k1")

    assert unasked.exit_code == without.exit_code == 2
    assert unasked.stderr.splitlines() == [f"countersign: {WITHOUT_LOG}"]
    assert "COUNTERSIGN_KEYS is not set" in without.stderr
    again = run(url, "--begin-log", keys=ring)
    assert again.exit_code == 0, again.exception
    assert again.stdout.splitlines()[1:] == ["existing rows added to the new log: 1"]
    assert run(url).stdout == f"the database already has schema {migrations.newest()}\n"


@pytest.mark.parametrize(
    "url", ["sqlite:////nowhere/at/all.db", "postgresql://countersign:hunter2@127.0.0.1:9/x?connect_timeout=1"]
)
def test_an_unusable_database_is_one_line_without_the_password(url):
    result = run(url)

    assert result.exit_code == 2
    assert "the database cannot be used: " in result.stderr.splitlines()[-1]
    assert "hunter2" not in result.output
    assert "Traceback" not in result.output


@pytest.mark.slow
def test_people_of_an_earlier_release_are_added_to_the_log_once(database_url, monkeypatch):
    keys = KeyRing.generate("k1")
    engine = db.open_engine(database_url)
    migrations.upgrade(engine)
    history = History(engine, Vault(KeyRing.parse(keys)))
    with running(monkeypatch):
        history.sign(11)
    engine.dispose()
    said = [run(database_url, *options, keys=keys).stdout for options in ((), (), ("--after-rollback",))]

    assert ["rows of earlier releases added to the log: 1" in output for output in said] == [True, False, False]
    assert "rows of earlier releases added to the log: 0" in said[2]


@pytest.mark.slow
def test_after_rollback_needs_the_key_ring(database_url):
    assert run(database_url, "--after-rollback").exit_code == 2


def test_a_rulebook_that_cannot_be_read_is_one_line_before_parties_are_looked_for(
    database_url, engine, tmp_path, monkeypatch
):
    ring = KeyRing.generate("k1")
    history = History(engine, Vault(KeyRing.parse(ring)))
    with history.sessions() as session:
        context = within(session, history.vault, history.now(), history.fresh)
        person = person_rows.ensure(context, Account(11, "ada"))
        signed = signatures.add(context, person, signature_draft(party=None), receipt="R")
        history.write(session, "signature.added", SERVER, [signed.row])
    monkeypatch.setenv("COUNTERSIGN_RULEBOOK", str(tmp_path / "gone.yml"))
    result = run(database_url, keys=ring)
    assert result.exit_code == 2
    assert result.stderr.splitlines()[-1] == (
        f"countersign: COUNTERSIGN_RULEBOOK: cannot read {tmp_path / 'gone.yml'}: No such file or directory"
    )
