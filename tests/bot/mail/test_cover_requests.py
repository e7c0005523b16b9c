"""A contributor asks the managers of a company once a day, and the e-mail tells them only what they need."""

from dataclasses import replace
from datetime import timedelta

import pytest

from agreements.facts import Account
from agreements.github_server import GITHUB_COM
from agreements.store.record_context import RecordContext
from bot.mail import cover_requests, smtp
from bot.mail.cover_requests import MAX_REQUESTS_A_DAY, AskedRecently, CoverRequest, TooManyRequests
from tests.bot.portal.company import office

ADA = Account(11, "ada")


def ask(portal, wish="add", company_id="c1", who=ADA, address="ada@rd.huawei.com"):
    """Ask the managers of that company."""
    with portal.services.sessions() as session:
        context = RecordContext(session, portal.services.vault, who.id, portal.at, portal.services.new_id)
        asked = CoverRequest(company_id, "Huawei", wish, address)
        return cover_requests.write(context, who, asked, url="http://localhost", server=GITHUB_COM)


@pytest.mark.parametrize(("wish", "words"), [("add", "asks you to add it"), ("leave", "asks you to end this")])
def test_each_manager_reads_the_login_the_masked_address_and_the_page_of_people(portal, wish, words):
    office.company(portal, managers=((12, "bob"), (13, "cyd")))
    assert ask(portal, wish)

    emails = office.outbox_emails(portal)
    assert [email.to for email in emails] == ["bob@boss.example", "cyd@boss.example"]
    page = smtp.read(emails[0])
    assert words in page.body
    assert "ada" in page.subject
    assert "a…a@rd.huawei.com" in page.body
    assert "ada@rd" not in page.body
    assert "http://localhost/company/c1/people" in page.body
    assert "cyd" not in page.body
    assert "ada" in smtp.read(replace(emails[0], language="zh")).body
    assert office.log(portal) == [("cover.requested", 11, "person", [])]


def test_an_account_sends_a_company_one_wish_of_any_kind_in_24_hours(portal):
    office.company(portal)
    office.company(portal, office.Entry(domain="redhat.com"), key="c2", name="Red Hat", managers=((13, "cyd"),))
    ask(portal)
    portal.later(hours=23)
    with pytest.raises(AskedRecently):
        ask(portal, "leave")

    assert ask(portal, company_id="c2")
    assert ask(portal, who=Account(15, "eve"))
    portal.at += timedelta(hours=1)
    assert ask(portal)


def test_a_second_click_asks_once_and_another_wish_is_no_second_click(portal):
    office.company(portal)
    assert ask(portal)
    portal.later(seconds=9)
    assert ask(portal)
    with pytest.raises(AskedRecently):
        ask(portal, "leave")

    assert len(office.outbox_emails(portal)) == len(office.log(portal)) == 1
    portal.later(seconds=1)
    with pytest.raises(AskedRecently):
        ask(portal)


def test_a_company_whose_managers_have_no_address_gets_nothing_and_nothing_is_logged(portal):
    office.company(portal, managers=())

    assert ask(portal) == 0
    assert office.log(portal) == []


@pytest.mark.slow
def test_the_managers_of_a_company_get_the_requests_of_some_accounts_a_day(portal):
    office.company(portal)
    for number in range(MAX_REQUESTS_A_DAY):
        ask(portal, who=Account(100 + number, f"ada{number}"))
    with pytest.raises(TooManyRequests):
        ask(portal)

    portal.at += timedelta(days=1)
    assert ask(portal) == 1
