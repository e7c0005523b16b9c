"""Locks that other processes see, each a file of its own; the kernel releases one however its process ends."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bot import atomic_file


class FileLocked(Exception):
    """Another process holds the lock."""


class DatabaseLocked(Exception):
    """This process cannot have the SQLite file for itself; the message is one line that names the file and says what to do."""


@contextmanager
def locked(path: Path, *, wait: bool) -> Iterator[None]:
    """Hold the lock of that file for the block; the file is made where it is missing, and stays.

    `wait` says whether to wait for another process that holds it. Raises FileLocked, and OSError where the file system
    refuses the file or the lock.
    """
    opened = _acquire(path, wait=wait)
    try:
        yield
    finally:
        # The file stays: after `unlink` a process that waits would lock a file that no other finds.
        os.close(opened)


@contextmanager
def only_process(database: Path | None) -> Iterator[None]:
    """Be the only process that serves or restores that SQLite file, for the block; None (PostgreSQL) has no lock.

    Raises DatabaseLocked, also where the file system has no locks.
    """
    if database is None:
        yield
        return
    file = database.resolve()  # A link leads to the same lock
    # Hidden, so that `mv countersign.db*` does not take the lock of a running server away with its database.
    lock = file.with_name(f".{file.name}.lock")
    try:
        opened = _acquire(lock, wait=False)
    except FileLocked:
        raise DatabaseLocked(
            f"another process of Countersign uses {database}: stop it first; to run several processes, use PostgreSQL"
        ) from None
    # Without a lock the process does not start: two servers on one file would both take every job.
    except OSError as error:
        raise DatabaseLocked(
            f"cannot lock {lock}: {error.strerror}: put the database into a folder on a local disk that this account can write"
        ) from None
    try:
        yield
    finally:
        os.close(opened)


def _acquire(path: Path, *, wait: bool) -> int:
    # O_CLOEXEC: a program that this process runs would keep the lock after its end.
    opened = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, atomic_file.PRIVATE_MODE)
    try:
        fcntl.flock(opened, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except OSError as error:
        os.close(opened)
        if isinstance(error, BlockingIOError):
            raise FileLocked(str(path)) from None
        raise
    return opened
