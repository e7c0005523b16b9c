"""Writes the e-mails of running campaigns, a number each minute, one to each person; a restart resumes."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from sqlmodel import Session

from agreements.rulebook.rules import Rules
from agreements.store.people import campaigns
from agreements.store.people.campaigns import Addressee
from agreements.vault import Vault
from bot.clock import Clock
from bot.db import Sessions
from bot.mail import smtp
from bot.mail.smtp import RenderedEmail
from bot.records import agreement_view
from bot.rulebook.text_files import Texts
from bot.store import campaign_letters, outbox
from bot.store.outbox import Email

EVERY = timedelta(minutes=1)
"""How often letters are written."""

AT_ONCE = 60
"""Letters of one campaign in one go."""

LASTS = timedelta(days=30)
"""How long after a start or a reminder its letters are written; whoever comes to wait later is not written to."""


CampaignKind = Literal["campaign", "campaign-reminder"]


@dataclass(frozen=True, slots=True)
class _Round:
    """What one letter of a round says: its kind, its occasion, and of which version until when."""

    kind: CampaignKind
    occasion: str
    agreement: str
    version: str
    until: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class CampaignEmails:
    """Writes them; `url` is our public address."""

    url: str
    sessions: Sessions
    vault: Vault
    texts: Texts
    rules: Callable[[int | None], Rules]
    clock: Clock
    new_id: Callable[[], str]
    at_once: int = AT_ONCE

    def write(self) -> None:
        """The next letters of every running campaign, the first ones before reminders."""
        with self.sessions() as session:
            for letters in self._rounds(session):
                self._some(session, letters)

    def preview(
        self, kind: CampaignKind, addressee: Addressee, version: tuple[str, str], until: datetime
    ) -> RenderedEmail:
        """How the letter reads that asks them for that version (agreement, version). Raises Unwritable."""
        return smtp.read(self._letter(_Round(kind, "preview:", *version, until), addressee))

    def _rounds(self, session: Session) -> list[_Round]:
        at, found = self.clock(), []
        for row in campaigns.listed(session, running=True):
            what = (row.agreement, row.version)
            if at < row.started_at + LASTS:
                found.append(_Round("campaign", campaign_letters.occasion(*what), *what, row.until))
            if row.reminded_at and at < row.reminded_at + LASTS:
                occasion = campaign_letters.occasion(*what, f"{row.reminded_at:%Y-%m-%d}")
                found.append(_Round("campaign-reminder", occasion, *what, row.until))
        return found

    def _some(self, session: Session, letters: _Round) -> None:
        written = campaign_letters.written(session, letters.occasion)
        left = self.at_once
        for account_id in campaigns.waiting(session, letters.agreement, letters.version):
            if left == 0:
                return
            to = None
            if account_id not in written:
                to = campaigns.addressee(session, self.vault, account_id, letters.agreement)
            if to is not None:
                outbox.add(session, self.vault, self._letter(letters, to), at=self.clock(), new_id=self.new_id())
                left -= 1

    def _letter(self, letters: _Round, to: Addressee) -> Email:
        language: Literal["en", "zh"] = "zh" if to.language == "zh" else "en"
        catalog = self.texts()
        known = (catalog.get(letters.agreement, letters.version, each) for each in (language, "en"))
        text = next((one for one in known if one is not None), None)
        title = agreement_view.of(text, self.rules(None).organization).title if text else letters.agreement.upper()
        return Email(
            kind=letters.kind,
            to=to.email,
            language=language,
            values={
                "title": title,
                "old": to.version,
                "version": letters.version,
                "until": f"{letters.until:%Y-%m-%d}",
                "url": f"{self.url}/sign/{letters.agreement}",
                "site": self.url,
            },
            account_id=to.account_id,
            once=campaign_letters.key(letters.occasion, to.account_id),
        )
