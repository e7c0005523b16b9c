"""A manager invites employees from a list after a preview of each line; enrolling answers an invitation."""

import re

import pytest
from sqlmodel import func, select

from agreements.facts import Entry
from agreements.store import log_listing
from agreements.store.tables.ledger_records import LedgerEntry
from tests.bot.portal.company import office
from tests.bot.portal.company.office import MANAGER

HOME = "/company/c1/invitations"
LIST = "ada@rd.huawei.com\nbo@huawei.com\nBO@huawei.com\nx@gmail.com\nnonsense\n"


@pytest.fixture(name="staffed")
def _staffed(portal):
    """Huawei with its domain, all of it, and bob as its manager."""
    office.company(portal, Entry(domain="huawei.com", subdomains=True))
    return portal


def check(portal, browser, text, **more):
    """The preview of that list."""
    return browser.post(f"{HOME}/check", data={"csrf_token": portal.proof(browser, HOME), "list": text, **more})


def send(portal, browser, page):
    """The preview's form, sent."""
    form = dict(re.findall(r'<input type="hidden" name="(csrf_token|good|language)" value="([^"]*)"', page))
    return browser.post(f"{HOME}/send", data=form)


def details(portal):
    """What the newest entry of the log tells."""
    services = portal.services
    with services.sessions() as session:
        newest = session.exec(select(func.max(LedgerEntry.number))).one()
        return log_listing.opened(session, services.vault, newest).details


def test_an_agreement_without_its_text_sends_no_invitations_even_after_a_preview(staffed):
    browser = staffed.signed_in(**MANAGER)
    page = check(staffed, browser, LIST).text
    office.lose_text(staffed)

    answer = send(staffed, browser, page)
    assert (answer.status_code, "The agreement is not in force." in answer.text) == (409, True)
    assert office.outbox_emails(staffed) == []
    assert f"{HOME}/check" not in browser.get(HOME).text


@pytest.mark.slow
def test_only_the_good_lines_of_a_list_are_invited_and_each_once(staffed):
    browser = staffed.signed_in(**MANAGER)
    page = check(staffed, browser, LIST, language="zh").text
    for said in (
        "Will be invited: 2",
        "Outside your domains: 1",
        "Refused: 2",
        "An earlier line names the same person",
    ):
        assert said in page
    assert office.outbox_emails(staffed) == []
    assert send(staffed, browser, page).headers["Location"] == HOME
    assert sorted((email.to, email.language) for email in office.outbox_emails(staffed)) == [
        ("ada@rd.huawei.com", "zh"), ("bo@huawei.com", "zh"),
    ]  # fmt: skip
    assert "Already invited: 2" in check(staffed, browser, LIST).text
    send(staffed, browser, page)
    assert len(office.outbox_emails(staffed)) == 2
    assert office.log(staffed) == [("invitations.sent", MANAGER["id"], "company", [])]
    assert details(staffed) == {"count": 2, "language": "zh"}


def test_enrolling_by_the_link_answers_the_invitation(staffed):
    browser = staffed.signed_in(**MANAGER)
    send(staffed, browser, check(staffed, browser, LIST).text)
    assert "Invited, not enrolled yet: 2" in browser.get(HOME).text
    office.enrolled(staffed)
    page = staffed.signed_in(**MANAGER).get(HOME).text
    assert "Invited, not enrolled yet: 1" in page
    assert "Enrolled: 1" in page


def test_the_sign_in_leads_back_to_the_companys_enrolment_page(staffed):
    answer = staffed.browser().get("/company/c1/enrol")
    assert answer.headers["Location"] == "/login?next=%2Fcompany%2Fc1%2Fenrol"


def test_a_withdrawn_invitation_is_logged_and_unknown_to_other_companies(staffed):
    office.company(staffed, Entry(domain="redhat.com"), key="c2", name="Red Hat", managers=((13, "cyd"),))
    browser = staffed.signed_in(**MANAGER)
    send(staffed, browser, check(staffed, browser, "bo@huawei.com").text)
    [path] = re.findall(rf'action="({HOME}/\w+/withdraw)"', browser.get(HOME).text)
    other = staffed.signed_in(id=13, login="cyd")
    proof = {"csrf_token": staffed.proof(other)}
    assert other.post(path.replace("c1", "c2"), data=proof).status_code == 404
    assert browser.post(path, data={"csrf_token": staffed.proof(browser, HOME)}).status_code == 302
    assert "Withdrawn: 1" in browser.get(HOME).text
    assert browser.post(path, data={"csrf_token": staffed.proof(browser, HOME)}).status_code == 302
    assert [kind for kind, *_ in office.log(staffed)] == ["invitations.sent", "invitation.withdrawn"]
    assert details(staffed) == {"account": MANAGER["id"], "sent": staffed.at.isoformat()}


def test_an_empty_list_a_long_list_and_a_forged_preview_send_no_mail(staffed):
    browser = staffed.signed_in(**MANAGER)
    for text, said in ((" ", "Paste a list"), ("a@huawei.com\n" * 2001, "at most 2,000 lines")):
        answer = check(staffed, browser, text)
        assert (answer.status_code, said in answer.text) == (400, True)
    forged = {"csrf_token": staffed.proof(browser, HOME), "good": "WyJhQGh1YXdlaS5jb20iXQ.x.y"}
    assert browser.post(f"{HOME}/send", data=forged).status_code == 409
    assert office.outbox_emails(staffed) == []


def test_a_company_that_is_not_yet_countersigned_sends_no_invitations(portal):
    office.company(portal, countersigned_at=None)
    browser = portal.signed_in(**MANAGER)
    assert "once the agreement is in force" in browser.get(HOME).text
