"""`countersign migrate`: bring the database to the newest schema, forward only."""

from typing import TYPE_CHECKING

import click

from bot.cli import database
from bot.cli.command_error import CommandError
from bot.cli.setting import rulebook_path, settings, vault

if TYPE_CHECKING:
    from sqlalchemy import Engine


@click.command(name="migrate")
@click.option("--begin-log", is_flag=True, help="Add records that have no log to a new one, once.")
@click.option(
    "--after-rollback",
    is_flag=True,
    help="Add to the log what an earlier release wrote after you went back to it.",
)
def command(*, begin_log: bool, after_rollback: bool) -> None:
    """Migrate the database (COUNTERSIGN_DATABASE_URL) to the schema of this release.

    A database with a newer schema is not changed.

    An SQLite file from a release that did not overwrite deleted content is rewritten once. This needs free space for a second copy.

    A database with records but no log is refused: it may have been tampered with. If a release that kept no log wrote them,
    --begin-log adds them to a new log. This needs the key ring.

    What earlier releases left out is added once: codes, by which log entries count; people's rows in the log; the party of each
    agreement, from the page that was shown. This needs the key ring, too; without it the server does it. If you went back to such
    a release for more than a day, --after-rollback adds what it wrote.

    Exit codes: 0 migrated, 2 the database cannot be used, its schema is newer than this release, it has records but no log, its log
    was changed, or the key ring is missing.
    """
    import migrations
    from bot import vacuum
    from bot.jobs.durable import DurableEngine

    with database.opened(for_migration=True) as engine:
        before = migrations.current(engine)
        migrations.upgrade(engine)
        if problem := migrations.problem(engine):  # `upgrade` leaves a newer schema as it is.
            raise CommandError(problem)
        # A process that only stores jobs may come before the first server.
        DurableEngine(engine, executor_id="migrate").prepare()
        vacuum.rewrite(engine)  # Free pages of earlier releases may hold deleted content.
        after = migrations.current(engine)
        click.echo(_done(before, after))
        _about_the_log(engine, begin=begin_log)
        _about_codes(engine)
        _about_people(engine, anew=after_rollback)
        _about_parties(engine)


def _done(before: str | None, after: str | None) -> str:
    if before == after:
        return f"the database already has schema {after}"
    return (
        f"migrated the database from schema {before} to {after}"
        if before
        else f"made the database, with schema {after}"
    )


def _about_the_log(engine: "Engine", *, begin: bool) -> None:
    from agreements.store.integrity import upgrade
    from bot import db
    from bot.records.record_access import RecordAccess
    from bot.store.logged_tables import TABLES

    sessions = db.sessions(engine)
    with sessions() as session:
        if not upgrade.lacks_log(session, TABLES):
            return
    if not begin:  # Not unasked: the log may have been deleted to hide something.
        raise CommandError(upgrade.WITHOUT_LOG)
    with RecordAccess(sessions, vault()).change() as context:
        named = upgrade.adopt(context, TABLES)
    click.echo(f"existing rows added to the new log: {named}")


def _about_codes(engine: "Engine") -> None:
    from bot import db
    from bot.records import row_codes

    # Made here where entries of an older release have none.
    if settings().keys and (problem := row_codes.problem(db.sessions(engine), vault())):
        raise CommandError(problem)


def _about_people(engine: "Engine", *, anew: bool) -> None:
    from agreements.chain_verification import LogBroken
    from bot import db
    from bot.records.record_access import RecordAccess
    from bot.records.row_codes import LogUpgrade

    if not (settings().keys or anew):  # Without a key ring the server does it.
        return
    upgrade = LogUpgrade(RecordAccess(db.sessions(engine), vault()))
    try:
        rows = upgrade.take_in_anew() if anew else upgrade.take_in()
    except LogBroken as broken:  # Nothing is added to a log that was changed.
        raise CommandError(f"the log of records was changed ({broken}): run countersign ledger verify") from None
    if rows or anew:
        click.echo(f"rows of earlier releases added to the log: {rows}")


def _about_parties(engine: "Engine") -> None:
    from agreements.catalog import CatalogBroken
    from agreements.store import parties
    from bot import db, startup

    chosen = settings()
    with db.sessions(engine)() as session:
        left = parties.count(session)
    if not left:
        return
    rulebook_path()  # Its parties are among those that are tried.
    try:
        found = startup.derive_parties(engine, chosen) if chosen.keys else 0
    except CatalogBroken as error:
        raise CommandError(f"the agreement texts are not as released: {error}") from None
    if found:
        click.echo(f"agreements whose party was found by the page that was shown: {found}")
    if left > found:
        click.echo(
            f"agreements whose party is not known: {left - found}. They count for nobody until "
            + ("an administrator decides at /admin/parties" if chosen.keys else "the server has looked at them"),
            err=True,
        )
