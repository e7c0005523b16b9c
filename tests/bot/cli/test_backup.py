"""`backup` writes one new private file without a key, and reports mistakes in one line."""

import stat

import pytest
from click.testing import CliRunner
from sqlalchemy import text

from agreements.vault import KeyRing, Vault
from bot import clock, db
from bot.backup import archive
from bot.cli.backup import command
from bot.store import service_record
from tests.ready import upgraded
from tests.tampering.history import History


@pytest.fixture(name="kept")
def _kept(database_url):
    """A database with an ordinary history, and a way to run the command on it."""
    ring = KeyRing.generate("k1")
    engine = upgraded(database_url)
    history = History(engine, Vault(KeyRing.parse(ring)))
    history.ring = ring
    history.run = lambda *words, url=database_url: CliRunner().invoke(
        command, list(map(str, words)), env={"COUNTERSIGN_DATABASE_URL": url, "COUNTERSIGN_KEYS": ring}
    )
    yield history
    engine.dispose()


def test_a_backup_is_one_private_file_without_a_key(kept, tmp_path):
    kept.live()
    file = tmp_path / "backup"

    done = kept.run(file)

    assert (done.exit_code, stat.S_IMODE(file.stat().st_mode)) == (0, 0o600)
    with archive.opened(file) as found:
        manifest = found.manifest
        content = b"".join(data for name in manifest.files for data in found.chunks(name))
    assert done.stdout == (
        f"backed up {manifest.rows:,} rows of {len(manifest.tables)} tables to {file};"
        " the key ring is not in the backup: keep it in another place\n"
    )
    assert manifest.rows > 23
    assert kept.ring.partition(":")[2].strip().encode() not in content + file.read_bytes()


def test_an_existing_file_is_not_overwritten(kept, tmp_path):
    """The existing file may be the only good backup."""
    file = tmp_path / "backup"
    file.write_text("older")
    done = kept.run(file)
    assert (done.exit_code, file.read_text()) == (2, "older")
    assert done.stderr == f"countersign: {file} already exists: choose a new file\n"


def test_an_unwritable_place_exits_with_2_in_one_line(kept, tmp_path):
    done = kept.run(tmp_path / "nowhere" / "backup")
    assert done.exit_code == 2
    assert done.stderr.count("\n") == 1
    assert "cannot write" in done.stderr


def test_a_missing_or_empty_database_is_not_backed_up(kept, tmp_path):
    gone = kept.run(tmp_path / "backup", url=f"sqlite:///{tmp_path / 'gone.db'}")
    engine = db.open_engine(f"sqlite:///{tmp_path / 'empty.db'}")
    engine.connect().close()
    engine.dispose()
    empty = kept.run(tmp_path / "backup", url=f"sqlite:///{tmp_path / 'empty.db'}")

    assert (gone.exit_code, empty.exit_code) == (2, 2)
    assert "there is no database" in gone.stderr
    assert "nothing to back up" in empty.stderr
    assert not (tmp_path / "gone.db").exists()
    assert not (tmp_path / "backup").exists()


def recorded(kept):
    """The moment of the last backup that the database knows of."""
    with db.sessions(kept.engine)() as session:
        return service_record.state(session).backed_up_at


def test_the_database_records_the_moment_of_the_newest_backup(kept, tmp_path):
    for name in ("one", "two"):
        assert kept.run(tmp_path / name).exit_code == 0
        with archive.opened(tmp_path / name) as found:
            assert recorded(kept) == found.manifest.moment
    assert kept.run(tmp_path / "nowhere" / "three").exit_code == 2
    with archive.opened(tmp_path / "two") as found:
        assert recorded(kept) == found.manifest.moment


def test_a_backup_by_another_tool_is_recorded_as_of_now(kept):
    before = clock.now()
    done = kept.run("--done-elsewhere")
    assert (done.exit_code, done.stderr) == (0, "")
    assert before <= recorded(kept) <= clock.now()
    assert done.stdout == f"recorded: another tool backed up the database at {recorded(kept):%Y-%m-%dT%H:%M:%SZ}\n"


@pytest.mark.parametrize("words", [(), ("backup", "--done-elsewhere")])
def test_a_file_and_done_elsewhere_exclude_each_other(kept, tmp_path, monkeypatch, words):
    monkeypatch.chdir(tmp_path)
    done = kept.run(*words)
    assert done.exit_code == 2
    assert (
        done.stderr == "countersign: give the FILE to write, or --done-elsewhere for a backup that another tool made\n"
    )
    assert (recorded(kept), list(tmp_path.glob("backup"))) == (None, [])


def test_a_backup_that_the_database_cannot_record_is_complete_and_says_so(kept, tmp_path):
    kept.live()
    with kept.engine.begin() as connection:
        connection.execute(text("ALTER TABLE service_record RENAME COLUMN backed_up_at TO other"))
    done = kept.run(tmp_path / "one")
    assert done.exit_code == 0
    assert done.stderr.startswith(
        "countersign: the backup is complete, but the database could not record it: the database"
    )

    with kept.engine.begin() as connection:
        connection.execute(text("DROP TABLE service_record"))
    done = kept.run(tmp_path / "two")
    assert done.exit_code == 0
    assert "could not record it: its schema is older (run `countersign migrate`); until it does" in done.stderr
    for name in ("one", "two"):
        with archive.opened(tmp_path / name) as found:
            assert found.manifest.rows > 23
