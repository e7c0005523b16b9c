"""Hands an e-mail that waits in the outbox over to the mail server."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar

import structlog
from sqlmodel import Session

from agreements.store.ledger import transient_rows
from agreements.store.people import email_codes
from agreements.vault import DecryptionFailed
from bot.clock import Clock
from bot.db import Sessions
from bot.mail.smtp import EmailInvalid, EmailRefused, MailServer, message
from bot.records.record_access import RecordAccess
from bot.store import notifications, outbox
from bot.store.leases import Lease
from bot.store.outbox import Mail
from bot.store.outgoing import INTERRUPTED
from bot.telemetry.logs import where

OnFailed = Callable[[Session, datetime], None]
"""Told, in the same transaction, that an e-mail was given up at that time."""

log = structlog.get_logger()


@dataclass(frozen=True, slots=True, kw_only=True)
class MailSender:
    """Sends the `queue` by `server` as `sender`; without a server all is kept. `on_failed` is called for an e-mail that is given up."""

    records: RecordAccess
    server: MailServer | None
    sender: str
    on_failed: OnFailed = lambda _session, _at: None
    queue: ClassVar = outbox.EMAILS

    def send(self, lease: Lease[Mail]) -> None:
        """Send the e-mail once. No transaction is open meanwhile, since a mail server may be slow."""
        mail, server = lease.row, self.server
        if server is None:
            with self.records.sessions() as session:
                outbox.kept(session, lease)
            log.info("mail.kept", mail=mail.id, kind=mail.kind, read=f"countersign mail show {mail.id}")
            return
        try:
            self._hand_over(mail, server)
        # No later try could write or open it.
        except (EmailInvalid, DecryptionFailed) as error:
            self._not_sent(lease, str(error), for_good=True)
            log.warning("mail.unwritable", mail=mail.id, kind=mail.kind, why=str(error))
        except EmailRefused as error:
            state = self._not_sent(lease, str(error), for_good=error.for_good)
            tries = mail.attempts + 1
            log.warning("mail.not-taken", mail=mail.id, kind=mail.kind, tries=tries, state=state, why=str(error))
        except Exception as error:  # noqa: BLE001 - every failure is a reason to try again
            self._not_sent(lease, f"internal error ({type(error).__name__})", for_good=False)
            log.error("mail.failed", mail=mail.id, kind=mail.kind, why=type(error).__name__, at=where(error))  # noqa: TRY400 - a trace may hold values
        else:
            with self.records.sessions() as session:
                self.queue.sent(session, lease, at=self.records.clock())
            log.info("mail.sent", mail=mail.id, kind=mail.kind)

    def _not_sent(self, lease: Lease[Mail], why: str, *, for_good: bool) -> str:
        """Store that it was not sent; gives the new state. Administrators are told of an e-mail that is given up."""
        at = self.records.clock()
        with self.records.sessions() as session:
            if for_good:
                state = self.queue.failed(session, lease, why)
            else:
                state = self.queue.put_off(session, lease, why, at=at)
            # Not of an e-mail to them: the news of it would be given up like it.
            if state == "failed" and lease.row.kind != notifications.KIND:
                self.on_failed(session, at)
        return state

    def _hand_over(self, mail: Mail, server: MailServer) -> None:
        # The run before ended in the middle, perhaps by this very message: it counts as a try.
        if mail.lease_by is not None:
            raise EmailRefused(INTERRUPTED)
        email = outbox.opened(self.records.vault, mail)
        if email is None:
            raise EmailInvalid("its text was deleted")
        # A code that opens nothing any more would only confuse.
        if mail.kind in outbox.CODE_KINDS and self.records.clock() >= mail.made_at + email_codes.CODE_LIFETIME:
            raise EmailRefused("the code in it has expired", for_good=True)
        server.send(message(email, sender=self.sender, mail_id=mail.id, at=self.records.clock()))


def purge(sessions: Sessions, clock: Clock) -> None:
    """Forget old e-mails, and rows that are kept for a while only: sessions, codes, invitations, requests to sign."""
    for forget in (outbox.purge, transient_rows.purge):
        with sessions() as session:
            forget(session, at=clock())
