"""A SQLite file is looked at without being changed; broken disks are in tests/stories/test_broken_deployments.py."""

import sqlite3
from contextlib import closing

import pytest

from bot.doctor import sqlite_file


@pytest.fixture(name="file")
def _file(tmp_path):
    """A database in WAL mode, as ours is."""
    file = tmp_path / "a b.db"
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("CREATE TABLE x (a)")
    return file


def judged(file):
    """Status by item."""
    return {doctor_result.id.partition(".")[2]: doctor_result.status for doctor_result in sqlite_file.judge(file)}


def test_a_sound_file_passes_and_stays_byte_for_byte(file):
    before = file.read_bytes()
    found = judged(file)
    assert (found["reachable"], found["writable"]) == ("pass", "pass")
    assert file.read_bytes() == before


def test_a_missing_file_is_not_made(tmp_path):
    assert judged(tmp_path / "none.db") == {"reachable": "fail"}
    assert list(tmp_path.iterdir()) == []


def test_a_folder_is_no_database(tmp_path):
    [found] = sqlite_file.judge(tmp_path)
    assert (found.status, found.message) == ("fail", f"{tmp_path} is a folder.")
    assert found.remedy == f"Name a file in it: sqlite:///{tmp_path}/countersign.db"


def test_a_locked_file_is_reachable_unless_the_lock_is_exclusive(file):
    with closing(sqlite3.connect(file, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        assert judged(file)["reachable"] == "pass"
        assert judged(file)["writable"] == "fail"


@pytest.mark.parametrize(
    ("words", "said", "remedy"),
    [
        ("database or disk is full", "the disk is full", "Make room"),
        ("disk I/O error", "cannot be read or written", "system's log"),
        ("attempt to write a readonly database", "it is read-only", "chown"),
        ("database is locked", "another process holds it", "fuser"),
        ("file is not a database", "not a SQLite database", "COUNTERSIGN_DATABASE_URL"),
        ("database disk image is malformed", "it is damaged", "countersign restore"),
        ("unable to open database file", "it cannot be opened", "chown"),
        ("something new", "something new", "countersign restore"),
    ],
)
def test_each_error_of_sqlite_has_its_meaning_and_remedy(file, words, said, remedy):
    message, found = sqlite_file.explained(sqlite3.OperationalError(words), file)
    assert said in message
    assert remedy in found
    assert "{" not in found
