"""`countersign redeliver`: have GitHub send again what did not reach us."""

from datetime import datetime

import click

from bot import clock
from bot.cli import database, github_app
from bot.cli.options import moment_option


@click.command(name="redeliver")
@moment_option("--since", default="3d", help="How far back: like 90m, 12h or 3d, or a date.")
def command(since: datetime) -> None:
    """Ask GitHub to redeliver failed webhook deliveries. GitHub keeps them for three days.

    Skips deliveries that arrived later, and events that Countersign does not use. Includes those that
    the sweep gave up after five refusals. One run redelivers at most 500.

    Exit codes: 0 done, 2 wrong settings, or GitHub or the database is unavailable.
    """
    from bot import db
    from bot.flows import redelivery

    with database.opened() as opened, github_app.connected() as hub:
        sent, failed = redelivery.redeliver(hub, db.sessions(opened), since=since, at=clock.now(), with_refused=True)
    click.echo(f"{sent} of {failed} failed deliver{'y' if failed == 1 else 'ies'} will be sent again")
    if sent < min(failed, redelivery.MAX_REDELIVERED):  # Else all were sent, or the limit was reached.
        click.echo("Skipped: what arrived later, what Countersign does not use, and what GitHub no longer sends.")
