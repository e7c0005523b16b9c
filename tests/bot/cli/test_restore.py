"""`restore` verifies the log afterwards, and restores nothing if the backup, place or keys are wrong."""

from datetime import timedelta

import pytest
from click.testing import CliRunner
from sqlalchemy import text

from agreements.vault import KeyRing, Vault
from bot import clock, db
from bot.backup import archive
from bot.cli.backup import command as backup
from bot.cli.restore import command
from bot.store import service_record, tokens
from tests.ready import upgraded
from tests.tampering.history import History
from tests.within import within


@pytest.fixture(name="kept")
def _kept(tmp_path):
    """A database with an ordinary history, its backup, and a way to take it back somewhere else."""
    ring = KeyRing.generate("k1")
    source = f"sqlite:///{tmp_path / 'test.db'}"
    engine = upgraded(source)
    history = History(engine, Vault(KeyRing.parse(ring)))
    history.live()

    def back_up():
        env = {"COUNTERSIGN_DATABASE_URL": source, "COUNTERSIGN_KEYS": ring}
        assert CliRunner().invoke(backup, [str(tmp_path / "backup")], env=env).exit_code == 0

    history.back_up = back_up
    history.run = lambda file="backup", *, to="other.db", keys=ring: CliRunner().invoke(
        command,
        [str(tmp_path / file)],
        env={"COUNTERSIGN_DATABASE_URL": f"sqlite:///{tmp_path / to}", "COUNTERSIGN_KEYS": keys},
    )
    yield history
    engine.dispose()


@pytest.mark.slow
def test_a_restored_database_is_verified_and_a_second_restore_refused(kept):
    kept.back_up()
    done, again = kept.run(), kept.run()
    assert done.exit_code == 0, done.output
    assert "verified 13 entries, 31 rows of the log" in done.stdout
    assert (again.exit_code, "away" in again.stderr) == (2, True)


@pytest.mark.slow
def test_a_restore_revokes_api_tokens_and_says_what_counts_again(kept, tmp_path):
    at = clock.now()
    with kept.sessions() as session:
        context = within(session, kept.vault, at, kept.fresh, by=90)
        made, words = tokens.make(context, "ci", ["covered:read"], until=at + timedelta(days=1))
        context.log("token.made", rows=[made])
    kept.back_up()
    done = kept.run()
    assert done.exit_code == 0, done.output
    assert "revoked 1 API tokens, as any may have been revoked since: make new ones at /admin/tokens" in done.stdout
    assert "counts again: agreements that were withdrawn or revoked, and people, managers and domains" in done.stdout
    with (
        db.opened(f"sqlite:///{tmp_path / 'other.db'}") as engine,
        db.sessions(engine)() as session,
        pytest.raises(tokens.TokenRefused),
    ):
        tokens.holder(session, kept.vault, words, at=at)


@pytest.mark.slow
def test_a_restored_database_records_the_moment_of_its_backup(kept, tmp_path):
    kept.back_up()
    kept.run()
    with db.opened(f"sqlite:///{tmp_path / 'other.db'}") as engine, db.sessions(engine)() as session:
        known = service_record.state(session)
    with archive.opened(tmp_path / "backup") as found:
        assert known.backed_up_at == found.manifest.moment


@pytest.mark.slow
def test_a_restored_log_that_does_not_verify_exits_with_1(kept):
    with kept.engine.begin() as connection:
        connection.execute(text("UPDATE company SET countersigned_at = NULL"))
    kept.back_up()
    done = kept.run()
    assert done.exit_code == 1
    assert "does not verify" in done.stdout


def test_an_incomplete_or_missing_backup_is_one_line_and_writes_nothing(kept, tmp_path):
    (tmp_path / "text").write_text("x")
    for file, said in (("text", "not a complete backup"), ("gone", "cannot read")):
        done = kept.run(file)
        assert (done.exit_code, said in done.stderr, done.stderr.count("\n")) == (2, True, 1)
    assert not (tmp_path / "other.db").exists()


@pytest.mark.slow
@pytest.mark.parametrize("name", ["k1", "k2"])
def test_the_key_ring_of_another_database_is_refused_and_nothing_written(kept, tmp_path, name):
    kept.back_up()
    done = kept.run(keys=KeyRing.generate(name))
    assert (done.exit_code, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert "COUNTERSIGN_KEYS is not the key ring of this backup" in done.stderr
    assert not [file.name for file in tmp_path.iterdir() if file.name.startswith(("other", ".new", ".other.db.new"))]
    assert kept.run().exit_code == 0


def test_a_leftover_wal_file_stops_the_restore(kept, tmp_path):
    """SQLite would apply another database's log to the restored one."""
    kept.back_up()
    (tmp_path / "other.db-wal").write_bytes(b"x")
    done = kept.run()
    assert done.exit_code == 2
    assert "other.db-wal" in done.stderr
    assert not (tmp_path / "other.db").exists()


def test_without_the_key_ring_nothing_is_restored(kept, tmp_path):
    kept.back_up()
    done = kept.run(keys="")
    assert done.exit_code == 2
    assert "COUNTERSIGN_KEYS" in done.stderr
    assert not (tmp_path / "other.db").exists()
