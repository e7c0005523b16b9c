"""`countersign restore FILE`: a backup back into an empty place: compared with a checkpoint, its erasures repeated, its log verified."""

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from bot import clock
from bot.cli import database
from bot.cli.command_error import CommandError, file_access
from bot.cli.options import FILE, note_of, text_of
from bot.cli.setting import erasure_keys, key_ring, settings

if TYPE_CHECKING:
    from agreements.vault import Vault
    from bot.backup.archive import Archive, Manifest
    from bot.backup.database_match import CheckpointMatch, Query
    from bot.db import Sessions
    from bot.jobs.durable import DurableEngine
    from bot.records.erasure_list import ErasureList, RepeatedErasures


@dataclass(slots=True)
class _Kept:
    """Kept beside the backup: a `checkpoint` and its `note`, a `list_file` and its `erasures`.

    Filled by the restore: the `match` with the checkpoint, the `repeated` erasures, the number of `tokens` that were ended.
    """

    checkpoint: Path | None
    note: str
    list_file: Path | None
    erasures: "ErasureList | None"
    match: "CheckpointMatch | None" = field(default=None)
    repeated: "RepeatedErasures | None" = field(default=None)
    tokens: int = 0

    @property
    def is_contained(self) -> bool:
        """Whether the log holds all that the checkpoint signed."""
        return self.match is not None and not self.match.missing


@click.command(name="restore")
@click.argument("file", type=FILE)
@click.option("--checkpoint", type=FILE, help="A checkpoint that you kept, to compare the log of the backup with.")
@click.option(
    "--erasures", "listed", type=FILE, help="The newest list of `countersign erasures export`, to repeat its erasures."
)
def command(file: Path, checkpoint: Path | None, listed: Path | None) -> None:
    """Restore a backup into the database of COUNTERSIGN_DATABASE_URL, which must be empty.

    COUNTERSIGN_KEYS must be the key ring of the database that was backed up, and COUNTERSIGN_ERASURE_KEYS_FILE its erasure
    keys, if it has any. These and the checksums are verified first. The database is restored whole, in the schema of this
    release, or not at all. Then its log is verified. You can restore a backup of SQLite into PostgreSQL.

    Erasures since the backup are undone by it. With --erasures they are repeated before anything else: what the list names
    is deleted or restricted again, and the log says so. No e-mail is sent for it.

    With --checkpoint, a backup whose log contradicts the checkpoint is not restored. One that is older than the checkpoint
    is: you are told how many entries it lacks.

    Everyone has to sign in again, and all API tokens are revoked. When the server starts, it catches up with GitHub.

    Exit codes: 0 restored and verified; 1 not restored because the log contradicts the checkpoint, or restored, but the log or
    a row was changed (the first bad entry is named) or an erasure was not repeated; 2 wrong usage, no whole backup, not an
    empty place, or the database, the key ring, the checkpoint or the list cannot be used.
    """
    from bot.backup import archive, database_match

    key_ring()  # Without it nothing could be verified: said before anything is written
    kept = _Kept(checkpoint, note_of(checkpoint) if checkpoint else "", listed, _list(listed) if listed else None)
    try:
        with ExitStack() as stack:  # Its `OSError` is the file's; a later one is the database's.
            with file_access("read", file):
                backup = stack.enter_context(archive.opened(file))
            _fill(backup, kept)
    except archive.BackupInvalid as error:
        raise CommandError(f"{file}: {error}") from None
    except database_match.OtherLog as other:
        click.echo(f"not restored: {checkpoint} and the log of the backup contradict each other: {other}")
        raise click.exceptions.Exit(1) from None
    is_verified = _verify(backup.manifest, kept)
    _tell_age(backup.manifest)
    _tell_checkpoint(kept.match)
    _tell_access(kept.tokens)
    _tell_erasures(backup.manifest.moment, kept)
    if not is_verified or (kept.repeated and kept.repeated.refused):
        raise click.exceptions.Exit(1)


def _list(file: Path) -> "ErasureList":
    from bot.records import erasure_list

    try:
        return erasure_list.parse(text_of(file))
    except erasure_list.ErasureListInvalid as error:
        raise CommandError(f"{file}: {error}") from None


def _fill(backup: "Archive", kept: _Kept) -> None:
    import sqlite3

    import psycopg
    from sqlalchemy.exc import SQLAlchemyError

    from agreements.vault import DecryptionFailed, Vault
    from bot import db
    from bot.backup import restoration
    from bot.server import file_lock

    # Whether the ring is right is asked without the erasure keys, which are looked at by themselves.
    chosen, ring, vault = settings(), Vault(key_ring()), Vault(key_ring(), erasure_keys=erasure_keys())
    with db.opened(chosen.database_url) as engine:
        try:
            with file_lock.only_process(chosen.database_file):  # A server on this file holds it.
                look, finish = _comparison(backup.manifest, kept), partial(_finish, vault, kept)
                restoration.restore(backup, engine, chosen.database_file, ring, look, finish)
        except (restoration.NotRestored, file_lock.DatabaseLocked) as error:
            raise CommandError(str(error)) from None
        except DecryptionFailed as error:
            raise CommandError(f"nothing was restored: the backup was changed, or keys are missing: {error}") from None
        except SQLAlchemyError as error:
            raise CommandError(db.explain_setting(error, chosen.database_file)) from None
        except (sqlite3.Error, psycopg.Error) as error:
            raise CommandError(f"the database cannot be used: {str(error).splitlines()[0]}") from None
        except OSError as error:  # What was opened is named; a full disk names no file.
            raise CommandError(f"cannot use {error.filename or chosen.database_file}: {error.strerror}") from None


def _finish(vault: "Vault", kept: _Kept, sessions: "Sessions", jobs: "DurableEngine") -> None:
    """End in the copy what must not come back, before a server can find it."""
    from bot.records import erasure_list, row_codes
    from bot.records.erasure import Erasures
    from bot.records.record_access import RecordAccess
    from bot.store import tokens

    chosen = settings()
    row_codes.made(sessions, vault)  # Entries of an older release have none.
    records = RecordAccess(sessions, vault, url=chosen.url)
    with records.change() as context:
        kept.tokens = tokens.revoke_all(context)
    if kept.erasures:
        erasing = Erasures(records=records, engine=jobs, years=chosen.retention_years)
        kept.repeated = erasure_list.repeat(erasing, kept.erasures)


def _comparison(manifest: "Manifest", kept: _Kept) -> "Callable[[Query], None]":
    from agreements.ledger import NoteMisshapen
    from bot.backup import database_match

    # Before the copy is committed: then nothing is restored.
    def look(query: "Query") -> None:
        _look_at_erasure_keys(database_match.people_with_erasure_keys(manifest.tables, query), kept)
        if kept.erasures and kept.erasures.erasures:  # An empty list fits every log.
            try:
                database_match.check_log_name(kept.erasures.log, manifest.tables, query)
            except database_match.OtherLog as other:
                raise CommandError(f"{kept.list_file}: {other}, so nothing was restored") from None
        if kept.checkpoint:
            try:
                kept.match = database_match.compare(kept.note, manifest.tables, query)
            except NoteMisshapen as error:
                raise CommandError(f"{kept.checkpoint}: {error}") from None

    return look


def _look_at_erasure_keys(needing: frozenset[str], kept: _Kept) -> None:
    from agreements.store.erasures import RESTRICTED
    from bot.records import erasure_keys

    # The keys of these were destroyed, so the right file lacks them.
    listed = kept.erasures.erasures if kept.erasures else ()
    gone = {erasure.person_id for erasure in listed if erasure.state != RESTRICTED}
    problem = erasure_keys.problem_for(
        settings().erasure_keys_file,
        needing - gone,
        lambda said: click.echo(f"countersign: {said}", err=True),
        serving=False,
    )
    if problem:
        raise CommandError(f"nothing was restored: {problem}")


def _verify(manifest: "Manifest", kept: _Kept) -> bool:
    from agreements.store.integrity.verification import Tampered
    from bot.records import log_verification
    from bot.store.logged_tables import TABLES

    # A note that the log does not reach yet cannot be verified against it: `compare` has said so.
    ring, note = log_verification.Keys(key_ring(), erasure_keys()), kept.note if kept.is_contained else None
    try:
        with database.opened() as engine:
            found = log_verification.verify(engine, ring, TABLES, kept=note)
    except Tampered as tampered:
        where = "no entry" if tampered.entry is None else f"entry {tampered.entry}"
        click.echo(f"restored, but the log does not verify: {where}: {tampered.what}")
        return False
    except CommandError as error:  # Exit code 2 would say that nothing was restored.
        click.echo(f"restored, but the log was not verified: {error.format_message()}")
        return False
    click.echo(
        f"restored {manifest.rows:,} rows of {manifest.moment:%Y-%m-%dT%H:%M:%SZ};"
        f" verified {found.entries} entries, {found.rows} rows of the log"
    )
    return True


def _tell_age(manifest: "Manifest") -> None:
    days = (clock.now() - manifest.moment).days
    age = "today" if days < 1 else f"{days} day{'s' if days > 1 else ''} ago"
    click.echo(f"the backup was made at {_said(manifest.moment)}, {age}: what was recorded later is not in it")


def _tell_checkpoint(match: "CheckpointMatch | None") -> None:
    if match is None:
        return
    if match.missing:
        click.echo(
            f"the log is behind the checkpoint: it has {match.entries} entries, and the checkpoint counts {match.kept}, so"
            f" {match.missing} are missing, because the backup is older; the same key signed both"
        )
    else:
        click.echo(f"the log contains all {match.kept} entries that the checkpoint counts")


def _tell_access(ended: int) -> None:
    if ended:
        click.echo(f"revoked {ended} API tokens, as any may have been revoked since: make new ones at /admin/tokens")
    click.echo(
        "what ended since then counts again: agreements that were withdrawn or revoked, and people, managers and domains that"
        " companies removed; end it again"
    )


def _tell_erasures(made: datetime, kept: _Kept) -> None:
    from agreements.store.erasures import DELETED, RESTRICTED, SHREDDED

    listed, repeated = kept.erasures, kept.repeated
    if listed is None or repeated is None:
        click.echo(
            f"erasures decided after {_said(made)} are undone. To repeat them, restore the backup again into an empty place, with"
            " --erasures and the newest list of `countersign erasures export`, or decide them again at /admin/erasures"
        )
        return
    counts = {"deleted": DELETED, "restricted": RESTRICTED, "keys destroyed": SHREDDED}
    said = [f"{repeated.count(state)} {what}" for what, state in counts.items() if repeated.count(state)]
    details = ", ".join([*said, f"{repeated.known} already in the backup"])
    click.echo(f"repeated {repeated.repeated} of {len(listed.erasures)} erasures of the list; {details}")
    if repeated.absent:
        click.echo(f"accounts that this backup does not know, of the erasures {', '.join(repeated.absent)}")
    for erasure_id, reason in repeated.refused.items():
        click.echo(f"not repeated: {erasure_id}: {_REFUSED[reason]}")
    # The list may be older than the backup, which has the erasures of its time.
    click.echo(f"erasures decided after {_said(max(made, listed.exported_at))} are not in the list")
    if listed.since and listed.since > made:
        click.echo(f"the list begins at {_said(listed.since)}: erasures between the backup and then are undone")


_REFUSED = {
    "decided": "the backup has another request with this id",
    "kept": "the backup has evidence of this account, and no person: decide it at /admin/erasures",
    "unreadable": "what the backup has of this person was changed and cannot be decrypted",
    "no-key": "COUNTERSIGN_ERASURE_KEYS_FILE has no key of this person: restore again with the file that belongs to this"
    " database, or with a newer list if a later erasure destroyed the key",
}


def _said(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d %H:%M:%S} UTC"
