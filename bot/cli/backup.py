"""`countersign backup FILE`: everything that the database holds, in one file, while the server runs."""

from pathlib import Path
from typing import IO, TYPE_CHECKING

import click

from bot.cli import database
from bot.cli.command_error import CommandError, file_access
from bot.cli.options import FILE
from bot.cli.setting import settings

if TYPE_CHECKING:
    from sqlalchemy import Engine

    from bot.backup.archive import Contents


@click.command(name="backup")
@click.argument("file", type=FILE)
def command(file: Path) -> None:
    """Back up the database (COUNTERSIGN_DATABASE_URL), with its waiting jobs, to a new FILE that only you can read.

    The server can keep running. The backup does not contain the key ring, and personal data cannot be read without it: keep
    COUNTERSIGN_KEYS, and COUNTERSIGN_ERASURE_KEYS_FILE if you have one, in another place.

    To restore it, run `countersign restore`.

    Exit codes: 0 written, 2 the file already exists or cannot be written, or the database cannot be used.
    """
    from bot import atomic_file

    source = settings().database_file
    if source is not None and not source.exists():
        raise CommandError(f"there is no database at {source}")
    if file.exists():
        raise CommandError(f"{file} already exists: choose a new file")
    # Also in an older schema: a backup comes before `migrate`.
    with (
        database.opened(for_migration=True) as engine,
        file_access("write", file),
        atomic_file.replacement(file, mode=atomic_file.PRIVATE_MODE) as made,
    ):
        contents = _write(engine, source, made, file)
    click.echo(
        f"backed up {sum(contents.tables.values()):,} rows of {len(contents.tables)} tables to {file};"
        " the key ring is not in the backup: keep it in another place"
    )


def _write(engine: "Engine", source: Path | None, made: IO[bytes], file: Path) -> "Contents":
    import sqlite3
    from importlib.metadata import version

    import psycopg

    import migrations
    from bot import clock
    from bot.backup import archive, postgres_copy, sqlite_copy

    kind, revision, release = engine.dialect.name, migrations.current(engine), version("countersign-app")
    if revision is None:
        raise CommandError("the database is empty: there is nothing to back up")
    if kind == "sqlite" and source is None:
        raise CommandError(
            "COUNTERSIGN_DATABASE_URL must name the SQLite file by its path, as sqlite:///countersign.db"
        )
    try:
        with archive.write(made, kind=kind, revision=revision, release=release, at=clock.now()) as contents:
            if source is not None:
                sqlite_copy.add(contents, source, beside=file.resolve().parent)
            else:
                postgres_copy.add(contents, engine)
    except (sqlite3.Error, psycopg.Error) as error:
        raise CommandError(f"the database cannot be copied: {str(error).splitlines()[0]}") from None
    return contents
