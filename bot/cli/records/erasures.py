"""`countersign erasures export`: the list of erasures to keep beside backups, so that a restore can repeat them."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from bot.cli import database
from bot.cli.command_error import file_access
from bot.cli.options import FILE, moment_option

if TYPE_CHECKING:
    from datetime import datetime


@click.group(name="erasures")
def command() -> None:
    """Export the erasures that were decided, to repeat them after a restore."""


@command.command(short_help="Export the list of erasures, to be kept beside the backups.")
@moment_option("--since", default=None, help="Only erasures since then: like 90m, 12h or 3d, or a date. Default: all.")
@click.option("--out", type=FILE, help="Write to this file, readable by its owner only, instead of printing.")
def export(since: "datetime | None", out: Path | None) -> None:
    """Export the erasures that were decided, as JSON: ids, account numbers and times, but no logins and no names.

    Run it after each backup, and keep the lists beside the backups. A backup from before an erasure still has the erased data:
    `countersign restore --erasures FILE` repeats the erasures of the newest list. It needs no key ring.

    Exit codes: 0 printed or written, 2 wrong usage, or the database or the file cannot be used.
    """
    from bot import atomic_file, clock
    from bot.records import erasure_list

    with database.session() as session:
        found = erasure_list.read(session, since=since, at=clock.now())
    text = erasure_list.dump(found)
    if out is None:
        click.echo(text, nl=False)  # The list ends its own last line.
        return
    # Whole or not at all: half a list would repeat some of the erasures alone.
    with file_access("write", out), atomic_file.replacement(out, mode=atomic_file.PRIVATE_MODE) as made:
        made.write(text.encode())
    click.echo(f"wrote {len(found.erasures)} erasures to {out}", err=True)
