"""`countersign deliveries`: what GitHub delivered, what became of it, and why not."""

import json
from typing import Literal

import click

from bot.cli import database

_FIELDS = ("guid", "event", "received_at", "state", "attempts", "error")


@click.command(name="deliveries")
@click.option("--state", type=click.Choice(["received", "done", "failed"]), help="Only deliveries in this state.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["json", "text"]),
    default="json",
    show_default=True,
    help="json: one object a line; text: the same fields apart by tabs, their names first.",
)
def command(state: Literal["received", "done", "failed"] | None, form: Literal["json", "text"]) -> None:
    """List the webhook deliveries, oldest first; attempts counts how often acting on one did not work.

    Exit codes: 0 listed, 2 the database cannot be used.
    """
    from bot import db
    from bot.store import inbox

    with database.opened() as engine, db.sessions(engine)() as session:
        if form == "text":
            click.echo("\t".join(_FIELDS))
        for delivery in inbox.listed(session, state):
            shown = {name: getattr(delivery, name) for name in _FIELDS}
            shown["received_at"] = delivery.received_at.isoformat().replace("+00:00", "Z")
            values = ("" if value is None else str(value) for value in shown.values())
            click.echo(json.dumps(shown) if form == "json" else "\t".join(values))
