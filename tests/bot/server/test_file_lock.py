"""Locks of files: one process at a time; a killed process holds no lock any more."""

import signal
import subprocess
import sys
from contextlib import contextmanager

import pytest

from bot.server import file_lock
from bot.server.file_lock import DatabaseLocked, FileLocked

HOLD = """
import sys
from pathlib import Path
from bot.server import file_lock
with file_lock.only_process(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


@contextmanager
def held_elsewhere(database):
    """Another process that holds it until it is ended, or the block is."""
    given = [sys.executable, "-c", HOLD, str(database)]
    with subprocess.Popen(given, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout.readline() == b"held\n"
        yield process
        process.kill()


def refused(database):
    """What a process is told that comes second."""
    with pytest.raises(DatabaseLocked) as told, file_lock.only_process(database):
        pass
    return str(told.value)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_a_lock_is_held_until_its_process_ends(tmp_path, number):
    database, lock = tmp_path / "a.db", tmp_path / ".a.db.lock"
    with held_elsewhere(database) as process:
        assert refused(database) == (
            f"another process of Countersign uses {database}: stop it first; to run several processes, use PostgreSQL"
        )
        process.send_signal(number)
        process.wait(timeout=30)
        with file_lock.only_process(database):
            assert lock.stat().st_mode & 0o777 == 0o600
        with file_lock.only_process(database):
            pass
    assert not database.exists()


def test_a_link_leads_to_the_same_lock(tmp_path):
    folder, file, other = tmp_path / "real", tmp_path / "link.db", tmp_path / "linked"
    folder.mkdir()
    (folder / "a.db").touch()
    file.symlink_to(folder / "a.db")
    other.symlink_to(folder)
    with held_elsewhere(folder / "a.db"):
        assert str(file) in refused(file)
        assert str(other) in refused(other / "a.db")
        with file_lock.only_process(folder / "b.db"):
            pass


def test_moving_the_database_away_leaves_its_lock_in_place(tmp_path):
    with held_elsewhere(tmp_path / "a.db"):
        (tmp_path / "a.db").touch()
        assert [found.name for found in tmp_path.glob("a.db*")] == ["a.db"]
        (tmp_path / "a.db").rename(tmp_path / "before")
        refused(tmp_path / "a.db")


def test_a_database_without_a_file_has_no_lock():
    with file_lock.only_process(None), file_lock.only_process(None):
        pass


def test_a_place_where_there_can_be_no_lock_is_one_line(tmp_path):
    said = refused(tmp_path / "gone" / "a.db")
    assert said.startswith(f"cannot lock {tmp_path / 'gone' / '.a.db.lock'}: No such file or directory: put")
    (tmp_path / ".b.db.lock").mkdir()
    assert "Is a directory" in refused(tmp_path / "b.db")


def test_an_error_inside_the_block_frees_the_lock(tmp_path):
    with pytest.raises(BlockingIOError), file_lock.locked(tmp_path / "lock", wait=False):
        raise BlockingIOError
    with file_lock.locked(tmp_path / "lock", wait=True):
        second = file_lock.locked(tmp_path / "lock", wait=False)
        with pytest.raises(FileLocked), second:
            pass
