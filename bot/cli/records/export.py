"""`countersign export`: everything that is recorded, opened, in one file that only its owner may read."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import click

from bot import atomic_file, clock
from bot.cli import database
from bot.cli.command_error import file_access
from bot.cli.options import FILE, is_terminal, standard_output
from bot.cli.setting import vault


@click.command(name="export")
@click.option("--format", "form", type=click.Choice(("json", "csv")), default="json", show_default=True)
@click.option("--out", type=FILE, help="Write to this file, readable by its owner only.")
def command(form: str, out: Path | None) -> None:
    """Export all records, decrypted: people, signatures, companies, files, texts and the log.

    The JSON export is one exact object. The CSV export is a ZIP file with one table for each kind of record, for spreadsheets.
    It contains unencrypted names and addresses. Protect it like the key ring.

    Exit codes: 0 written, 2 the database, the key ring or the file cannot be used.
    """
    from bot import db
    from bot.records import export_files

    if out is None and form == "csv" and is_terminal(sys.stdout):
        raise click.UsageError("a ZIP file cannot be printed to a terminal: name a file with --out")
    keys = vault()  # Before the database: without a ring nothing can be decrypted.
    with database.opened() as opened:
        sessions = db.sessions(opened)
        catalog = database.catalog(sessions)
        with _file(out) as file, export_files.snapshot(sessions) as session:  # All tables as of one moment.
            if form == "csv":
                export_files.as_csv(session, keys, catalog, file, at=clock.now())
            else:
                # In pieces: memory holds no whole database.
                for piece in export_files.as_json(session, keys, catalog, at=clock.now()):
                    file.write(piece.encode())
    if out is not None:
        click.echo(f"wrote {out}: it contains unencrypted personal data", err=True)


@contextmanager
def _file(out: Path | None) -> Iterator[IO[bytes]]:
    if out is None:
        with standard_output() as shown:
            yield shown.buffer
            shown.buffer.flush()  # Else a full disk would show at Python's end alone.
        return
    # Whole or not at all, with mode 0600 from its first moment on: nothing in it is encrypted.
    with file_access("write", out), atomic_file.replacement(out, mode=atomic_file.PRIVATE_MODE) as made:
        yield made
