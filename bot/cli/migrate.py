"""`countersign migrate`: bring the database to the newest schema, forward only."""

import click

from bot.cli.setting import settings


@click.command(name="migrate")
def command() -> None:
    """Bring the database (COUNTERSIGN_DATABASE_URL) to the newest schema."""
    from sqlalchemy.exc import SQLAlchemyError  # noqa: PLC0415 - start-up time of the other commands

    import migrations  # noqa: PLC0415 - start-up time of the other commands
    from bot import db  # noqa: PLC0415 - start-up time of the other commands
    from bot.engine.durable import DurableEngine  # noqa: PLC0415 - start-up time of the other commands

    chosen = settings()
    engine = db.open_engine(chosen.database_url)
    try:
        before = migrations.current(engine)
        migrations.upgrade(engine)
        DurableEngine(engine, executor_id="migrate").prepare()
        after = migrations.current(engine)
    except SQLAlchemyError as error:
        raise click.UsageError(db.explain(error)) from None
    finally:
        engine.dispose()
    click.echo(f"database is at {after}" if before == after else f"database went from {before or 'empty'} to {after}")
