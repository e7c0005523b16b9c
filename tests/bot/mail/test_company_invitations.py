"""Requests that a company sign are bounded for their recipients, and the bounds tell nothing of other requests."""

from datetime import UTC, datetime, timedelta

import pytest
from sqlmodel import select

from agreements.facts import Account
from agreements.store.record_context import RecordContext
from agreements.vault import KeyRing, Vault
from bot.mail import company_invitations
from bot.mail.company_invitations import MAX_INVITATIONS_A_DAY, TooManyInvitations, UnusableAddress
from bot.store.outbox import Mail

AT = datetime(2026, 11, 23, tzinfo=UTC)  # a Monday
ADA, BOB = Account(11, "ada"), Account(12, "bob")


@pytest.fixture(name="ask")
def _ask(sessions):
    """Ask as that account at that moment."""
    vault, numbers = Vault(KeyRing.parse(KeyRing.generate("k1"))), iter(range(1000))

    def ask(account, to="legal@company.example", at=AT):
        values = {"organization": "CANN", "title": "CCLA", "url": "https://x/company/request"}
        with sessions() as session:
            context = RecordContext(session, vault, account.id, at, lambda: f"id-{next(numbers)}")
            company_invitations.write(context, account, to, "en", values)

    return ask


def states(sessions):
    """The state of each e-mail, in the order in which they were asked for."""
    with sessions() as session:
        return [mail.state for mail in session.exec(select(Mail).order_by(Mail.made_at, Mail.id))]


def test_an_address_is_asked_once_in_a_calendar_week(ask, sessions):
    ask(ADA)
    ask(BOB, "LEGAL@Company.Example", at=AT + timedelta(hours=1))
    ask(ADA, at=AT + timedelta(days=6, hours=23))
    ask(BOB, at=AT + timedelta(days=7))

    assert states(sessions) == ["waiting", "withheld", "withheld", "waiting"]


def test_a_paused_request_keeps_no_address_and_no_text(ask, sessions):
    ask(ADA)
    ask(BOB)
    with sessions() as session:
        [row] = session.exec(select(Mail).where(Mail.state == "withheld"))

    assert (row.sealed, row.once, row.account_id) == (None, None, BOB.id)


def test_an_account_has_its_share_of_requests_a_day(ask, sessions):
    ask(BOB)
    for number in range(MAX_INVITATIONS_A_DAY - 1):
        ask(ADA, f"boss{number}@company.example")
    ask(ADA)
    with pytest.raises(TooManyInvitations):
        ask(ADA, "other@company.example", at=AT + timedelta(hours=24) - timedelta(seconds=1))
    ask(ADA, "other@company.example", at=AT + timedelta(hours=24))

    assert states(sessions).count("waiting") == MAX_INVITATIONS_A_DAY + 1


def test_a_request_without_an_address_is_refused_and_not_counted(ask, sessions):
    with pytest.raises(UnusableAddress):
        ask(ADA, "nobody")

    assert states(sessions) == []
