"""`countersign whitelist`: print what is public, from the database and from nothing else."""

from pathlib import Path

import click

from bot import clock


@click.command(name="whitelist")
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path), help="Write to this file instead of printing.")
def command(out: Path | None) -> None:
    """Print the public whitelist: logins with a signature in force, company domains, and the time of the last change."""
    body = _rendered()
    if out is None:
        click.echo(body, nl=False)
        return
    try:
        out.write_bytes(body)
    except OSError as error:
        raise click.UsageError(f"cannot write {out}: {error.strerror}") from None


def _rendered() -> bytes:
    """The same bytes as `GET /whitelist.json` would answer now."""
    from sqlalchemy.exc import SQLAlchemyError  # noqa: PLC0415 - start-up time of the other commands

    import migrations  # noqa: PLC0415 - start-up time of the other commands
    from agreements import whitelist  # noqa: PLC0415 - start-up time of the other commands
    from agreements.store import public  # noqa: PLC0415 - start-up time of the other commands
    from bot import db  # noqa: PLC0415 - start-up time of the other commands
    from bot.cli.setting import settings  # noqa: PLC0415 - start-up time of the other commands

    url = settings().database_url
    _refuse_missing_file(url)
    engine = db.open_engine(url)
    try:
        if migrations.current(engine) != migrations.newest():
            raise click.UsageError("the database is not at the newest schema: run `countersign migrate`")
        with db.sessions(engine)() as session:
            listing = public.listing(session, at=clock.now())
    except SQLAlchemyError as error:
        raise click.UsageError(db.explain(error)) from None
    finally:
        engine.dispose()
    return whitelist.render(listing.individuals, listing.domains, listing.updated)


def _refuse_missing_file(url: str) -> None:
    """Opening an SQLite file that is not there would make an empty one."""
    from sqlalchemy import make_url  # noqa: PLC0415 - start-up time of the other commands

    parsed = make_url(url)
    if parsed.drivername.startswith("sqlite") and parsed.database and not Path(parsed.database).exists():
        raise click.UsageError(f"there is no database at {parsed.database}: run `countersign migrate`")
