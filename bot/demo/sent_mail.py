"""What is in the outbox of the demo's own Countersign, read by whoever plays; it has no mail server."""

from collections.abc import Callable

from sqlalchemy import Engine
from sqlalchemy.exc import SQLAlchemyError

from agreements.vault import KeyRing, Vault
from bot import db
from bot.demo.github.state import StoredMail
from bot.mail.smtp import EmailInvalid, read
from bot.settings import Settings
from bot.store import outbox

_EMAILS_SHOWN = 50


class SentMail:
    """Reads the outbox when it is called; close it when done."""

    def __init__(self, settings: Callable[[], Settings]) -> None:
        self._settings = settings
        self._engine: Engine | None = None

    def __call__(self) -> list[StoredMail]:
        """The newest e-mails, newest first; none while the server has not made its database."""
        settings = self._settings()
        file = settings.database_file
        if file is not None and not file.exists():
            return []
        self._engine = self._engine or db.open_engine(settings.database_url)
        try:
            with db.sessions(self._engine)() as session:
                mails = list(outbox.EMAILS.listed(session))[-_EMAILS_SHOWN:]
        except SQLAlchemyError:  # it is being made just now
            return []
        vault = Vault(KeyRing.parse(settings.keys.reveal()))
        return [one for mail in reversed(mails) if (one := _received(vault, mail)) is not None]

    def close(self) -> None:
        """Let go of the database."""
        if self._engine is not None:
            self._engine.dispose()


def _received(vault: Vault, mail: outbox.Mail) -> StoredMail | None:
    email = outbox.opened(vault, mail)
    if email is None:
        return None
    try:
        page = read(email)
    except EmailInvalid as error:
        return StoredMail(at=mail.made_at, to=email.to, subject=f"An e-mail that cannot be written: {error}", body="")
    return StoredMail(at=mail.made_at, to=email.to, subject=page.subject, body=page.body)
