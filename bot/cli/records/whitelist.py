"""`countersign whitelist`: print what is public, from the database and from nothing else."""

from pathlib import Path

import click

from bot import clock
from bot.cli import database
from bot.cli.mistake import Mistake


@click.command(name="whitelist")
@click.option("--out", type=click.Path(path_type=Path), help="Write to this file instead of printing.")
@click.option("--logins", is_flag=True, help="Only logins, without ids, for scripts that expect them so.")
def command(out: Path | None, *, logins: bool) -> None:
    """Print the public whitelist: logins and ids with a signature in force, company domains, the time of the last change.

    As long as nothing was recorded, that time is the beginning of 1970.

    Exit codes: 0 printed or written, 2 the database or the file cannot be used.
    """
    body = _rendered(logins=logins)
    if out is None:
        click.echo(body, nl=False)
        return
    try:
        out.write_bytes(body)
    except OSError as error:
        raise Mistake(f"cannot write {out}: {error.strerror}") from None


def _rendered(*, logins: bool) -> bytes:
    """The same bytes as `GET /whitelist.json`, or `/CLA-whitelist.json`, would answer now."""
    from agreements import whitelist
    from agreements.store import public_records
    from bot import db

    with database.opened() as engine, db.sessions(engine)() as session:
        listing = public_records.listing(session, at=clock.now())
    render = whitelist.render_logins if logins else whitelist.render
    return render(listing.individuals, listing.domains, listing.updated)
