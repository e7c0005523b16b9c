"""Restores a backup into an empty database, in this release's schema; everybody has to sign in again."""

from collections.abc import Callable
from pathlib import Path

from sqlalchemy import Engine

import migrations
from agreements.vault import Vault
from bot import clock, db
from bot.backup import conversion, key_ring_match, postgres_copy, sqlite_copy
from bot.backup.archive import Archive, Manifest
from bot.backup.key_ring_match import AnotherKeyRing, Query
from bot.jobs.durable import DurableEngine
from bot.store import portal_sessions, service_record, sweeps


class NotRestored(Exception):
    """It cannot come back there; the message says why and what to do."""


def restore(
    archive: Archive,
    engine: Engine,
    file: Path | None,
    vault: Vault,
    look: Callable[[Query], None] = lambda _query: None,
) -> None:
    """Fill that database, of which `file` is the SQLite file, if it is one. A backup of SQLite fills PostgreSQL, too.

    `look` may read the copy before it is written for good, and raise what keeps it from being written.

    Raises NotRestored where it is not empty, the backup is of PostgreSQL and the database is not, the backup is newer than this release,
    or the vault has another key ring, before anything is written; BackupInvalid, OSError and what the database and `look` raise.
    """
    manifest = archive.manifest
    _refuse(manifest, engine)

    def check(query: Query) -> None:
        key_ring_match.check(vault, manifest.tables, query)
        look(query)

    try:
        if engine.dialect.name != "sqlite":
            _restore_tables(archive, engine, check)
        elif file is None:
            raise NotRestored(
                "COUNTERSIGN_DATABASE_URL must name the SQLite file by its path, as sqlite:///countersign.db"
            )
        else:
            _restore_file(archive, engine, file, check)
    except AnotherKeyRing:
        raise NotRestored(
            "COUNTERSIGN_KEYS is not the key ring of this backup, so nothing was restored:"
            " set it to the key ring of the database that was backed up"
        ) from None
    migrations.upgrade(engine)
    with db.sessions(engine)() as session:
        portal_sessions.end_all(session)
        sweeps.restored(session, at=clock.now())
        service_record.backed_up(session, at=manifest.moment)


def _refuse(manifest: Manifest, engine: Engine) -> None:
    """Raises NotRestored for a backup of another kind of database, or of a later release."""
    if manifest.database not in ("sqlite", engine.dialect.name):
        raise NotRestored(
            f"the backup is of {manifest.database}, and COUNTERSIGN_DATABASE_URL names a database of {engine.dialect.name}"
        )
    if not migrations.is_known(manifest.revision):
        raise NotRestored(
            f"the backup has schema {manifest.revision}, which this release does not know:"
            f" use the release that made it ({manifest.release}), or a later one"
        )


def _restore_file(archive: Archive, engine: Engine, file: Path, check: Callable[[Query], None]) -> None:
    # What an older database left beside it would be taken for the new one's own log.
    for there in (file, *(file.with_name(f"{file.name}-{part}") for part in ("wal", "shm"))):
        if there.exists():
            raise NotRestored(
                f"there is a file {there}: stop the server and move {file.name}, with -wal and -shm beside it, away"
            )
    sqlite_copy.restore(archive, file, check)
    DurableEngine(engine, executor_id="restore").prepare()


def _restore_tables(archive: Archive, engine: Engine, check: Callable[[Query], None]) -> None:
    if table := postgres_copy.occupied(engine):
        raise NotRestored(
            f"the database is not empty ({table} has rows): make a new one and name it in COUNTERSIGN_DATABASE_URL"
        )
    is_converted = archive.manifest.database == "sqlite"
    at, wanted = migrations.current(engine), archive.manifest.revision
    if not is_converted and at is not None and at > wanted:
        raise NotRestored(
            f"the database has schema {at}, and the backup {wanted}: make a new one without tables and name it in"
            " COUNTERSIGN_DATABASE_URL"
        )
    migrations.upgrade(engine, "head" if is_converted else wanted)
    DurableEngine(engine, executor_id="restore").prepare()
    fill = conversion.restore if is_converted else postgres_copy.restore
    fill(archive, engine, check)
