"""A backup is restored into an empty place alone, forward to this release's schema, and ends every session."""

from datetime import timedelta

import pytest
from sqlalchemy import text

import migrations
from agreements.store.tables.ledger_records import LedgerKey
from agreements.vault import KeyRing, Vault, place
from bot import clock, db
from bot.backup import archive, postgres_copy, sqlite_copy
from bot.backup.restoration import NotRestored, restore
from bot.store import portal_sessions, sweeps
from tests.migrations.test_0003_visits import INSERT
from tests.ready import upgraded

VAULT = Vault(KeyRing.parse(KeyRing.generate("k1")))


def file_of(url):
    """Of SQLite."""
    from pathlib import Path

    return Path(url.removeprefix("sqlite:///")) if url.startswith("sqlite") else None


@pytest.fixture(name="backup")
def _backup(database_url, tmp_path):
    """A maker of a backup with a session in it, in the schema of that revision."""

    def make(at_revision=None, **words):
        engine = db.open_engine(database_url) if at_revision else upgraded(database_url)
        if at_revision:
            migrations.upgrade(engine, at_revision)
        with db.sessions(engine)() as session:
            at = clock.now()
            if at_revision:  # the table as it was
                session.execute(text(INSERT), {"sealed": b"sealed"})
            else:
                portal_sessions.keep(session, VAULT, "a" * 64, 7, b"sealed", at)
            sealed = VAULT.encrypt_for_server(b"key", place("ledger_key", "sealed", "log"))
            session.add(LedgerKey(id="log", public_key=b"x", sealed=sealed))
        about = {"kind": engine.dialect.name, "revision": migrations.current(engine), "release": "0.0.9", **words}
        with (tmp_path / "backup").open("wb") as stream, archive.write(stream, at=at, **about) as contents:
            if file := file_of(database_url):
                sqlite_copy.add(contents, file, beside=tmp_path)
            else:
                postgres_copy.add(contents, engine)
        engine.dispose()
        return archive.opened(tmp_path / "backup")

    return make


@pytest.mark.from_nothing
@pytest.mark.parametrize("revision", [None, "0016"])
def test_a_restored_backup_is_migrated_and_ends_every_session(backup, other_url, revision):
    engine = db.open_engine(other_url)
    with backup(revision) as found:
        restore(found, engine, file_of(other_url), VAULT)
    assert migrations.problem(engine) is None
    with db.sessions(engine)() as session:
        assert session.execute(text("SELECT count(*) FROM visit")).scalar_one() == 0
        assert timedelta(0) <= clock.now() - sweeps.state(session).restored_at < timedelta(minutes=5)
    engine.dispose()


def test_a_restore_that_is_broken_off_at_its_last_step_leaves_an_empty_place(backup, other_url, tmp_path):
    """Else a server could find sessions, tokens and erased people that the last steps were to end."""
    engine, seen = db.open_engine(other_url), []

    def finish(sessions, _jobs):
        with sessions() as session:
            seen.append(session.execute(text("SELECT count(*) FROM visit")).scalar_one())
        if len(seen) == 1:
            raise OSError("broken off")

    with backup() as found:
        (tmp_path / ".other.db.new-killed").write_bytes(b"of a restore that was killed")
        with pytest.raises(OSError, match="broken off"):
            restore(found, engine, file_of(other_url), VAULT, finish=finish)
        if file_of(other_url):
            assert not list(tmp_path.glob("*other.db*"))
        else:
            assert postgres_copy.occupied(engine) is None
        restore(found, engine, file_of(other_url), VAULT, finish=finish)
    assert seen == [0, 0], "the sessions are ended before"
    assert migrations.problem(engine) is None
    engine.dispose()


def test_a_backup_is_restored_only_into_an_empty_place(backup, database_url):
    with backup() as found:
        engine = db.open_engine(database_url)
        with pytest.raises(NotRestored, match=r"away|make a new one"):
            restore(found, engine, file_of(database_url), VAULT)
        with db.sessions(engine)() as session:
            assert portal_sessions.find(session, VAULT, "a" * 64, clock.now()) is not None
        engine.dispose()


@pytest.mark.parametrize(
    ("words", "said"), [({"revision": "9999"}, "0.0.9"), ({"kind": "oracle"}, "backup is of oracle")]
)
def test_a_backup_of_a_later_release_or_another_kind_writes_nothing(backup, other_url, words, said):
    engine = db.open_engine(other_url)
    with backup(**words) as found, pytest.raises(NotRestored, match=said):
        restore(found, engine, file_of(other_url), VAULT)
    assert file_of(other_url) is None or not file_of(other_url).exists()
    engine.dispose()


def test_an_interrupted_restore_can_be_repeated(backup, other_url):
    engine = db.open_engine(other_url)
    if file_of(other_url) is None:
        migrations.upgrade(engine, "0016")
    with backup() as found:
        restore(found, engine, file_of(other_url), VAULT)
    assert migrations.problem(engine) is None
    engine.dispose()


def test_another_key_ring_is_found_out_before_anything_is_written(backup, other_url):
    engine = db.open_engine(other_url)
    with backup() as found:
        other = Vault(KeyRing.parse(KeyRing.generate("k1")))
        with pytest.raises(NotRestored, match="COUNTERSIGN_KEYS is not the key ring of this backup"):
            restore(found, engine, file_of(other_url), other)
        assert file_of(other_url) is None or not file_of(other_url).exists()
        restore(found, engine, file_of(other_url), VAULT)
    assert migrations.problem(engine) is None
    engine.dispose()
