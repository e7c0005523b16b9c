"""`countersign restore FILE`: a backup back into an empty place, with its log verified."""

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import click

from bot.cli import database
from bot.cli.command_error import CommandError, file_access
from bot.cli.options import FILE
from bot.cli.setting import erasure_keys, key_ring, settings

if TYPE_CHECKING:
    from agreements.store.integrity.verification import VerificationResult
    from bot.backup.archive import Archive


@click.command(name="restore")
@click.argument("file", type=FILE)
def command(file: Path) -> None:
    """Restore a backup into the database of COUNTERSIGN_DATABASE_URL, which must be empty.

    COUNTERSIGN_KEYS must be the key ring of the database that was backed up. This and the checksums are verified before
    anything is written. Then the database is migrated to the schema of this release, and its log is verified.
    You can restore a backup of SQLite into PostgreSQL.

    Afterwards everyone has to sign in again. When the server starts, it catches up with what happened at GitHub since
    the backup.

    Exit codes: 0 restored and verified, 1 restored, but the log or a row was changed (the first bad entry is named),
    2 wrong usage, no whole backup, not an empty place, or the database or the key ring cannot be used.
    """
    from agreements.store.integrity.verification import Tampered
    from bot.backup import archive

    key_ring()  # without it nothing could be verified: said before anything is written
    try:
        with ExitStack() as stack:
            with file_access("read", file):
                backup = stack.enter_context(archive.opened(file))
            found = _restored(backup)
    except archive.BackupInvalid as error:
        raise CommandError(f"{file}: {error}") from None
    except Tampered as tampered:
        where = "no entry" if tampered.entry is None else f"entry {tampered.entry}"
        click.echo(f"restored, but the log does not verify: {where}: {tampered.what}")
        raise click.exceptions.Exit(1) from None
    manifest = backup.manifest
    click.echo(
        f"restored {manifest.rows:,} rows of {manifest.made_at[:19]}Z; verified {found.entries} entries, {found.rows} rows of the log"
    )


def _restored(backup: "Archive") -> "VerificationResult":
    from bot import db
    from bot.records import row_codes, verification
    from bot.store.logged_tables import TABLES

    _fill(backup)
    keys = verification.Keys(key_ring(), erasure_keys())
    with database.opened() as engine:
        found = verification.verify(engine, keys, TABLES)
        row_codes.make(db.sessions(engine), keys.vault)
        return found


def _fill(backup: "Archive") -> None:
    import psycopg
    from sqlalchemy.exc import SQLAlchemyError

    from agreements.vault import Vault
    from bot import db
    from bot.backup import restoration
    from bot.server import file_lock

    chosen = settings()
    with db.opened(chosen.database_url) as engine:
        try:
            with file_lock.only_process(chosen.database_file):
                restoration.restore(backup, engine, chosen.database_file, Vault(key_ring()))
        except (restoration.NotRestored, file_lock.DatabaseLocked) as error:
            raise CommandError(str(error)) from None
        except SQLAlchemyError as error:
            raise CommandError(db.explain(error, chosen.database_file)) from None
        except psycopg.Error as error:
            raise CommandError(f"the database cannot be used: {str(error).splitlines()[0]}") from None
        except OSError as error:
            raise CommandError(f"cannot write {chosen.database_file}: {error.strerror}") from None
