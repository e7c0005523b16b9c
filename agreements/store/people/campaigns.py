"""Campaigns: asking people who signed only older versions of an agreement to sign the present one.

The rulebook alone decides if, and until when, an older signature counts; a campaign only asks.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Select, func
from sqlalchemy import select as select_columns
from sqlmodel import Session, col, select

from agreements import versions
from agreements.store import lookup
from agreements.store.ledger import stored_ledger
from agreements.store.lookup import account_key, text_key
from agreements.store.people import person_rows
from agreements.store.people.signatures import opened, party, personal
from agreements.store.record_context import RecordContext
from agreements.store.tables.records import Campaign, PersonRecord, SignatureRecord, Withdrawal
from agreements.vault import Vault

MIN_REMINDER_INTERVAL = timedelta(days=7)
"""The least time between two reminders, and between the start and the first."""


class CampaignRefused(Exception):
    """The campaign cannot be started, reminded or ended now; `reason` is `running`, `too-soon` or `ended`."""

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(reason)


@dataclass(frozen=True, slots=True)
class CampaignProgress:
    """Numbers of people: those who signed `again`, those who have not (`waiting`), and of these the holders of each `older` version."""

    again: int
    waiting: int
    older: dict[str, int]


@dataclass(frozen=True, slots=True)
class Addressee:
    """A person who is to be asked: `account_id`, the `email` and the `language` to write in, and the `version` that they signed."""

    account_id: int
    email: str = field(repr=False)
    language: str
    version: str


def start(context: RecordContext, *, agreement: str, version: str, until: datetime) -> Campaign:
    """Begin to ask. Raises CampaignRefused (`running`) while a campaign for that agreement runs."""
    query = select(Campaign).where(col(Campaign.agreement) == text_key(agreement), col(Campaign.ended_at).is_(None))
    stored_ledger.lock(context.session)  # Of two starts at once the second finds the first.
    if context.session.exec(query).first() is not None:  # Two campaigns would write twice to the same people.
        raise CampaignRefused("running")
    row = Campaign(
        id=text_key(context.new_id()),
        agreement=agreement,
        version=text_key(version),
        until=until,
        started_at=context.at,
        started_by=context.actor,
    )
    context.session.add(row)
    context.session.flush()
    return row


def remind(campaign: Campaign, *, at: datetime) -> None:
    """Ask those who wait once more. Raises CampaignRefused (`ended`, or `too-soon` within a week of the last time)."""
    if campaign.ended_at is not None:
        raise CampaignRefused("ended")
    # Reminders count from the start, too.
    if at < (campaign.reminded_at or campaign.started_at) + MIN_REMINDER_INTERVAL:
        raise CampaignRefused("too-soon")
    campaign.reminded_at = at


def end(campaign: Campaign, *, at: datetime) -> None:
    """Stop asking. Raises CampaignRefused (`ended`) when it has ended before."""
    if campaign.ended_at is not None:
        raise CampaignRefused("ended")
    campaign.ended_at = at


def find(session: Session, campaign_id: str) -> Campaign | None:
    """The campaign with that id."""
    return session.exec(select(Campaign).where(col(Campaign.id) == text_key(campaign_id))).one_or_none()


def locked(session: Session, campaign_id: str) -> Campaign | None:
    """The same, locked until the transaction ends: for `remind` and `end`."""
    return lookup.locked(session, Campaign, col(Campaign.id) == text_key(campaign_id))


def listed(session: Session, *, running: bool = False) -> Sequence[Campaign]:
    """All campaigns, the newest first; `running` leaves out those that have ended."""
    query = select(Campaign).order_by(col(Campaign.started_at).desc(), col(Campaign.id))
    return session.exec(query.where(col(Campaign.ended_at).is_(None)) if running else query).all()


def progress(session: Session, agreement: str, version: str, *, parties: Collection[str]) -> CampaignProgress:
    """Count who signed that version or a newer after an older one, and who an older one only, with these parties."""
    older, newer = _versions(session, agreement, version)
    waits = _waiting(agreement, older, newer, parties)
    # A person who withdrew the older signature and then signed the new text signed again, too.
    again = _accounts(agreement, newer, parties).where(
        col(SignatureRecord.account_id).in_(_accounts(agreement, older, parties, ended=True))
    )
    by_version = (
        select_columns(col(SignatureRecord.version), func.count(func.distinct(col(SignatureRecord.account_id))))
        .outerjoin(Withdrawal)
        .where(
            col(SignatureRecord.agreement) == agreement,
            col(SignatureRecord.version).in_(older),
            col(Withdrawal.signature_id).is_(None),
            col(SignatureRecord.account_id).in_(waits),
            party().in_(parties),  # Signatures made with another organisation do not count here.
        )
        .group_by(col(SignatureRecord.version))
    )
    found = {name: number for name, number in session.execute(by_version)}  # noqa: C416 - rows are no pairs to mypy
    return CampaignProgress(
        again=_count(session, again),
        waiting=_count(session, waits),
        older=dict(sorted(found.items(), key=lambda pair: versions.parts(pair[0]) or ())),
    )


def older(session: Session, agreement: str, version: str) -> list[str]:
    """The versions below that version that were signed, in their order."""
    return sorted(_versions(session, agreement, version)[0], key=versions.sort_key)


def waiting(
    session: Session, agreement: str, version: str, *, parties: Collection[str], enough: Collection[str] = ()
) -> tuple[int, ...]:
    """The accounts, sorted, with an older version, but no other, in force with one of these parties.

    Left out are people who have signed one of the older versions that are `enough`, and those whose data are restricted
    or erased.
    """
    before, newer = _versions(session, agreement, version)
    counting = [*newer, *enough]
    asked = [candidate for candidate in before if candidate not in enough]
    return tuple(sorted(session.scalars(_waiting(agreement, asked, counting, parties))))


def count_signed(
    session: Session, accounts: Select[Any], agreement: str, version: str, *, parties: Collection[str]
) -> tuple[int, int]:
    """The number of these accounts, and of those that signed the agreement for themselves, in any version, with one of these parties."""
    older, newer = _versions(session, agreement, version)
    signed = _accounts(agreement, older + newer, parties)
    return _count(session, accounts), _count(session, signed.where(col(SignatureRecord.account_id).in_(accounts)))


def addressee(
    session: Session, vault: Vault, account_id: int, agreement: str, *, parties: Collection[str]
) -> Addressee | None:
    """The address of the account's newest signature of it in force with one of these parties; None if it can't be opened."""
    query = (
        select(SignatureRecord)
        .outerjoin(Withdrawal, col(Withdrawal.signature_id) == col(SignatureRecord.id))
        .where(
            col(Withdrawal.signature_id).is_(None),  # As for those who wait: a withdrawn one counts no more.
            col(SignatureRecord.account_id) == account_key(account_id),
            col(SignatureRecord.agreement) == text_key(agreement),
            party().in_(parties),
        )
        .order_by(col(SignatureRecord.signed_at).desc(), col(SignatureRecord.id))
    )
    row = session.exec(query.where(personal())).first()  # What was signed for a company is not the person's to renew.
    person = person_rows.find(session, account_id)
    if row is None or person is None:
        return None
    view = opened(session, vault, row.id)
    if view is None or view.erased:  # the key is gone, and with it the address
        return None
    return Addressee(account_id, view.draft.email, row.language, row.version)


def _versions(session: Session, agreement: str, version: str) -> tuple[list[str], list[str]]:
    """The versions that were signed: those below that version; that version with those above it."""
    than = versions.sort_key(text_key(version))  # `10.0` is newer than `9.0`: as text it would be older.
    found = session.exec(
        select(SignatureRecord.version).where(col(SignatureRecord.agreement) == text_key(agreement)).distinct()
    )
    older: list[str] = []
    newer: list[str] = []
    for candidate in found:
        (older if versions.sort_key(candidate) < than else newer).append(candidate)
    return older, newer


def _accounts(agreement: str, wanted: list[str], parties: Collection[str], *, ended: bool = False) -> Select[Any]:
    """Accounts that signed one of these versions for themselves; `ended` includes withdrawn signatures."""
    query = (
        select_columns(col(SignatureRecord.account_id))
        .join(PersonRecord, col(PersonRecord.id) == col(SignatureRecord.person_id))
        .outerjoin(Withdrawal, col(Withdrawal.signature_id) == col(SignatureRecord.id))
        .where(
            col(SignatureRecord.agreement) == agreement,
            col(SignatureRecord.version).in_(wanted),
            party().in_(parties),
            person_rows.are_named(),  # Restricted and erased people get no mail.
            personal(),
        )
        .distinct()
    )
    return query if ended else query.where(col(Withdrawal.signature_id).is_(None))


def _waiting(agreement: str, older: list[str], newer: list[str], parties: Collection[str]) -> Select[Any]:
    again = _accounts(agreement, newer, parties)
    return _accounts(agreement, older, parties).where(col(SignatureRecord.account_id).not_in(again))


def _count(session: Session, accounts: Select[Any]) -> int:
    return session.scalar(select_columns(func.count()).select_from(accounts.subquery())) or 0
