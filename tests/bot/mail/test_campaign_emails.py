"""E-mails of a campaign: so many a minute, each person once, also across restarts."""

from collections import Counter
from dataclasses import replace
from datetime import timedelta
from hashlib import sha256

import pytest
from sqlmodel import select

from agreements.catalog import AgreementText
from agreements.facts import Account
from agreements.rulebook.rules import AcceptedVersions, AgreementRef
from agreements.store.people import campaigns, person_rows, signatures, texts
from bot.mail import smtp
from bot.mail.campaign_emails import CampaignEmails
from bot.store import outbox
from bot.store.outbox import Mail
from tests.drafts import signature_draft
from tests.within import within

SOURCE = "# Our Agreement\n\nNew words.\n"


@pytest.fixture(name="campaign")
def _campaign(portal):
    """E-mails for the portal's records, where ICLA 3.0 is released and asked for; three people signed 2.0."""
    given = portal.services
    grace = (AcceptedVersions(">=3.0"), AcceptedVersions("2.x", portal.at + timedelta(days=90)))
    portal.rules = replace(portal.rules, individual=AgreementRef("icla", "3.0"), accept={"icla": grace})
    text = given.catalog.get("icla", "2.0", "zh")
    with given.sessions() as session:
        texts.release(
            session,
            [AgreementText("icla", "3.0", "en", SOURCE, sha256(SOURCE.encode()).hexdigest())],
            by=90,
            at=portal.at,
        )
        for number in (1, 2, 3):
            person = person_rows.ensure(
                within(session, given.vault, portal.at, given.new_id), Account(number, f"u{number}")
            )
            draft = signature_draft(language="zh", source_sha256=text.sha256, name="U", email=f"u{number}@example.org")
            signatures.add(within(session, given.vault, portal.at, given.new_id), person, draft, receipt=f"R-{number}")
    return CampaignEmails(records=given, texts=given.texts, rules=given.rules, owner=given.owner)  # fmt: skip


def start(portal):
    """Begin to ask for 3.0."""
    with portal.services.sessions() as session:
        until, new_id = portal.at + timedelta(days=90), portal.services.new_id()
        return campaigns.start(
            within(session, None, portal.at, new_id, by=90), agreement="icla", version="3.0", until=until
        )


def outbox_emails(portal, kind="campaign"):
    """What is in the outbox of that kind, by recipient."""
    with portal.services.sessions() as session:
        rows = session.exec(select(Mail).where(Mail.kind == kind)).all()
        return {found.to: found for row in rows if (found := outbox.opened(portal.services.vault, row))}


def test_each_person_gets_the_campaigns_email_once_at_its_pace(portal, campaign):
    campaign = replace(campaign, at_once=2)
    campaign.write()
    assert outbox_emails(portal) == {}, "nothing was started"
    begun = start(portal)
    campaign.write()
    assert sorted(outbox_emails(portal)) == ["u1@example.org", "u2@example.org"]
    campaign.write()
    campaign.write()
    assert len(outbox_emails(portal)) == 3

    with portal.services.sessions() as session:
        campaigns.end(session.merge(begun), at=portal.at)
    start(portal)
    campaign.write()
    with portal.services.sessions() as session:
        assert len(session.exec(select(Mail)).all()) == 3


def test_the_campaigns_email_is_in_the_language_that_was_signed(portal, campaign):
    start(portal)
    campaign.write()
    email = outbox_emails(portal)["u1@example.org"]

    assert (email.language, email.account_id) == ("zh", 1)
    assert email.values == {
        "title": "Our Agreement", "old": "2.0", "version": "3.0", "until": "2027-02-19 12:00",
        "url": "http://localhost/sign/icla", "site": "http://localhost",
    }  # fmt: skip
    for kind in ("campaign", "campaign-reminder"):
        for language in ("en", "zh"):
            page = smtp.read(replace(email, kind=kind, language=language))
            assert "3.0" in page.subject
            assert ("until 2027-02-19 12:00 UTC" if language == "en" else "在 2027-02-19 12:00（UTC）之前") in page.body


def test_each_reminder_reaches_only_people_who_still_wait_once(portal, campaign):
    begun = start(portal)
    campaign.write()
    portal.later(days=8)
    with portal.services.sessions() as session:
        campaigns.remind(session.merge(begun), at=portal.at)
        person = person_rows.find(session, 2)
        draft = signature_draft(version="3.0", name="U", email="u2@example.org")
        signatures.add(within(session, portal.services.vault, portal.at, "s-new"), person, draft, receipt="R-new")
    campaign.write()
    campaign.write()

    assert sorted(outbox_emails(portal, "campaign-reminder")) == ["u1@example.org", "u3@example.org"]
    assert len(outbox_emails(portal)) == 3


@pytest.mark.parametrize(
    ("accept", "kinds"),
    [
        ({}, {"campaign-now": 3}),
        ({"icla": (AcceptedVersions(">=3.0"),)}, {"campaign-now": 3}),
        ({"icla": (AcceptedVersions(">=1.0"),)}, {}),  # For good: they need not sign.
    ],
)
def test_an_email_promises_no_day_that_the_rulebook_does_not_give(portal, campaign, accept, kinds):
    start(portal)
    portal.rules = replace(portal.rules, accept=accept)
    campaign.write()
    with portal.services.sessions() as session:
        found = [outbox.opened(portal.services.vault, row) for row in session.exec(select(Mail)).all()]
    assert Counter(email.kind for email in found) == kinds
    for kind in ("campaign-now", "campaign-reminder-now"):
        for language, said in (("en", "is no longer accepted. Your open"), ("zh", "您签署的版本已不再有效")):
            for email in found:
                page = smtp.read(replace(email, kind=kind, language=language))
                assert said in page.body
                assert "2027" not in page.body


def test_people_who_need_not_sign_are_not_read(portal, campaign, monkeypatch):
    read = []
    addressee = campaigns.addressee

    def noted(session, vault, account_id, *more, **kept):
        read.append(account_id)
        return addressee(session, vault, account_id, *more, **kept)

    monkeypatch.setattr(campaigns, "addressee", noted)
    start(portal)
    accept = portal.rules.accept
    portal.rules = replace(portal.rules, accept={"icla": (AcceptedVersions(">=1.0"),)})
    campaign.write()
    assert read == []

    portal.rules = replace(portal.rules, accept=accept)
    campaign.write()
    assert read == [1, 2, 3]
    assert len(outbox_emails(portal)) == 3


def test_each_email_names_the_end_of_the_version_that_its_reader_signed(portal, campaign):
    given, ends = portal.services, {"1": timedelta(days=20), "2": timedelta(days=90)}
    with given.sessions() as session:
        context = within(session, given.vault, portal.at, given.new_id)
        draft = signature_draft(version="1.0", name="U", email="u9@example.org")
        signatures.add(context, person_rows.ensure(context, Account(9, "u9")), draft, receipt="R-9")
    older = (AcceptedVersions(f"{major}.x", portal.at + end) for major, end in ends.items())
    portal.rules = replace(portal.rules, accept={"icla": (AcceptedVersions(">=3.0"), *older)})
    start(portal)
    campaign.write()
    assert {email.values["old"]: email.values["until"] for email in outbox_emails(portal).values()} == {
        f"{major}.0": f"{portal.at + end:%Y-%m-%d %H:%M}" for major, end in ends.items()
    }


@pytest.mark.parametrize("wanted", [AgreementRef("other", "1.0"), AgreementRef("other", "3.0"), AgreementRef("icla", "4.0")])  # fmt: skip
def test_no_email_asks_for_an_agreement_or_version_that_the_rulebook_left(portal, campaign, wanted):
    start(portal)
    portal.rules = replace(portal.rules, individual=wanted)
    campaign.write()
    assert outbox_emails(portal) == outbox_emails(portal, "campaign-now") == {}
