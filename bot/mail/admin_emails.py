"""Mail to administrators about what waits for them: one e-mail for all that is new, every few minutes or once a day."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

import structlog
from sqlmodel import Session

from agreements.github_server import GitHubServer
from agreements.store.companies import company_mail
from agreements.store.record_context import RecordContext
from bot.github.ports import HubError
from bot.mail import manager_emails
from bot.records.record_access import RecordAccess
from bot.store import notifications, outbox
from bot.store.notifications import CONTACT_ACCOUNT_ID, DIGEST_PERIOD, KIND, NotificationPreference
from bot.store.outbox import Email

NEWS_INTERVAL: Final = timedelta(minutes=5)
"""The pause between two looks for news: what comes together is told together."""

log = structlog.get_logger()


@dataclass(frozen=True, slots=True, kw_only=True)
class AdminEmails:
    """Writes the e-mails; `administrators` gives their ids, `contact` is an address for when none of them has one."""

    records: RecordAccess
    contact: str
    server: GitHubServer
    administrators: Callable[[], frozenset[int]]

    def round(self) -> None:
        """Write to the administrators for whom the log has news: each change wrote it there in its transaction."""
        try:
            # No page waits for GitHub to say who is in a team; while it does not say, the news waits.
            account_ids = self.administrators()
        except HubError as error:
            log.warning("notifications.wait", why=type(error).__name__)
            return
        with self.records.change() as context:
            found = [*self._recipients(context, account_ids)]
        for account_id, address in found:
            with self.records.change() as context:
                self._tell(context, account_id, address)

    def _recipients(self, context: RecordContext, account_ids: frozenset[int]) -> Iterator[tuple[int, str]]:
        known = company_mail.addresses(context.session, context.vault, "", account_ids, server=self.server)
        yield from known.items()
        # The contact may be a page, not an address.
        if not known and self.contact and "://" not in self.contact:
            yield CONTACT_ACCOUNT_ID, self.contact

    def _tell(self, context: RecordContext, account_id: int, address: str) -> None:
        session, at = context.session, context.at
        row = notifications.of(session, account_id, at=at)
        if row.often == "daily" and at < row.told_at + DIGEST_PERIOD:
            return
        if row.often != "never":
            found = notifications.news(session, context.vault, row, at=at)
            if found.total:
                outbox.add(context, self._email(session, row, address, found))
        # Also for those who want none: what is old then is no news later.
        notifications.mark_notified(session, row, at=at)

    def _email(
        self, session: Session, row: NotificationPreference, address: str, found: notifications.NotificationCounts
    ) -> Email:
        account_id = None if row.account_id == CONTACT_ACCOUNT_ID else row.account_id
        return Email(
            kind=KIND,
            to=address,
            language="en" if account_id is None else manager_emails.language(session, account_id),
            # Numbers alone: a mailbox is a worse place for names than the page.
            values={
                "total": str(found.total),
                "companies": str(found.companies),
                "domains": str(found.domains),
                "erasures": str(found.erasures),
                "letters": str(found.emails),  # As in e-mails that wait since an older release.
                "commits": str(found.commits),
                "site": self.records.url,
            },
            account_id=account_id,
            # Two replicas have one occasion.
            once=f"notification:{row.account_id}:{row.told_entry}:{row.told_at.isoformat()}",
        )
