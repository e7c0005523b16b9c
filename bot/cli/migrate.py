"""`countersign migrate`: bring the database to the newest schema, forward only."""

import click

from bot.cli import database


@click.command(name="migrate")
def command() -> None:
    """Bring the database (COUNTERSIGN_DATABASE_URL) to the newest schema.

    Exit codes: 0 it is there, 2 the database cannot be used.
    """
    import migrations  # noqa: PLC0415 - start-up time of the other commands
    from bot.engine.durable import DurableEngine  # noqa: PLC0415 - start-up time of the other commands

    with database.opened(for_migration=True) as engine:
        before = migrations.current(engine)
        migrations.upgrade(engine)
        DurableEngine(engine, executor_id="migrate").prepare()
        after = migrations.current(engine)
    click.echo(f"database is at {after}" if before == after else f"database went from {before or 'empty'} to {after}")
