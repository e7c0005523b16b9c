"""`countersign deliveries`: what GitHub delivered, what became of it, and why not."""

from typing import Literal

import click

from bot.cli import database
from bot.cli.options import list_form, print_rows

_FIELDS = ("guid", "event", "received_at", "state", "attempts", "error")


@click.command(name="deliveries")
@click.option("--state", type=click.Choice(["received", "done", "failed"]), help="Only deliveries in this state.")
@list_form
def command(state: Literal["received", "done", "failed"] | None, form: str) -> None:
    """List the webhook deliveries, oldest first; attempts counts how often acting on one did not work.

    Exit codes: 0 listed, 2 the database cannot be used.
    """
    from bot.store import inbox

    with database.session() as session:
        print_rows(inbox.listed(session, state), _FIELDS, form)
