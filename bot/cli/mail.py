"""`countersign mail`: what is in the outbox, what a letter says that was not sent, and sending it after all."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

import click

from bot.cli import database
from bot.cli.mistake import Mistake
from bot.cli.options import list_form, print_rows

if TYPE_CHECKING:
    from bot.store.outbox import State

_FIELDS = ("id", "kind", "state", "attempts", "made_at", "sent_at", "error")


@click.group(name="mail")
def command() -> None:
    """List the outbox, read letters that were not sent, and have them sent after all."""


@command.command(name="list", short_help="Print the letters of the outbox.")
@click.option(
    "--state", type=click.Choice(["waiting", "sent", "kept", "failed", "withheld"]), help="Only letters in this state."
)  # fmt: skip
@list_form
def list_letters(state: "State | None", form: str) -> None:
    """List the letters of the outbox, oldest first; attempts counts how often each was handed to the mail server.

    Nobody's address is shown.

    Exit codes: 0 listed, 2 the database cannot be used.
    """
    from bot.store import outbox

    with database.session() as session:
        print_rows(outbox.LETTERS.listed(session, state), _FIELDS, form)


@command.command(short_help="Print one letter.")
@click.argument("letter", metavar="ID")
def show(letter: str) -> None:
    """Print one letter as its recipient would read it; the id is in the list, and in the log of the server.

    What was sent is forgotten, and so is what was kept or has failed after 30 days.

    Exit codes: 0 printed, 2 there is no such letter, it is forgotten, or the database or its keys cannot be used.
    """
    from agreements.vault import DecryptionFailed, Vault
    from bot.cli.setting import key_ring
    from bot.mail.smtp import Unwritable, read
    from bot.store import outbox

    _refuse_unprintable([letter])
    vault = Vault(key_ring())
    with database.session() as session:
        mail = outbox.find(session, letter)
        if mail is None:
            raise Mistake(f"there is no letter {letter}: `countersign mail list` names those that are there")
        try:
            opened = outbox.opened(vault, mail)
            if opened is None:
                raise Mistake(f"the letter {letter} is {mail.state}, and what it said is forgotten")
            page = read(opened)
        except (DecryptionFailed, Unwritable) as error:
            raise Mistake(f"the letter {letter} cannot be read: {error}") from None
    click.echo(f"To: {opened.to}\nSubject: {page.subject}\n\n{page.body}", nl=False)


@command.command(short_help="Have letters sent after all.")
@click.argument("letters", metavar="[ID…]", nargs=-1)
@click.option("--all", "everything", is_flag=True, help="All letters that were kept or have failed.")
def send(letters: tuple[str, ...], *, everything: bool) -> None:
    """Put letters that were kept or have failed back in the queue: the server sends them within a minute.

    One-time codes are left out: their time is over, whoever waits for one asks for another.

    Exit codes: 0 queued, 2 a letter cannot be sent again, nothing was named, or the database cannot be used.
    """
    from bot import clock
    from bot.store import outbox

    if everything == bool(letters):
        raise Mistake("name the letters to send (`countersign mail list` has their ids), or --all, and not both")
    _refuse_unprintable(letters)
    with database.session() as session:
        queued = outbox.again(session, letters, at=clock.now())
        missing = sorted(set(letters) - set(queued))
        if missing:  # with the exception nothing is queued, so that the command can be given again
            raise Mistake(
                f"not queued, since {', '.join(missing)} is no letter that was kept or has failed and can be sent"
            )
    click.echo(f"{len(queued):,} queued")


def _refuse_unprintable(letters: Iterable[str]) -> None:
    """Raises Mistake for what is no text, such as bytes that are not UTF-8: no database can be asked for it."""
    for letter in letters:
        if not letter.isprintable():
            raise Mistake(f"{letter!r} is no letter's id: `countersign mail list` names those that are there")
