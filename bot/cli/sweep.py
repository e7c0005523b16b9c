"""`countersign sweep`: have the running worker look for what was missed."""

import click

from bot import clock
from bot.cli import database


@click.command(name="sweep")
def command() -> None:
    """Redeliver failed deliveries, check open pull requests that have no result, and compare pushes without a webhook.

    The server does this when it starts and every ten minutes, and looks for such pushes every six hours. This queues a full
    round at once.

    Exit codes: 0 queued, 2 the database cannot be used.
    """
    from bot import db
    from bot.flows import sweep
    from bot.jobs.durable import DurableEngine

    with database.opened() as opened, db.sessions(opened)() as session:
        # None: a full round.
        sweep.enqueue(session, DurableEngine(opened, executor_id="sweep"), since=None, at=clock.now())
    click.echo(
        "queued: the worker will look for failed deliveries, pull requests without a result and pushes without a webhook"
    )
