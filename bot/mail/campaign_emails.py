"""Writes the e-mails of running campaigns, a number each minute, one to each person; a restart resumes."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Literal

from agreements.catalog import Catalog
from agreements.cla.coverage import validity
from agreements.cla.party import Parties
from agreements.rulebook.rules import AgreementRef, Rules
from agreements.store.people import campaigns
from agreements.store.people.campaigns import Addressee
from agreements.store.record_context import RecordContext
from bot.records import agreement_view
from bot.records.owner_rules import OwnerAccount
from bot.records.record_access import RecordAccess
from bot.rulebook.text_files import Texts
from bot.store import campaign_rounds, outbox
from bot.store.outbox import Email

WRITE_INTERVAL = timedelta(minutes=1)
"""The pause between two lots of e-mails."""

BATCH_EMAILS = 60
"""E-mails of one campaign in one go."""

WRITING_PERIOD = timedelta(days=30)
"""The time after a start or a reminder in which its e-mails are written; none goes to people whose turn comes later."""


@dataclass(frozen=True, slots=True)
class CampaignRound:
    """One round's e-mails: `kind`, `agreement` and `version` to sign; `occasion` names it."""

    kind: Literal["campaign", "campaign-reminder"]
    agreement: str
    version: str
    occasion: str = "preview:"  # Of the page that shows the e-mail first.

    def email(self, to: Addressee, until: datetime | None, *, url: str, catalog: Catalog, organization: str) -> Email:
        """The e-mail of this round to that person; `url` is our public address.

        The rulebook accepts the version that they signed `until` then; None: no longer.
        """
        language: Literal["en", "zh"] = "zh" if to.language == "zh" else "en"
        text = catalog.get(self.agreement, self.version, language) or catalog.get(self.agreement, self.version, "en")
        return Email(
            kind=self.kind if until else f"{self.kind}-now",
            to=to.email,
            language=language,
            values={
                "title": agreement_view.of(text, organization).title if text else self.agreement.upper(),
                "old": to.version,
                "version": self.version,
                "until": f"{until.astimezone(UTC):%Y-%m-%d %H:%M}" if until else "",
                "url": f"{url}/sign/{self.agreement}",
                "site": url,
            },
            account_id=to.account_id,
            once=campaign_rounds.key(self.occasion, to.account_id),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class CampaignEmails:
    """Writes the e-mails of every running campaign, at most `at_once` of each in one go; `rules` and `owner` are by an owner's id."""

    records: RecordAccess
    texts: Texts
    rules: Callable[[int | None], Rules]
    owner: Callable[[int | None], OwnerAccount | None]
    at_once: int = BATCH_EMAILS

    def write(self) -> None:
        """The next e-mails of every running campaign, the first ones before reminders."""
        with self.records.change() as context:
            for campaign_round in self._rounds(context):
                self._some(context, campaign_round)

    def _rounds(self, context: RecordContext) -> list[CampaignRound]:
        at, found = context.at, []
        for row in campaigns.listed(context.session, running=True):
            what = (row.agreement, row.version)
            if at < row.started_at + WRITING_PERIOD:
                found.append(CampaignRound("campaign", *what, campaign_rounds.occasion(*what)))
            if row.reminded_at and at < row.reminded_at + WRITING_PERIOD:
                occasion = campaign_rounds.occasion(*what, f"{row.reminded_at:%Y-%m-%d}")
                found.append(CampaignRound("campaign-reminder", *what, occasion))
        return found

    def _some(self, context: RecordContext, campaign_round: CampaignRound) -> None:
        session = context.session
        written = campaign_rounds.written(session, campaign_round.occasion)  # After a restart the others are left.
        left = self.at_once
        owner = self.owner(None)
        rules = self.rules(None)
        parties = Parties(rules, owner.id if owner else None).counting
        what = (campaign_round.agreement, campaign_round.version)
        if rules.individual != AgreementRef(*what):  # Another text, or another version of it, is what people need.
            return
        older = campaigns.older(session, *what)
        # Asked in each round: the rulebook may have changed since the campaign began.
        found = {version: validity(version, rules.individual, rules, context.at) for version in older}
        # Accepted for good: its signers wait for nothing, and their addresses stay closed.
        enough = [version for version in older if found[version] == (True, None)]
        ends = {version: until for version, (_counts, until) in found.items() if version not in enough}
        for account_id in campaigns.waiting(session, *what, parties=parties, enough=enough):
            if left == 0:
                return
            if account_id in written:
                continue
            to = campaigns.addressee(session, context.vault, account_id, what[0], parties=parties)
            # None: the address cannot be opened. Another version: it was signed just now.
            if to is not None and to.version in ends:
                with_whom = agreement_view.party(rules, owner)
                name = with_whom.name if with_whom else ""
                until = ends[to.version]
                email = campaign_round.email(to, until, url=self.records.url, catalog=self.texts(), organization=name)
                outbox.add(context, email)
                left -= 1
