"""The bot's tables forget an account's e-mails, sessions, facts and logins."""

from datetime import UTC, datetime

from sqlalchemy import update
from sqlmodel import select

from agreements.facts import Account
from agreements.vault import KeyRing, Vault
from bot.store import activity_erasure, inbox, outbox, portal_sessions
from bot.store.inbox import ReviewDelivery
from bot.store.outbox import Email, Mail
from bot.store.portal_sessions import PortalSession
from bot.store.pulls import overrides, pull_state, stored_facts
from bot.store.pulls.overrides import OverrideDraft
from bot.store.pulls.stored_facts import StoredFacts
from bot.store.records import DeliveryRecord, PullRecord, PushRecord
from bot.webhook import events
from tests.bot import deliveries
from tests.bot.jobs.inline import InlineEngine
from tests.within import within

AT = datetime(2026, 11, 21, tzinfo=UTC)
VAULT = Vault(KeyRing.parse(KeyRing.generate("k1")))
ADA, BOB = Account(11, "ada"), Account(12, "bob")


def arrive(session, number, sender):
    """A push to a pull request, with its facts stored; the row's id."""
    event = events.PullRequestChanged(
        installation=5, repository=events.EventRepository(90, 3, "cann", "ge"), number=number, action="synchronize",
        sender=sender, after="a" * 40,
    )  # fmt: skip
    arrival = ReviewDelivery(
        guid=f"g{number}", event="pull_request", pull=deliveries.pull_request(90, number, owner_id=3), sender=sender,
        after="a" * 40, ids=events.ids(event),
    )  # fmt: skip
    deliveries.store(session, InlineEngine(), arrival, at=AT)
    inbox.done(session, arrival.guid)
    pull_id = session.exec(select(PullRecord.id).where(PullRecord.number == number)).one()
    pull_state.replace_participants(session, pull_id, [sender.id])
    stored_facts.keep(session, pull_id, "a" * 40, stored_facts.encrypt(VAULT, pull_id, b"facts"), at=AT)
    return pull_id


def test_forgetting_an_account_deletes_its_mail_sessions_and_facts(sessions):
    with sessions() as session:
        arrive(session, 1, ADA)
        other = arrive(session, 2, BOB)
        for who in (ADA, BOB):
            email = Email(kind="receipt", to="a@example.org", language="en", account_id=who.id)
            outbox.add(within(session, VAULT, AT, f"m{who.id}"), email)
            portal_sessions.keep(session, VAULT, f"v{who.id}", who.id, b"", AT)
    with sessions() as session:
        activity_erasure.forget(session, 11)
    with sessions() as session:
        assert session.exec(select(Mail.account_id)).all() == [12]
        assert session.exec(select(PortalSession.account_id)).all() == [12]
        assert session.exec(select(StoredFacts.pull_id)).all() == [other]


def test_erasing_removes_logins_from_closed_pull_requests_alone(sessions):
    """An open pull request is still judged by who pushed."""
    with sessions() as session:
        closed, still = arrive(session, 1, ADA), arrive(session, 2, ADA)
        arrive(session, 3, BOB)
        session.execute(update(PullRecord).where(PullRecord.id == closed).values(open=False))
        draft = OverrideDraft(
            pull_id=still,
            kind="cla",
            account_id=12,
            head_sha="a" * 40,
            by=ADA,
            by_role="admin",
            comment_id=1,
            reason="why",
        )
        overrides.add(within(session, VAULT, AT, "o1"), draft)
    with sessions() as session:
        assert (
            activity_erasure.evidence(session, 11),
            activity_erasure.evidence(session, 12),
            activity_erasure.evidence(session, 13),
        ) == (
            1,
            1,
            0,
        )
        activity_erasure.unname(session, 11)
    with sessions() as session:
        pushes = session.exec(select(PushRecord.sender_login).order_by(PushRecord.pull_id)).all()
        assert pushes == ["erased", "ada", "bob"]
        assert pull_state.participants(session, closed) == frozenset()
        assert pull_state.participants(session, still) == {11}
        senders = {row.guid: row.ids["sender"]["login"] for row in session.exec(select(DeliveryRecord))}
        assert senders == {"g1": "erased", "g2": "erased", "g3": "bob"}
        assert isinstance(events.from_ids(session.get(DeliveryRecord, "g1").ids), events.PullRequestChanged)
