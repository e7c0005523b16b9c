"""`countersign backup FILE`: everything that the database holds, in one file, while the server runs."""

from datetime import datetime
from pathlib import Path
from typing import IO, TYPE_CHECKING

import click

from bot import __version__, atomic_file, clock
from bot.cli import database
from bot.cli.command_error import CommandError, file_access
from bot.cli.options import FILE
from bot.cli.setting import settings

if TYPE_CHECKING:
    from sqlalchemy import Engine

    from bot.backup.archive import Contents


@click.command(name="backup")
@click.argument("file", type=FILE, required=False)
@click.option(
    "--done-elsewhere",
    is_flag=True,
    help="Only record that another tool has just backed up the database. Run this after each of its successes.",
)
def command(file: Path | None, *, done_elsewhere: bool) -> None:
    """Back up the database (COUNTERSIGN_DATABASE_URL), with its waiting jobs, to a new FILE that only you can read.

    The server can keep running. The backup does not contain the key ring, and personal data cannot be read without it: keep
    COUNTERSIGN_KEYS, and COUNTERSIGN_ERASURE_KEYS_FILE if you have one, in another place.

    The database records when it was last backed up. `countersign doctor`, `/readyz` and alerts warn when that is too long ago.

    To restore it, run `countersign restore`.

    Exit codes: 0 written, or recorded; 2 wrong usage, the file already exists or cannot be written, or the database cannot be used.
    """
    if done_elsewhere is (file is not None):
        raise CommandError("give the FILE to write, or --done-elsewhere for a backup that another tool made")
    if file is not None:
        _back_up(file)
        return
    from bot import db
    from bot.store import service_record

    at = clock.now()  # The other tool has ended a moment ago.
    with database.opened() as engine, db.sessions(engine)() as session:
        service_record.backed_up(session, at=at)
    click.echo(f"recorded: another tool backed up the database at {at:%Y-%m-%dT%H:%M:%SZ}")


def _back_up(file: Path) -> None:
    source = settings().database_file
    if source is not None and not source.exists():
        raise CommandError(database.missing(source))
    if file.exists():  # It may be the only good one.
        raise CommandError(f"{file} already exists: choose a new file")
    # Also in an older schema: a backup comes before `migrate`.
    with database.opened(for_migration=True) as engine:
        at = clock.now()  # Before the copy, which may lack what comes now.
        with file_access("write", file), atomic_file.replacement(file, mode=atomic_file.PRIVATE_MODE) as made:
            contents = _write(engine, source, made, file, at)
        unrecorded = _unrecorded(engine, source, at)
    click.echo(
        f"backed up {sum(contents.tables.values()):,} rows of {len(contents.tables)} tables to {file};"
        " the key ring is not in the backup: keep it in another place"
    )
    if unrecorded:
        click.echo(
            f"countersign: the backup is complete, but the database could not record it: {unrecorded};"
            " until it does, `countersign doctor` and alerts go by the one before",
            err=True,
        )


def _unrecorded(engine: "Engine", source: Path | None, at: datetime) -> str | None:
    from sqlalchemy import inspect
    from sqlalchemy.exc import SQLAlchemyError

    from bot import db
    from bot.store import service_record

    try:
        # A backup comes before `migrate`.
        if not inspect(engine).has_table(service_record.ServiceRecord.__tablename__):
            return "its schema is older (run `countersign migrate`)"
        with db.sessions(engine)() as session:
            service_record.backed_up(session, at=at)
    except SQLAlchemyError as error:
        return db.explain(error, source)
    return None


def _write(engine: "Engine", source: Path | None, made: IO[bytes], file: Path, at: datetime) -> "Contents":
    import sqlite3

    import psycopg

    import migrations
    from bot.backup import archive, postgres_copy, sqlite_copy

    kind, revision, release = engine.dialect.name, migrations.current(engine), __version__
    if revision is None:
        raise CommandError("the database is empty: there is nothing to back up")
    if kind == "sqlite" and source is None:
        raise CommandError(
            "COUNTERSIGN_DATABASE_URL must name the SQLite file by its path, as sqlite:///countersign.db"
        )
    try:
        with archive.write(made, kind=kind, revision=revision, release=release, at=at) as contents:
            if source is not None:
                # Beside the backup: the copy is as large as the database, and /tmp may be small.
                sqlite_copy.add(contents, source, beside=file.resolve().parent)
            else:
                postgres_copy.add(contents, engine)
    except (sqlite3.Error, psycopg.Error) as error:
        # Further lines of PostgreSQL's may quote a row.
        raise CommandError(f"the database cannot be copied: {str(error).splitlines()[0]}") from None
    return contents
