"""SQLite: a copy by its own online backup, while others read and write."""

import sqlite3
import tempfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Final

from bot import atomic_file
from bot.backup.archive import CHUNK_BYTES, Archive, BackupInvalid, Contents
from bot.backup.database_match import Query

NAME: Final = "database.sqlite"
_TABLES: Final = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"


def add(contents: Contents, database: Path, *, beside: Path) -> None:
    """Put a copy of that database, as of one moment, into the backup, by way of the folder `beside`.

    Raises OSError and sqlite3.Error.
    """
    with tempfile.TemporaryDirectory(dir=beside, prefix=".countersign-backup-") as folder:  # For its owner alone
        copy = Path(folder) / NAME
        # One step: a reader of a write-ahead log sees one moment, and no writer waits for it.
        with closing(sqlite3.connect(database)) as source, closing(sqlite3.connect(copy)) as target:
            source.backup(target)
            # The copy inherits WAL mode, and its newest pages could stand in a second file.
            target.execute("PRAGMA journal_mode=DELETE")
            contents.tables.update(counts(target))
        with contents.file(NAME) as write, copy.open("rb") as read:
            while data := read.read(CHUNK_BYTES):
                write(data)


def restore(
    archive: Archive,
    database: Path,
    check: Callable[[Query], None] = lambda _query: None,
    complete: Callable[[Path], None] = lambda _copy: None,
) -> None:
    """Write the copy to that file, which must not be there yet: whole or not at all. Raises OSError, sqlite3.Error, BackupInvalid.

    `check` may read it before, and raise what keeps it from being written; `complete` changes it before it has its name.
    """
    atomic_file.sweep(database)  # A restore that was killed left a copy in which nothing had ended.
    with atomic_file.replacement(database, mode=atomic_file.PRIVATE_MODE) as made:
        copy = Path(made.name)
        for data in archive.chunks(NAME):
            made.write(data)
        made.flush()
        _look(copy, archive, check)
        try:
            complete(copy)
            _gather(copy)
        finally:
            for part in ("wal", "shm"):
                copy.with_name(f"{copy.name}-{part}").unlink(missing_ok=True)


def _gather(copy: Path) -> None:
    """Bring all pages into the one file that is renamed. Raises sqlite3.Error."""
    with closing(sqlite3.connect(copy)) as found:
        ((mode,),) = found.execute("PRAGMA journal_mode=DELETE").fetchall()
    if mode != "delete":
        raise sqlite3.OperationalError("the write-ahead log of the copy stays in use")


def _look(copy: Path, archive: Archive, check: Callable[[Query], None]) -> None:
    try:
        with closing(sqlite3.connect(copy)) as found:
            said = [str(row[0]) for row in found.execute("PRAGMA quick_check(1)")]  # One fault is enough to refuse it.
            rows = counts(found)
    except sqlite3.Error as error:
        raise BackupInvalid(f"the database in it cannot be read: {error}") from None
    if said != ["ok"]:
        raise BackupInvalid(f"the database in it is damaged: {said[0] if said else 'no answer'}")
    if rows != dict(archive.manifest.tables):
        raise BackupInvalid("the database in it has other rows than its manifest counts")
    try:
        with closing(sqlite3.connect(copy)) as found:
            check(lambda text: found.execute(text).fetchall())
    except sqlite3.Error as error:  # A column that no release of ours left out
        raise BackupInvalid(f"the database in it cannot be read: {error}") from None


def counts(connection: sqlite3.Connection) -> dict[str, int]:
    """The number of rows of each table."""
    return {
        name: int(connection.execute(f"SELECT count(*) FROM {quoted(name)}").fetchone()[0])  # noqa: S608 - a name of the file's own, quoted
        for (name,) in connection.execute(_TABLES).fetchall()
    }


def quoted(name: str) -> str:
    """The name of a table or a column as SQL."""
    doubled = name.replace('"', '""')
    return f'"{doubled}"'
