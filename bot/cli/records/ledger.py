"""`countersign ledger`: verify the log of the records and every row against it; print what outsiders need to hold us to it."""

import base64
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from bot.cli import database
from bot.cli.command_error import CommandError
from bot.cli.options import FILE, form_option, has_terminal, note_of, write_out
from bot.cli.setting import erasure_keys, key_ring

if TYPE_CHECKING:
    from agreements.store.integrity.verification import Tampered, VerificationResult


@click.group(name="ledger")
def command() -> None:
    """Verify the log, or print its latest signed root."""


@command.command(short_help="Verify the whole log, and every row of the records.")
@click.option(
    "--checkpoint",
    type=FILE,
    help="A checkpoint that you kept in another place. It shows whether the database was replaced by an older copy.",
)
@form_option()
def verify(checkpoint: Path | None, form: str) -> None:
    """Verify the whole log, and every row of the records against it.

    Checks every entry, every signed root, the signing key, the encrypted details of the entries, and whether any row was
    changed, removed or added. Entries about erased people are verified too; their details are no longer needed for it.

    Exit codes: 0 nothing was changed, 1 something was changed (the first bad entry is named), 2 wrong usage or input.
    """
    from agreements.ledger import NoteMisshapen
    from agreements.store.integrity.verification import Tampered

    kept = None if checkpoint is None else note_of(checkpoint)  # First: to verify the log takes long.
    try:
        found = _verified(kept)
    except NoteMisshapen as error:
        raise CommandError(f"{checkpoint}: {error}") from None
    except Tampered as tampered:
        what = {"verified": False, "entry": tampered.entry, "what": tampered.what, "more": tampered.more}
        click.echo(json.dumps(what) if form == "json" else _said(tampered))
        raise click.exceptions.Exit(1) from None
    click.echo(_plain_verified(found) if form == "json" else _fine(found))


@command.command(name="checkpoint", short_help="Print the latest signed root.")
@click.option("--out", type=FILE, help="Write to this file instead of printing.")
def print_checkpoint(out: Path | None) -> None:
    """Print the latest signed root, as on /checkpoint. Keep it where people who can write to the database cannot write.

    Exit codes: 0 printed or written, 1 nothing has been recorded yet, 2 the database or the file cannot be used.
    """
    from agreements.store.ledger import stored_ledger

    with database.session() as session:
        note = stored_ledger.newest(session)
    if note is None:
        click.echo("countersign: nothing has been recorded yet", err=True)
        raise click.exceptions.Exit(1)
    write_out(note.encode(), out)


@command.command(name="key", short_help="Print the public key of the log.")
def print_key() -> None:
    """Print the public key for verifying checkpoints, as tools for C2SP's signed notes take it.

    Exit codes: 0 printed, 1 nothing has been recorded yet, 2 the database or the key ring cannot be used.
    """
    from agreements.ledger import verifier_key
    from agreements.store.ledger import stored_ledger
    from agreements.vault import DecryptionFailed, Vault

    vault = Vault(key_ring())
    with database.session() as session:
        try:
            # The stored key alone proves nothing: it may have been replaced.
            public = stored_ledger.public_key(session, vault)
        except DecryptionFailed:
            raise CommandError(
                "the log's key does not belong to this key ring, or was replaced: run countersign ledger verify"
            ) from None
    if public is None:
        click.echo("countersign: nothing has been recorded yet", err=True)
        raise click.exceptions.Exit(1)
    click.echo(verifier_key(public))


def _verified(kept: str | None) -> "VerificationResult":
    from agreements.store.integrity.verification import size
    from bot import db
    from bot.records import log_verification
    from bot.store.logged_tables import TABLES

    keys = log_verification.Keys(key_ring(), erasure_keys())
    with database.opened() as engine:
        with db.sessions(engine)() as session:
            total = size(session, TABLES)  # For the bar alone.
        bars = click.progressbar(length=total, label="entries and rows", file=sys.stderr, hidden=not has_terminal())
        with bars as bar:
            return log_verification.verify(engine, keys, TABLES, kept=kept, done=bar.update)


def _fine(found: "VerificationResult") -> str:
    said = [f"verified {found.entries} entries, {found.rows} rows, root {_root(found)}"]
    if found.adopted:
        said.append(
            f"{found.adopted} of the entries are about rows that are older than the log (records.adopted): "
            "earlier changes to these rows cannot be detected"
        )
    if found.waiting:
        until = f" until {found.waiting_until:%Y-%m-%d %H:%M} UTC" if found.waiting_until else ""
        said.append(
            f"not verified: {found.waiting} rows written by an earlier release. The server adds them to the log{until}; "
            "countersign migrate does it at once"
        )
    return "\n".join(said)


def _said(tampered: "Tampered") -> str:
    where = "no entry" if tampered.entry is None else f"entry {tampered.entry}"
    more = f" (and {tampered.more} more)" if tampered.more else ""
    return f"{where}: {tampered.what}{more}"


def _plain_verified(found: "VerificationResult") -> str:
    result = {"entries": found.entries, "rows": found.rows, "root": _root(found), "adopted": found.adopted}
    if found.waiting:
        result["waiting"] = found.waiting
    return json.dumps({"verified": True, **result})


def _root(found: "VerificationResult") -> str:
    # In base64, as a checkpoint shows it.
    return base64.b64encode(bytes.fromhex(found.root)).decode()
