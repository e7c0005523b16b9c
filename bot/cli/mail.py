"""`countersign mail`: what is in the outbox, and what a letter says that was not sent."""

import json
from datetime import datetime
from typing import TYPE_CHECKING

import click

from bot.cli import database
from bot.cli.mistake import Mistake

if TYPE_CHECKING:
    from bot.store.outbox import Mail, State

_FIELDS = ("id", "kind", "state", "attempts", "made_at", "sent_at", "error")


@click.group(name="mail")
def command() -> None:
    """List the outbox, and read letters that were not sent."""


@command.command(name="list", short_help="Print the letters of the outbox.")
@click.option(
    "--state", type=click.Choice(["waiting", "sent", "kept", "failed"]), help="Only letters in this state."
)  # fmt: skip
@click.option(
    "--format",
    "form",
    type=click.Choice(["json", "text"]),
    default="json",
    show_default=True,
    help="json: one object a line; text: the same fields apart by tabs, their names first.",
)
def list_letters(state: "State | None", form: str) -> None:
    """List the letters of the outbox, oldest first; attempts counts how often each was handed to the mail server.

    Nobody's address is shown.

    Exit codes: 0 listed, 2 the database cannot be used.
    """
    from bot import db  # noqa: PLC0415 - start-up time of the other commands
    from bot.store import outbox  # noqa: PLC0415 - start-up time of the other commands

    with database.opened() as engine, db.sessions(engine)() as session:
        if form == "text":
            click.echo("\t".join(_FIELDS))
        for mail in outbox.listed(session, state):
            shown = _shown(mail)
            values = ("" if value is None else str(value) for value in shown.values())
            click.echo(json.dumps(shown) if form == "json" else "\t".join(values))


@command.command(short_help="Print one letter.")
@click.argument("letter", metavar="ID")
def show(letter: str) -> None:
    """Print one letter as its recipient would read it; the id is in the list, and in the log of the server.

    What was sent is forgotten, and so is what was kept or has failed after 30 days.

    Exit codes: 0 printed, 2 there is no such letter, it is forgotten, or the database or its keys cannot be used.
    """
    from agreements.vault import SealBroken, Vault  # noqa: PLC0415 - start-up time of the other commands
    from bot import db  # noqa: PLC0415 - start-up time of the other commands
    from bot.cli.setting import key_ring  # noqa: PLC0415 - start-up time of the other commands
    from bot.mail import Unwritable, read  # noqa: PLC0415 - start-up time of the other commands
    from bot.store import outbox  # noqa: PLC0415 - start-up time of the other commands

    vault = Vault(key_ring())
    with database.opened() as engine, db.sessions(engine)() as session:
        mail = outbox.find(session, letter)
        if mail is None:
            raise Mistake(f"there is no letter {letter}: `countersign mail list` names those that are there")
        try:
            opened = outbox.opened(vault, mail)
            if opened is None:
                raise Mistake(f"the letter {letter} is {mail.state}, and what it said is forgotten")
            page = read(opened)
        except (SealBroken, Unwritable) as error:
            raise Mistake(f"the letter {letter} cannot be read: {error}") from None
    click.echo(f"To: {opened.to}\nSubject: {page.subject}\n\n{page.body}", nl=False)


def _shown(mail: "Mail") -> dict[str, object]:
    shown = {name: getattr(mail, name) for name in _FIELDS}
    return {name: _written(value) if isinstance(value, datetime) else value for name, value in shown.items()}


def _written(moment: datetime) -> str:
    return moment.isoformat().replace("+00:00", "Z")
