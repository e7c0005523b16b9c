"""Every few seconds, hands each e-mail that waits in the outbox over to the mail server."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

import structlog
from sqlmodel import Session

from agreements.store.companies import signatory_requests
from agreements.store.people import email_codes
from agreements.vault import DecryptionFailed, Vault
from bot.clock import Clock
from bot.db import Sessions
from bot.mail.smtp import EmailInvalid, EmailRefused, MailServer, message
from bot.store import notifications, outbox
from bot.store.outbox import Mail

SEND_INTERVAL = timedelta(seconds=3)
"""How often the outbox is looked at."""

_BATCH_EMAILS = 100  # e-mails; then it is looked whether to go on at all

OnFailed = Callable[[Session, datetime], None]
"""Told, in the same transaction, that an e-mail was given up at that time."""

log = structlog.get_logger()


@dataclass(frozen=True, slots=True, kw_only=True)
class MailSender:
    """Sends by `server` as `sender`; without a server everything is kept. `on_failed` hears of what was given up."""

    sessions: Sessions
    vault: Vault
    clock: Clock
    server: MailServer | None
    sender: str
    on_failed: OnFailed = lambda _session, _at: None

    def round(self) -> None:
        """Send what is due. No transaction is open while the mail server is spoken to."""
        if self.server is None:
            self._keep()
            return
        for _ in range(_BATCH_EMAILS):
            with self.sessions() as session:
                mail = outbox.EMAILS.claim(session, at=self.clock())
            if mail is None:
                return
            self._send(mail, self.server)

    def purge(self) -> None:
        """Forget old e-mails, old codes and old requests to sign."""
        for purge in (outbox.purge, email_codes.purge, signatory_requests.purge):
            with self.sessions() as session:
                purge(session, at=self.clock())

    def _keep(self) -> None:
        with self.sessions() as session:
            kept = outbox.keep(session)
        for mail_id, kind in kept:
            log.info("mail.kept", mail=mail_id, kind=kind, read=f"countersign mail show {mail_id}")

    def _send(self, mail: Mail, server: MailServer) -> None:
        try:
            self._hand_over(mail, server)
        except (EmailInvalid, DecryptionFailed) as error:
            with self.sessions() as session:
                outbox.EMAILS.failed(session, mail, str(error))
                self._tell_administrators(session, mail)
            log.warning("mail.unwritable", mail=mail.id, kind=mail.kind, why=str(error))
        except EmailRefused as error:
            with self.sessions() as session:
                if error.for_good:
                    state = outbox.EMAILS.failed(session, mail, str(error))
                else:
                    state = outbox.EMAILS.put_off(session, mail, str(error), at=self.clock())
                if state == "failed":
                    self._tell_administrators(session, mail)
            log.warning(
                "mail.not-taken", mail=mail.id, kind=mail.kind, tries=mail.attempts, state=state, why=str(error)
            )
        else:
            with self.sessions() as session:
                outbox.EMAILS.sent(session, mail, at=self.clock())
            log.info("mail.sent", mail=mail.id, kind=mail.kind)

    def _tell_administrators(self, session: Session, mail: Mail) -> None:
        """An e-mail to administrators that was given up is no news to them."""
        if mail.kind != notifications.KIND:
            self.on_failed(session, self.clock())

    def _hand_over(self, mail: Mail, server: MailServer) -> None:
        email = outbox.opened(self.vault, mail)
        if email is None:
            raise EmailInvalid("its text was deleted")
        if mail.kind in outbox.CODE_KINDS and self.clock() >= mail.made_at + email_codes.CODE_LIFETIME:
            raise EmailRefused("the code in it has expired", for_good=True)
        server.send(message(email, sender=self.sender, mail_id=mail.id, at=self.clock()))
