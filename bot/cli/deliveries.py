"""`countersign deliveries`: what GitHub delivered, whether it was handled, and the last error."""

from types import SimpleNamespace
from typing import Literal

import click

from bot.cli import database
from bot.cli.options import list_form, print_rows

_STORED = ("guid", "event", "received_at", "state", "attempts", "error")
_ABOUT = ("repository", "number", "head")


@click.command(name="deliveries")
@click.option("--state", type=click.Choice(["received", "done", "failed"]), help="Only deliveries in this state.")
@list_form
def command(state: Literal["received", "done", "failed"] | None, form: str) -> None:
    """List the webhook deliveries, oldest first, with the pull request if there is one.

    attempts counts the failed attempts. For details, search the log for the guid.

    Exit codes: 0 listed, 2 the database cannot be used.
    """
    from bot.store import inbox
    from bot.webhook.events import of_stored

    with database.session() as session:
        # A delivery about no pull request has the same keys, each null.
        rows = (
            SimpleNamespace(
                **{name: getattr(row, name) for name in _STORED}, **(dict.fromkeys(_ABOUT) | of_stored(row.ids))
            )
            for row in inbox.listed(session, state)
        )
        print_rows(rows, (*_STORED, *_ABOUT), form)
