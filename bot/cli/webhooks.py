"""`countersign webhooks`: lists outgoing webhooks, and sends them again."""

from typing import TYPE_CHECKING

import click

from bot import clock
from bot.cli import database
from bot.cli.options import check_ids, check_queued, list_form, print_rows

if TYPE_CHECKING:
    from bot.store.outgoing_webhooks import State

_FIELDS = ("id", "endpoint", "event", "state", "attempts", "made_at", "sent_at", "error")


@click.group(name="webhooks")
def command() -> None:
    """List and resend outgoing webhooks."""


@command.command(name="list", short_help="List outgoing webhooks.")
@click.option("--state", type=click.Choice(["waiting", "sent", "failed"]), help="Only webhooks in this state.")
@list_form
def list_webhooks(state: "State | None", form: str) -> None:
    """List outgoing webhooks, oldest first, for 30 days; attempts counts how often each was tried.

    Payloads and endpoint addresses are not shown.

    Exit codes: 0 listed, 2 the database cannot be used.
    """
    from bot.store.outgoing_webhooks import QUEUE

    with database.session() as session:
        print_rows(QUEUE.listed(session, state), _FIELDS, form)


@command.command(short_help="Resend webhooks.")
@click.argument("webhooks", metavar="ID…", nargs=-1, required=True)
def again(webhooks: tuple[str, ...]) -> None:
    """Queue sent or failed webhooks again. The server sends them within seconds, with the same ids.

    Exit codes: 0 queued, 2 a webhook does not exist or is already waiting, or the database cannot be used.
    """
    from bot.store import outgoing_webhooks

    check_ids(webhooks, "a webhook", "countersign webhooks list")
    with database.session() as session:
        queued = outgoing_webhooks.again(session, webhooks, at=clock.now())
        check_queued(webhooks, queued, "sent or failed webhooks")
    click.echo(f"{len(queued):,} queued")
