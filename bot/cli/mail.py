"""`countersign mail`: what is in the outbox, what an unsent e-mail says, and sending it again."""

from typing import TYPE_CHECKING

import click

from bot import clock
from bot.cli import database
from bot.cli.command_error import CommandError
from bot.cli.options import check_ids, check_queued, list_form, print_rows
from bot.cli.setting import key_ring, settings

if TYPE_CHECKING:
    from bot.store.outbox import State

_IDS = ("an e-mail", "countersign mail list")
_FIELDS = ("id", "kind", "state", "attempts", "made_at", "sent_at", "error")


@click.group(name="mail")
def command() -> None:
    """List the outbox, and read and resend e-mails."""


@command.command(name="list", short_help="List the e-mails in the outbox.")
@click.option(
    "--state", type=click.Choice(["waiting", "sent", "kept", "failed", "withheld"]), help="Only e-mails in this state."
)  # fmt: skip
@list_form
def list_emails(state: "State | None", form: str) -> None:
    """List the e-mails in the outbox, oldest first. attempts counts how often each was handed to the mail server.

    Addresses are not shown.

    Exit codes: 0 listed, 2 the database cannot be used.
    """
    from bot.store import outbox

    with database.session() as session:
        print_rows(outbox.EMAILS.listed(session, state), _FIELDS, form)


@command.command(short_help="Print one e-mail.")
@click.argument("mail_id", metavar="ID")
def show(mail_id: str) -> None:
    """Print one e-mail as its recipient would see it. Its id is in the list and in the server's log.

    E-mails are deleted when they are sent, and after 30 days if they were kept or failed.

    Exit codes: 0 printed, 2 there is no such e-mail, it was deleted, or the database or its keys cannot be used.
    """
    from agreements.vault import DecryptionFailed, Vault
    from bot.mail.smtp import EmailInvalid, read
    from bot.store import outbox

    check_ids([mail_id], *_IDS)
    vault = Vault(key_ring())
    with database.session() as session:
        mail = outbox.find(session, mail_id)
        if mail is None:
            raise CommandError(f"there is no e-mail {mail_id}: `countersign mail list` shows the ids")
        try:
            opened = outbox.opened(vault, mail)
            if opened is None:
                raise CommandError(f"the e-mail {mail_id} is {mail.state}, and its text was deleted")
            page = read(opened)
        except (DecryptionFailed, EmailInvalid) as error:
            raise CommandError(f"the e-mail {mail_id} cannot be read: {error}") from None
    click.echo(f"To: {opened.to}\nSubject: {page.subject}\n\n{page.body}", nl=False)  # The body ends its own last line.


@command.command(short_help="Send kept or failed e-mails again.")
@click.argument("mail_ids", metavar="[ID…]", nargs=-1)
@click.option("--all", "everything", is_flag=True, help="All kept and failed e-mails.")
def send(mail_ids: tuple[str, ...], *, everything: bool) -> None:
    """Queue kept or failed e-mails again. The server sends them within a minute.

    One-time codes are skipped, because they have expired.

    Exit codes: 0 queued, 2 an e-mail cannot be sent again, none was given, there is no mail server, or the database cannot be used.
    """
    from bot.store import outbox

    if everything == bool(mail_ids):
        raise CommandError("name the e-mails to send, or use --all (`countersign mail list` shows the ids)")
    check_ids(mail_ids, *_IDS)
    if not settings().smtp_url:  # Without a mail server the server would keep them again.
        raise CommandError("COUNTERSIGN_SMTP_URL is not set: set it, restart the server, then run this again")
    with database.session() as session:
        queued = outbox.again(session, mail_ids, at=clock.now())
        check_queued(mail_ids, queued, "kept or failed e-mails")
    click.echo(f"{len(queued):,} queued")
