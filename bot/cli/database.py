"""Opens the database for commands: it must exist, in a schema that this release can use; every error is one line."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from bot.cli.command_error import CommandError
from bot.cli.setting import key_ring, rulebook_path, settings

if TYPE_CHECKING:
    from sqlalchemy import Engine
    from sqlmodel import Session

    from agreements.catalog import Catalog
    from bot.db import Sessions


@contextmanager
def opened(*, for_migration: bool = False, any_ring: bool = False) -> "Iterator[Engine]":
    """The engine for COUNTERSIGN_DATABASE_URL, closed at the end. A CommandError is any error, also what no key opens.

    `for_migration` also takes an absent database, or another schema; `any_ring` is for what shows which keys it needs.
    """
    # Late, as in each command that uses a database: to load SQLAlchemy and the tables takes a second.
    from sqlalchemy.exc import SQLAlchemyError

    import migrations
    from agreements.vault import DecryptionFailed, KeyDestroyed
    from bot import db
    from bot.telemetry import logs

    logs.for_command()
    chosen = settings()
    file = chosen.database_file
    # SQLite makes an empty database of a file that is not there.
    if file is not None and not for_migration and not file.exists():
        raise CommandError(f"{missing(file)}, or run `countersign migrate` to make one")
    with db.opened(chosen.database_url) as engine:
        try:
            if not for_migration and (problem := migrations.problem(engine)):
                raise CommandError(problem)
            if chosen.keys and not for_migration:  # A migration may make the tables that are looked at.
                _look_at_erasure_keys(engine, chosen.erasure_keys_file)
                if not any_ring:
                    _look_at_key_ring(engine)
            yield engine
        except SQLAlchemyError as error:
            raise CommandError(db.explain_setting(error, chosen.database_file)) from None
        except KeyDestroyed as error:
            raise CommandError(
                f"{error}: COUNTERSIGN_ERASURE_KEYS_FILE must name the file that belongs to this database;"
                " records of erased people cannot be decrypted"
            ) from None
        except DecryptionFailed as error:
            raise CommandError(
                f"{error}: add the key that encrypted it to the key ring and run this again;"
                " `countersign ledger verify` finds what was changed"
            ) from None


def missing(file: Path) -> str:
    """The words for a file of SQLite's that is not there: the command may run in another folder than the server."""
    return f"there is no database at {file}: set COUNTERSIGN_DATABASE_URL to the server's"


@contextmanager
def session() -> "Iterator[Session]":
    """One transaction on that database."""
    from bot import db

    with opened() as engine, db.sessions(engine)() as found:
        yield found


def catalog(sessions: "Sessions") -> "Catalog":
    """The program's texts, those beside the rulebook file, those released in the portal. Raises CommandError."""
    from agreements.catalog import CatalogBroken
    from bot.records.agreement_texts import Library
    from bot.rulebook import text_files

    try:
        return Library(text_files.beside(rulebook_path()), sessions)()
    except CatalogBroken as error:
        raise CommandError(f"the agreement texts are not as released: {error}") from None


def _look_at_erasure_keys(engine: "Engine", file: Path | None) -> None:
    from bot import db
    from bot.records import erasure_keys

    # Without their file, what is written of new people would have no such key.
    with db.sessions(engine)() as session:
        problem = erasure_keys.check(file, session, lambda said: click.echo(f"countersign: {said}", err=True))
    if problem:
        raise CommandError(problem)


def _look_at_key_ring(engine: "Engine") -> None:
    from agreements.vault import Vault
    from bot.backup import database_match

    # With another ring, what is read would be missing, and what is written unreadable.
    with engine.connect() as connection:
        problem = database_match.problem(connection, Vault(key_ring()))
    if problem:
        raise CommandError(problem)
