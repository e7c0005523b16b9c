"""A file is exchanged whole or not at all, and keeps its mode, its owner, and its link."""

import os
import signal

import pytest

from bot import atomic_file


def write(path, *pieces, **mode):
    """Exchange it for a file with this text."""
    with atomic_file.replacement(path, **mode) as made:
        made.writelines(piece.encode() for piece in pieces)


def test_a_new_file_is_for_its_owner_alone(tmp_path):
    before = os.umask(0)
    try:
        write(tmp_path / "keys", "a", "b")
    finally:
        os.umask(before)

    assert (tmp_path / "keys").read_text() == "ab"
    assert (tmp_path / "keys").stat().st_mode & 0o777 == 0o600


def test_mode_and_link_stay(tmp_path):
    (tmp_path / "behind").write_text("old")
    (tmp_path / "behind").chmod(0o640)
    (tmp_path / "keys").symlink_to("behind")
    number = (tmp_path / "behind").stat().st_ino
    write(tmp_path / "keys", "new")

    assert (tmp_path / "keys").is_symlink()
    assert (tmp_path / "behind").read_text() == "new"
    assert (tmp_path / "behind").stat().st_mode & 0o777 == 0o640
    assert (tmp_path / "behind").stat().st_ino != number


def test_a_pipe_is_written_to_and_stays(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        write(pipe, "new")
        assert os.read(reader, 10) == b"new"
    finally:
        os.close(reader)

    assert pipe.is_fifo()
    assert [file.name for file in tmp_path.iterdir()] == ["pipe"]


def test_a_mode_that_is_asked_for_counts(tmp_path):
    write(tmp_path / "data", "old", mode=0o644)
    assert (tmp_path / "data").stat().st_mode & 0o777 == 0o644
    write(tmp_path / "data", "new", mode=0o600)
    assert (tmp_path / "data").stat().st_mode & 0o777 == 0o600


def test_a_write_that_breaks_off_changes_nothing(tmp_path):
    (tmp_path / "keys").write_text("old")

    def break_off():
        with atomic_file.replacement(tmp_path / "keys") as made:
            made.write(b"half")
            raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        break_off()

    assert [path.name for path in tmp_path.iterdir()] == ["keys"]
    assert (tmp_path / "keys").read_text() == "old"


def test_remains_of_a_killed_exchange_are_swept(tmp_path):
    for number, name in enumerate(("keys", "keys.2")):
        child = os.fork()
        if child == 0:
            with atomic_file.replacement(tmp_path / name):
                os.kill(os.getpid(), signal.SIGKILL)
        os.waitpid(child, 0)
        assert len(list(tmp_path.iterdir())) == number + 1
    atomic_file.sweep(tmp_path / "keys")

    [left] = tmp_path.iterdir()
    assert left.name.startswith(".keys.2.new-")
