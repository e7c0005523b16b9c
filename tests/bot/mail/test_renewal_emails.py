"""Reminders reach managers and people, once each, and what they say can be written in both languages."""

from dataclasses import replace
from datetime import timedelta

import pytest

from agreements.github_server import GITHUB_COM
from agreements.store.companies import employee_invitations
from agreements.store.record_context import RecordContext
from agreements.store.tables.company_records import CompanyRecord
from bot.mail import smtp
from bot.mail.renewal_emails import Reminders
from tests.bot.portal.company import office

YEAR = timedelta(days=365)


def rounds(portal, *days):
    """A round on each of these days, counted from the start; what was written, as (kind, to)."""
    begin, reminders = portal.at, None
    for day in days:
        portal.at = begin + timedelta(days=day)
        parts = portal.services
        reminders = Reminders(records=parts, server=GITHUB_COM, texts=parts.texts)
        reminders.round()
    return [(email.kind, email.to) for email in office.outbox_emails(portal)]


def test_managers_are_reminded_before_the_day_and_on_it(portal):
    office.company(portal, managers=((12, "bob"), (13, "cyd")))
    with portal.services.sessions() as session:
        session.get(CompanyRecord, "c1").renew_by = portal.at + YEAR

    both = [("renewal", "bob@boss.example"), ("renewal", "cyd@boss.example")]
    assert rounds(portal, 304, 305, 305.1, 306) == both
    portal.at -= timedelta(days=306)
    # On the day itself the managers' proofs have lapsed, and they are written to all the same.
    assert rounds(portal, 335, 358, 358.5, 365, 366) == both * 4
    email = office.outbox_emails(portal)[0]
    page = "http://localhost/company/c1/renewal"
    assert email.values == {"company": "Huawei", "day": "2027-11-21", "url": page, "manager": "bob"}


def test_people_are_reminded_a_month_and_a_week_before_their_enrolment_ends(portal):
    office.company(portal, managers=())
    office.enrolled(portal)
    told = [email for email in rounds(portal, 334, 335, 336, 358, 359, 365) if email[0] == "enrolment-ends"]
    assert told == [("enrolment-ends", office.WORK)] * 2


def test_an_agreement_whose_text_is_not_in_the_catalog_reminds_of_nothing(portal):
    office.company(portal)
    office.enrolled(portal)
    with portal.services.sessions() as session:
        company = session.get(CompanyRecord, "c1")
        company.renew_by = portal.at + timedelta(days=340)
        context = RecordContext(session, portal.services.vault, 12, portal.at, portal.services.new_id)
        employee_invitations.invite(context, "c1", ["bo@huawei.com"], "en", server=GITHUB_COM)
    office.lose_text(portal)
    written = rounds(portal)
    assert rounds(portal, 8, 340) == written
    with portal.services.sessions() as session:
        session.get(CompanyRecord, "c1").signature_id = None
    kinds = [kind for kind, _to in rounds(portal, 0)[len(written) :]]
    assert sorted(set(kinds)) == ["enrolment-ends", "renewal"]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_reminders_can_be_written_in_both_languages(portal, language):
    office.company(portal)
    office.enrolled(portal)
    with portal.services.sessions() as session:
        session.get(CompanyRecord, "c1").renew_by = portal.at + timedelta(days=340)
    rounds(portal, 340)

    kinds = {email.kind: smtp.read(replace(email, language=language)) for email in office.outbox_emails(portal)}
    assert set(kinds) == {"code", "enrolled", "enrolment-confirmed", "renewal", "enrolment-ends"}
    assert "Huawei" in kinds["enrolment-ends"].subject
    assert "http://localhost/company/c1/renewal" in kinds["renewal"].body
