"""A SQLite database as a file: it can be opened and written, no other process locks it, and its disk has room. Nothing is changed."""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bot.doctor.doctor_report import DoctorCheck, DoctorResult, sentence

REACHABLE: Final = DoctorCheck("database.reachable", "critical")
WRITABLE: Final = DoctorCheck("database.writable", "critical")
SPACE: Final = DoctorCheck("database.space", "high")
_LOCK_SECONDS: Final = 3.0  # The server's own writes take milliseconds.
FULL_BYTES: Final = 2**20  # With less a disk is as good as full: SQLite makes its log anew, and its index of 32 kB.
_LEAST_BYTES: Final = 64 * 2**20  # A small database needs room to grow, too.

_MAKE_ROOM: Final = (
    "Make room on the disk of {folder}, or move the database to a larger one (COUNTERSIGN_DATABASE_URL)."
)
_RESTORE: Final = "Keep the file, and restore the newest backup (`countersign restore`; see 'Back up and restore' in the documentation)."
_CORRECT: Final = "Correct COUNTERSIGN_DATABASE_URL, or create the database with `countersign migrate`."
_OWN: Final = "Give the account that runs Countersign the file and its folder: `chown ACCOUNT {file} {folder}`, and `chmod u+rw {file}`."


@dataclass(frozen=True, slots=True)
class _Trouble:
    """A message of SQLite as it reads to an operator (`said`), and what to do (`remedy`)."""

    said: str
    remedy: str


# By words of SQLite's messages (sqlite.org/rescode.html).
_TROUBLES: Final = {
    "disk is full": _Trouble("the disk is full", _MAKE_ROOM),
    "disk i/o error": _Trouble(
        "its disk cannot be read or written", "See the system's log about the disk of {folder}. " + _MAKE_ROOM
    ),
    "readonly": _Trouble("it is read-only", "{read_only}"),
    "is locked": _Trouble(
        "another process holds it",
        "Find the process (`fuser {file}`) and end it: a second server, a shell of SQLite, or a copy that is being made.",
    ),
    "not a database": _Trouble("it is not a SQLite database, or an encrypted one", _CORRECT + " " + _RESTORE),
    "malformed": _Trouble("it is damaged", _RESTORE),
    "unable to open": _Trouble("it cannot be opened", _OWN),
}


def judge(file: Path) -> Iterator[DoctorResult]:
    """Whether it can be opened, written, and grow."""
    if not file.exists():
        yield REACHABLE.failed(f"There is no database file {file}.", _CORRECT)
        return
    if file.is_dir():
        yield REACHABLE.failed(f"{file} is a folder.", f"Name a file in it: sqlite:///{file / 'countersign.db'}")
        return
    uri = f"{file.resolve().as_uri()}?mode=rw"  # Else SQLite would make a file that is missing.
    try:
        # Without Python's own transactions: BEGIN IMMEDIATE is given by us.
        with closing(sqlite3.connect(uri, uri=True, timeout=_LOCK_SECONDS, isolation_level=None)) as connection:
            connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
            yield REACHABLE.passed("The database is reachable.")
            yield _writable(connection, file)
    except (sqlite3.Error, OSError) as error:
        yield REACHABLE.failed(*explained(error, file))
    yield _space(file)


def explained(error: Exception, file: Path) -> tuple[str, str]:
    """The meaning of that error of SQLite as a sentence, and the remedy."""
    cause = str(getattr(error, "orig", None) or error).lower()
    name = next((words for words in _TROUBLES if words in cause), None)
    if name in ("unable to open", "disk i/o error"):  # SQLite says so of a log that it cannot make, too.
        name = "disk is full" if _free(file) < FULL_BYTES else "readonly" if _is_read_only(file) else name
    trouble = _TROUBLES[name] if name else _Trouble(cause.splitlines()[0] if cause else type(error).__name__, _RESTORE)
    places = {"file": file, "folder": file.resolve().parent, "read_only": _read_only(file)}
    return sentence(f"the database {file} cannot be used: {trouble.said}"), trouble.remedy.format(**places)


def _writable(connection: sqlite3.Connection, file: Path) -> DoctorResult:
    # By the lock of a writer, which is given back at once.
    try:
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("ROLLBACK")
        if _free(file) < FULL_BYTES:  # The lock alone needs no room.
            raise sqlite3.OperationalError("disk is full")
    except sqlite3.Error as error:
        return WRITABLE.failed(*explained(error, file))
    return WRITABLE.passed("The database can be written.")


def _space(file: Path) -> DoctorResult:
    # To write the database anew, as `migrate` may, and for a backup beside it, as much again is needed.
    size = sum(path.stat().st_size for path in (file, file.with_name(f"{file.name}-wal")) if path.exists())
    free = _free(file)
    said = f"The disk has {_megabytes(free)} free, and the database has {_megabytes(size)}."
    if free < max(size, _LEAST_BYTES):
        return SPACE.failed(said, _MAKE_ROOM.format(folder=file.resolve().parent))
    return SPACE.passed(said)


def _free(file: Path) -> int:
    """Bytes that this account may still write on the file's disk."""
    found = os.statvfs(file.resolve().parent)
    return found.f_bavail * found.f_frsize  # Not f_bfree, of which a part is kept for root.


def _megabytes(count: int) -> str:
    return f"{count / 1_000_000:,.1f} MB" if count < 10**9 else f"{count / 10**9:,.1f} GB"


def _is_read_only(file: Path) -> bool:
    folder = file.resolve().parent
    return bool(os.statvfs(folder).f_flag & os.ST_RDONLY) or not os.access(folder, os.W_OK | os.X_OK)


def _read_only(file: Path) -> str:
    """By what is read-only: the file system, the folder, in which SQLite writes its log, or the file."""
    folder = file.resolve().parent
    if os.statvfs(folder).f_flag & os.ST_RDONLY:
        return f"The file system of {folder} is mounted read-only: mount it for writing, and see the system's log about why it was not."
    if not os.access(folder, os.W_OK | os.X_OK):
        return f"The folder {folder} is read-only for this account, and SQLite writes its log there: `chown ACCOUNT {folder}`, `chmod u+rwx {folder}`."
    return _OWN.format(file=file, folder=folder)
