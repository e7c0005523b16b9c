"""`countersign deliveries`: what GitHub delivered, what became of it, and why not."""

import json
from typing import Literal

import click

from bot.cli import database


@click.command(name="deliveries")
@click.option("--state", type=click.Choice(["received", "done", "failed"]), help="Only deliveries in this state.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["json", "text"]),
    default="json",
    show_default=True,
    help="json: one object a line; text: one line each, fields apart by tabs.",
)
def command(state: Literal["received", "done", "failed"] | None, form: Literal["json", "text"]) -> None:
    """List the webhook deliveries, oldest first."""
    from bot import db  # noqa: PLC0415 - start-up time of the other commands
    from bot.store import inbox  # noqa: PLC0415 - start-up time of the other commands

    with database.opened() as engine, db.sessions(engine)() as session:
        for delivery in inbox.listed(session, state):
            shown = {
                "guid": delivery.guid,
                "event": delivery.event,
                "received_at": delivery.received_at.isoformat().replace("+00:00", "Z"),
                "state": delivery.state,
                "attempts": delivery.attempts,
                "error": delivery.error,
            }
            click.echo(json.dumps(shown) if form == "json" else "\t".join(str(shown[key] or "") for key in shown))
