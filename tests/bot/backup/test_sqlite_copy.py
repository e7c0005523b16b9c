"""SQLite's copy: one moment of a database that is written to, whole or not at all."""

import sqlite3
import stat
import threading
from contextlib import closing
from datetime import UTC, datetime

import pytest

from bot import db
from bot.backup import archive, sqlite_copy
from bot.backup.archive import BackupInvalid

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)


@pytest.fixture(name="source")
def _source(tmp_path):
    """A database in WAL mode with two tables that always have the same number of rows."""
    path = tmp_path / "source.db"
    engine = db.open_engine(f"sqlite:///{path}")
    with engine.begin() as connection:
        connection.exec_driver_sql("CREATE TABLE one (id INTEGER PRIMARY KEY, body TEXT)")
        connection.exec_driver_sql('CREATE TABLE "two ""2""" (id INTEGER PRIMARY KEY, body TEXT)')
    yield path, engine
    engine.dispose()


def backed_up(source, folder):
    """A backup of it."""
    file = folder / "backup"
    with file.open("wb") as stream, archive.write(
        stream, kind="sqlite", revision="0017", release="0", at=NOON
    ) as contents:  # fmt: skip
        sqlite_copy.add(contents, source, beside=folder)
    return file


def test_the_copy_is_one_moment_of_a_database_that_is_written_to(source, tmp_path):
    path, engine = source
    stop, counted = threading.Event(), []

    def write():
        while not stop.is_set():
            with engine.begin() as connection:
                connection.exec_driver_sql("INSERT INTO one (body) VALUES (?)", ("x" * 500,))
                connection.exec_driver_sql('INSERT INTO "two ""2""" (body) VALUES (?)', ("y" * 500,))
            counted.append(1)

    writer = threading.Thread(target=write)
    writer.start()
    while len(counted) < 50:
        stop.wait(0.01)
    file = backed_up(path, tmp_path)
    stop.set()
    writer.join()

    with archive.opened(file) as found:
        sqlite_copy.restore(found, tmp_path / "restored.db")
        rows = set(found.manifest.tables.values())
    assert len(rows) == 1
    assert 50 <= rows.pop() <= len(counted)
    assert stat.S_IMODE((tmp_path / "restored.db").stat().st_mode) == 0o600
    assert not list(tmp_path.glob(".countersign*"))


def test_rows_that_are_not_those_of_the_manifest_write_nothing(source, tmp_path):
    file = backed_up(source[0], tmp_path)
    with archive.opened(file) as found:
        found.manifest.tables["one"] = 7
        with pytest.raises(BackupInvalid, match="other rows"):
            sqlite_copy.restore(found, tmp_path / "restored.db")
    assert not (tmp_path / "restored.db").exists()


def test_a_damaged_copy_is_refused(source, tmp_path):
    path, engine = source
    with engine.begin() as connection:
        for _ in range(200):
            connection.exec_driver_sql("INSERT INTO one (body) VALUES (?)", ("x" * 500,))
    engine.dispose()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    with path.open("r+b") as raw:
        raw.seek(5 * 4096)
        raw.write(b"\0" * 4096)
    file = tmp_path / "backup"
    about = {"kind": "sqlite", "revision": "0017", "release": "0", "at": NOON}
    with (
        file.open("wb") as stream,
        archive.write(stream, **about) as contents,
        contents.file(sqlite_copy.NAME) as write,
    ):
        write(path.read_bytes())
    with archive.opened(file) as found, pytest.raises(BackupInvalid, match=r"damaged|cannot be read"):
        sqlite_copy.restore(found, tmp_path / "restored.db")
    assert not (tmp_path / "restored.db").exists()
