"""`countersign whitelist`: print what is public, from the database and the agreement texts alone."""

from pathlib import Path

import click

from bot import clock
from bot.cli import database
from bot.cli.options import FILE, write_out


@click.command(name="whitelist")
@click.option("--out", type=FILE, help="Write to this file instead of printing.")
@click.option("--logins", is_flag=True, help="Print logins only, without ids, for scripts that need it.")
def command(out: Path | None, *, logins: bool) -> None:
    """Print the public whitelist: logins and ids with a signature in force, company domains, the time of the last change.

    Set COUNTERSIGN_RULEBOOK as for the server: a company counts only if the text that it signed is known.
    If nothing has been recorded yet, that time is the beginning of 1970.

    Exit codes: 0 printed or written, 2 the database or the file cannot be used.
    """
    from agreements import whitelist
    from agreements.store import public_records
    from bot import db

    with database.opened() as engine:
        sessions = db.sessions(engine)
        accepted = database.catalog(sessions).accepted()  # A company counts by a text that is known.
        with sessions() as session:
            listing = public_records.listing(session, accepted=accepted, at=clock.now())
            if number := public_records.left_out(session, accepted, clock.now()):
                click.echo(
                    f"countersign: companies that are left out, as the text that they signed is not known here: {number};"
                    " set COUNTERSIGN_RULEBOOK as for the server",
                    err=True,
                )
    render = whitelist.render_logins if logins else whitelist.render
    # The same bytes as `GET /whitelist.json`, or `/CLA-whitelist.json`, would answer now.
    write_out(render(listing.individuals, listing.domains, listing.updated), out)
