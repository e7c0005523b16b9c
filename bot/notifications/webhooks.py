"""Which endpoint gets which event: events are stored as outgoing webhooks in the transaction that caused them."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from sqlmodel import Session

from agreements.store.lookup.keys import NewId
from agreements.vault import Vault
from bot.db import Sessions
from bot.notifications import payloads
from bot.notifications.endpoints import Endpoint
from bot.notifications.payloads import Notification
from bot.store import outgoing_webhooks

Notify = Callable[[Session, Iterable[Notification]], None]
"""Stores webhooks with the caller's transaction."""

NEWS_INTERVAL: Final = timedelta(seconds=3)
"""How often the log is read."""
BATCH_ENTRIES: Final = 100
"""Entries of the log that one transaction reads."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Webhooks:
    """Stores what the `endpoints` have chosen. Without endpoints nothing is stored."""

    endpoints: tuple[Endpoint, ...]
    sessions: Sessions
    vault: Vault
    new_id: NewId

    def enqueue(self, session: Session, notifications: Iterable[Notification]) -> None:
        """Store each for those who chose its event; sent once the caller's transaction is committed."""
        for one in notifications:
            outgoing_webhooks.add(
                session,
                self.vault,
                one.body,
                endpoints=[endpoint.name for endpoint in self.endpoints if one.event in endpoint.events],
                event=one.event,
                account_id=one.account_id,
                at=one.at,
                new_id=self.new_id,
            )

    def follow_log(self) -> None:
        """Store what changed in the records: whatever made the change, its own transaction wrote it into their log.

        How far the log was read moves on in the transaction that stores the webhooks: none is lost, none comes twice.
        """
        if not self.endpoints:
            with self.sessions() as session:
                outgoing_webhooks.stop_following(session)
            return
        with self.sessions() as session:
            is_behind = outgoing_webhooks.begin_following(session)
        kinds = payloads.SIGNED | payloads.WITHDRAWN | payloads.COMPANY | set(payloads.ATTENTION)
        while is_behind:
            with self.sessions() as session:
                read = outgoing_webhooks.news(session, kinds, most=BATCH_ENTRIES)
                for change in read.changes:
                    self.enqueue(session, payloads.of_records(change))
            is_behind = read.entries == BATCH_ENTRIES


def tell_undelivered(notify: Notify) -> Callable[[Session, datetime], None]:
    """What stores a webhook about an e-mail that was given up."""
    return lambda session, at: notify(session, [payloads.of_mail(at)])
