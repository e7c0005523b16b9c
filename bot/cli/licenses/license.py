"""`countersign license`: does one licence go into another, which licence a text is, and newer data for that."""

from pathlib import Path

import click

from bot.cli import Commands
from bot.cli.command_error import CommandError, file_access
from bot.cli.options import FILE

_PLACES = {  # Each is imported when it is called.
    "check": "bot.cli.licenses.compatibility:check",
    "detect": "bot.cli.licenses.detect:detect_files",
    "headers": "bot.cli.licenses.headers:headers",
    "outbound": "bot.cli.licenses.compatibility:outbound",
    "refresh": "bot.cli.licenses.license:refresh",
}


@click.group(name="license", cls=Commands, places=_PLACES)
def command() -> None:
    """Check licence compatibility, and identify licences by their texts."""


@click.command(short_help="Update the licence data.")
@click.argument("file", type=FILE)
def refresh(file: Path) -> None:
    """Install FILE, a newer `matrixseqexpl.json` from OSADL, at COUNTERSIGN_LICENSE_DATA.

    Exit codes: 0 installed, 2 it is not such a file, it is older than the data in use, or it cannot be written.
    """
    from audit.licenses.osadl import MatrixInvalid, shipped
    from bot.cli.setting import settings
    from bot.licenses import matrix_file

    path = settings().license_data
    try:
        before = matrix_file.current(path)
    except (MatrixInvalid, OSError):
        before = shipped()  # What is there is no good and makes room
    try:
        with file_access("read", file):
            found = matrix_file.read_newer(file, before)
    except MatrixInvalid as error:
        raise CommandError(f"{file}: {error}") from None
    with file_access("write", path):
        matrix_file.store(path, found.packed)  # OSADL's own file has four million bytes.
    added = f", new: {', '.join(found.licenses)}" if found.licenses else ""
    click.echo(
        f"wrote {path}: OSADL's matrix of {found.matrix.date}, {len(found.matrix.names)} licences{added};"
        f" {found.changed} answers changed since {before.date}"
    )
