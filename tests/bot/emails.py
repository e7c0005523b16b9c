"""Reads the outbox like the mail sender: an e-mail that cannot be written is a mistake of the code that queued it."""

from datetime import UTC, datetime

from sqlmodel import select

from agreements.vault import DecryptionFailed
from bot.mail.smtp import EmailInvalid, message
from bot.store import outbox
from bot.store.outbox import Mail

_AT = datetime(2026, 1, 1, tzinfo=UTC)


def unwritable(sessions, vault) -> list[str]:
    """A line for each e-mail that has no template, lacks a value of it, or goes to no address."""
    wrong = []
    with sessions() as session:
        mails = session.exec(select(Mail)).all()
    for mail in mails:
        try:
            email = outbox.opened(vault, mail)
            if email is not None:
                message(email, sender="Countersign <cla@example.org>", mail_id=mail.id, at=_AT)
        except DecryptionFailed:  # the test exchanged the keys
            continue
        except EmailInvalid as error:
            wrong.append(f"{mail.kind}: {error}")
    return wrong
