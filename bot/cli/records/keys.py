"""`countersign keys`: make the key ring for personal data, exchange its current key, name its keys without showing them."""

import os
import sys
import time
from collections.abc import Iterable
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING

import click

from bot import clock
from bot.cli.command_error import CommandError, file_access
from bot.cli.options import FILE, has_terminal, list_form, print_rows

if TYPE_CHECKING:
    from agreements.vault import KeyRing
    from bot.records.key_rotation import RotatedRows


@click.group(name="keys")
def command() -> None:
    """Generate, rotate and list the keys for personal data."""


@command.command(short_help="Generate a new key.")
@click.option("--out", type=FILE, help="Write to this new file, readable by its owner only.")
@click.option("--id", "key_id", default="", help="Name of the key; default: today's date and six random digits.")
def generate(out: Path | None, key_id: str) -> None:
    """Generate a new key, one line of the form id:base64, for COUNTERSIGN_KEYS or the file in COUNTERSIGN_KEYS_FILE.

    Keep it apart from the database and its backups. Without it, nobody can read the records.

    Exit codes: 0 generated, 2 wrong usage, or the file already exists or cannot be written.
    """
    from agreements.vault import KeyRing, KeysInvalid

    try:
        line = KeyRing.generate(key_id or _new_id())
    except KeysInvalid as error:
        raise click.UsageError(f"--id: {error}") from None
    if out is None:
        click.echo(line)
        return
    _write_new(out, line + "\n")
    click.echo(f"wrote a new key to {out}: set COUNTERSIGN_KEYS_FILE={out}", err=True)


@command.command(name="list", short_help="Print the ids of the key ring.")
@click.option("--used", is_flag=True, help="Count the values in the database that each key encrypts.")
@list_form
def list_ids(form: str, *, used: bool) -> None:
    """List the ids of the keys in the key ring (COUNTERSIGN_KEYS), the current one first.

    With --used, values says how many values in the database are encrypted with the key. You can remove a key
    that has none from the ring when no backup needs it any more. Keys that the ring lacks are listed, too (in_ring).

    Exit codes: 0 printed, 2 there is no key ring, it is wrong, or the database cannot be used.
    """
    from bot.cli.setting import key_ring

    ring = key_ring()
    counted = _counted() if used else {}  # Without --used no database is needed.
    # Also keys that the ring lacks: what they encrypt cannot be read.
    ids = (*ring.ids, *sorted(set(counted) - set(ring.ids)))
    rows = (SimpleNamespace(id=key_id, values=counted.get(key_id, 0), in_ring=key_id in ring.ids) for key_id in ids)
    print_rows(rows, ("id", "values", "in_ring") if used else ("id",), form)


@command.command(short_help="Rotate the current key while the server runs.")
@click.option("--id", "key_id", default="", help="Name of the new key; default: today's date and six random digits.")
def rotate(key_id: str) -> None:
    """Rotate the current key and move every record to the new one. The server can keep running. If interrupted, run it again: it resumes.

    With COUNTERSIGN_KEYS_FILE, the new key is added at the top of that file. Running processes load it within seconds,
    and the records are moved once all of them have it.

    With COUNTERSIGN_KEYS, first add the key at the beginning yourself and restart the server. Then run this command to
    move the records.

    If COUNTERSIGN_ERASURE_KEYS_FILE is set, each person who has no erasure key yet gets one.

    Older keys stay in the ring, because older backups need them. `keys list --used` shows which keys the database
    still uses.

    Exit codes: 0 everything is encrypted with the current key, 2 there is no key ring, the file or the database cannot be used, or
    a running process does not have the key.
    """
    from agreements.vault import Vault
    from bot import db
    from bot.cli import database
    from bot.cli.setting import erasure_keys, key_ring
    from bot.records import key_rotation

    ring = key_ring()
    with database.opened() as engine:
        sessions = db.sessions(engine)
        try:
            # A rotation that was interrupted is ended first, without a further key.
            if not key_rotation.unmoved(sessions, Vault(ring)):
                ring = _with_new_key(ring, key_id)
            vault = Vault(ring, erasure_keys=erasure_keys())
            key_rotation.wait_for_holders(sessions, vault, clock.now, time.sleep)  # All must open what is moved.
            _moved(key_rotation.move(sessions, vault), key_rotation.unmoved(sessions, vault))
        except key_rotation.NotRotated as error:
            raise CommandError(str(error)) from None
        except OSError as error:
            raise CommandError(f"COUNTERSIGN_ERASURE_KEYS_FILE: cannot write it: {error.strerror}") from None
    click.echo(
        f"everything is encrypted with the key {vault.ids[0]}; keep the older keys for as long as backups need them"
    )


def _with_new_key(ring: "KeyRing", key_id: str) -> "KeyRing":
    from agreements.vault import KeyRing, KeysInvalid
    from bot.cli.setting import settings
    from bot.records import key_rotation

    file = settings().keys_file
    if key_id in ring.ids:
        raise click.UsageError(f"--id: the key ring already has a key {key_id!r}")
    if file is None:
        raise CommandError(
            "everything is encrypted with the current key of COUNTERSIGN_KEYS; for a new one, run `countersign keys generate`,"
            " put its line first in COUNTERSIGN_KEYS, restart the server and run this again"
        )
    try:
        with file_access("write", file):
            return key_rotation.add_key(file, ring, KeyRing.generate(key_id or _new_id()))
    except KeysInvalid as error:
        raise click.UsageError(f"--id: {error}") from None


def _new_id() -> str:
    from agreements.vault import KeyRing

    return KeyRing.new_id(clock.now().date().isoformat())  # Two keys of a day differ by random digits.


def _moved(lots: "Iterable[RotatedRows]", total: int) -> None:
    counts: dict[str, int] = {}
    with click.progressbar(length=total, label="data keys", file=sys.stderr, hidden=not has_terminal()) as bar:
        for lot in lots:
            counts[lot.step] = counts.get(lot.step, 0) + lot.rows
            bar.update(lot.rows)
    for step, rows in counts.items():
        if rows:
            click.echo(f"{step}: {rows}", err=True)


def _counted() -> dict[str, int]:
    from bot import db
    from bot.cli import database
    from bot.records import key_rotation

    with database.opened(any_ring=True) as engine:  # The ring may lack the very key that is looked for.
        return key_rotation.held(db.sessions(engine))


def _write_new(path: Path, text: str) -> None:
    # O_EXCL: a key ring that is there is never touched. Mode 0600 holds from the first moment on.
    try:
        opened = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        raise CommandError(
            f"{path} already exists; it is not overwritten, because a lost key ring cannot be replaced"
        ) from None
    except OSError as error:
        raise CommandError(f"cannot write {path}: {error.strerror}") from None
    try:
        with os.fdopen(opened, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())  # Records may be encrypted by this key at once.
    except OSError as error:  # Half a key is none, and would stop the next try.
        path.unlink(missing_ok=True)
        raise CommandError(f"cannot write {path}: {error.strerror}") from None
