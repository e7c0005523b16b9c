"""A backup of SQLite comes back in PostgreSQL: every row of every table is what it was, and new ones follow it."""

from datetime import UTC, datetime
from pathlib import Path

import pytest
from sqlalchemy import text
from sqlmodel import SQLModel, select

import migrations
from agreements.vault import KeyRing, Vault
from bot import db
from bot.backup import archive, sqlite_copy
from bot.backup.archive import BackupInvalid
from bot.backup.restoration import NotRestored, restore
from bot.jobs.durable import DurableEngine
from bot.records import log_verification
from bot.store.logged_tables import TABLES
from tests.ready import upgraded
from tests.tampering.history import History

pytestmark = pytest.mark.slow

NOON = datetime(2026, 11, 25, 12, tzinfo=UTC)


@pytest.fixture(name="ring")
def _ring():
    return KeyRing.parse(KeyRing.generate("first"))


@pytest.fixture(name="history")
def _history(tmp_path, ring):
    """A bit of everything on SQLite, and the queue's own tables."""
    engine = upgraded(f"sqlite:///{tmp_path / 'old.db'}")
    DurableEngine(engine, executor_id="old").prepare()
    history = History(engine, Vault(ring))
    history.live()
    yield history
    engine.dispose()


@pytest.fixture(name="old")
def _old(history):
    return history.engine


@pytest.fixture(name="new")
def _new(postgres_url):
    engine = db.open_engine(postgres_url)
    yield engine
    engine.dispose()


def backed_up(engine, folder):
    """The backup, open."""
    file = folder / "backup"
    words = {"kind": "sqlite", "revision": migrations.current(engine), "release": "0", "at": NOON}
    with file.open("wb") as stream, archive.write(stream, **words) as contents:
        sqlite_copy.add(contents, Path(engine.url.database), beside=folder)
    return archive.opened(file)


def rows(engine):
    """By table, as the models read them."""
    found = {}
    with engine.connect() as connection:
        for table in SQLModel.metadata.sorted_tables:
            found[table.name] = sorted(map(repr, connection.execute(select(table)).all()))
    return found


@pytest.mark.slow
@pytest.mark.from_nothing
def test_every_row_is_the_same_in_postgresql_and_new_ones_follow(old, new, ring, history, tmp_path):
    with backed_up(old, tmp_path) as found:
        restore(found, new, None, history.vault)

    before, after = rows(old), rows(new)
    assert sum(map(len, before.values())) > 40
    changed = {name for name in before if before[name] != after[name]}
    assert changed <= {"sweep", "service_record"}, "restoring, and the backup, is remembered there"
    verified = log_verification.verify(new, log_verification.Keys(ring, None), TABLES)
    assert verified.entries > 10
    history.engine, history.sessions = new, db.sessions(new)
    history.sign(99)
    assert log_verification.verify(new, log_verification.Keys(ring, None), TABLES).entries == verified.entries + 1


def test_a_backup_is_converted_only_into_an_empty_place(old, new, ring, tmp_path):
    History(new, Vault(ring)).sign(99)
    with backed_up(old, tmp_path) as found, pytest.raises(NotRestored, match="is not empty"):
        restore(found, new, None, Vault(ring))
    assert log_verification.verify(new, log_verification.Keys(ring, None), TABLES).entries == 1


@pytest.mark.slow
@pytest.mark.from_nothing
@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("CREATE TABLE other AS SELECT 1 AS id", "no table for the rows of other"),
        ("UPDATE signature SET receipt = char(0) || 'x' WHERE rowid = 1", "the rows of public.signature do not fit"),
    ],
)
def test_a_row_that_does_not_fit_stops_the_whole_conversion(old, new, history, tmp_path, statement, said):
    with old.begin() as connection:
        for name in connection.execute(text("SELECT name FROM sqlite_master WHERE type = 'trigger'")).scalars().all():
            connection.exec_driver_sql(f'DROP TRIGGER "{name}"')
        connection.exec_driver_sql(statement)
    with backed_up(old, tmp_path) as found, pytest.raises(BackupInvalid, match=said):
        restore(found, new, None, history.vault)
    assert {name for name, said in rows(new).items() if said} == set()
