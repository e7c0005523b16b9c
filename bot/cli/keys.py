"""`countersign keys`: make the key ring for personal data, and name its keys without showing them."""

import os
from pathlib import Path

import click

from bot import clock
from bot.cli.mistake import Mistake


@click.group(name="keys")
def command() -> None:
    """Make and list the keys for personal data."""


@command.command(short_help="Make a new key.")
@click.option("--out", type=click.Path(path_type=Path), help="Write to this new file, readable by its owner only.")
@click.option("--id", "key_id", default="", help="Name of the key; default: today's date.")
def generate(out: Path | None, key_id: str) -> None:
    """Make a new key: one line of the form id:base64, for COUNTERSIGN_KEYS or the file that COUNTERSIGN_KEYS_FILE names.

    Keep it apart from the database and its backups. Without it nobody can read the records again.

    Exit codes: 0 made, 2 wrong usage, or the file is there already or cannot be written.
    """
    from agreements.vault import KeyRing, KeysInvalid  # noqa: PLC0415 - start-up time of the other commands

    try:
        line = KeyRing.generate(key_id or clock.now().date().isoformat())
    except KeysInvalid as error:
        raise click.UsageError(f"--id: {error}") from None
    if out is None:
        click.echo(line)
        return
    _write_new(out, line + "\n")
    click.echo(f"wrote a new key to {out}: set COUNTERSIGN_KEYS_FILE={out}", err=True)


@command.command(name="list", short_help="Print the ids of the key ring.")
def list_ids() -> None:
    """Print the ids of the key ring (COUNTERSIGN_KEYS), one a line, the current one first.

    Exit codes: 0 printed, 2 there is no key ring, or it is wrong.
    """
    from bot.cli.setting import key_ring  # noqa: PLC0415 - start-up time of the other commands

    for key_id in key_ring().ids:
        click.echo(key_id)


def _write_new(path: Path, text: str) -> None:
    """Create the file with mode 0600 from its first moment on; one that is there is never touched."""
    try:
        opened = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        raise Mistake(
            f"{path} is there already: a lost key ring cannot be made again, so it is not overwritten"
        ) from None
    except OSError as error:
        raise Mistake(f"cannot write {path}: {error.strerror}") from None
    with os.fdopen(opened, "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
