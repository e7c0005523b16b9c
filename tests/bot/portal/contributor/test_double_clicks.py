"""A person who clicks twice sends each form twice: that leaves one record and one e-mail, and the page after one click."""

import re
import threading

import pytest
from sqlalchemy import inspect, text

from agreements.facts import Account
from agreements.store.people.email_codes import SECOND_CLICK
from bot.portal.company.enrol import ask_for_code
from tests.bot.portal.company import office
from tests.bot.portal.company.office import WORK


def counts(portal):
    """How many rows each table has."""
    tables = inspect(portal.database).get_table_names()
    with portal.database.connect() as connection:
        return {name: connection.execute(text(f"SELECT count(*) FROM {name}")).scalar_one() for name in tables}


def clicked_twice(portal, browser, path, page, **filled):
    """Send that form of a page twice; the address to which both clicks lead, and the page there."""
    form = {"csrf_token": portal.proof(browser, page), **filled}
    first = browser.post(path, data=form)
    after_one = counts(portal)
    second = browser.post(path, data=form)
    there = first.headers["Location"]

    assert (second.status_code, second.headers.get("Location")) == (302, there), second.text
    assert counts(portal) == after_one
    portal.at += SECOND_CLICK
    return there, browser.get(there.partition("#")[0]).text


@pytest.mark.slow
def test_a_double_click_on_the_forms_of_an_enrolment_enrols_once(portal):
    office.company(portal)
    office.works(portal, WORK)
    portal.pull(7)
    browser = portal.signed_in()
    code_page, _shown = clicked_twice(portal, browser, "/enrol", "/enrol", email=WORK)
    answer = {"code": office.code(portal), "works": "y"}
    there, shown = clicked_twice(portal, browser, code_page, code_page, **answer)
    assert there == "/me/enrolments"
    assert shown.count("You are enrolled.") == 1

    ask = "/enrol?pr=cann/ops-math/7"
    code_page, _shown = clicked_twice(portal, browser, ask, ask, email=WORK)
    _there, shown = clicked_twice(portal, browser, code_page, code_page, **answer | {"code": office.code(portal)})
    assert "You are enrolled at Huawei." in shown

    end = f"/me/enrolments/{office.held_in(portal)}/end"
    _there, shown = clicked_twice(portal, browser, end, "/me/enrolments")
    assert shown.count("The enrolment has ended.") == 1
    assert [email.kind for email in office.outbox_emails(portal)].count("code") == 2


def test_a_double_click_verifies_and_removes_an_address_once(portal):
    browser = portal.signed_in()
    page = "/me/emails"
    _there, shown = clicked_twice(portal, browser, page, page, address="new@work.example")
    [code_id] = re.findall(r'name="id" value="([^"]+)"', shown)
    code = office.code(portal)
    _there, shown = clicked_twice(portal, browser, f"{page}/code", page, id=code_id, code=code)
    assert shown.count("The address is verified.") == 1

    [proof_id] = re.findall(r'name="id" value="([^"]+)"', shown)
    _there, shown = clicked_twice(portal, browser, f"{page}/remove", page, id=proof_id)
    assert "new@work.example" not in shown


@pytest.mark.slow
def test_a_double_click_sends_one_request_to_a_company_or_its_managers(portal):
    office.company(portal)
    browser = office.enrolled(portal)
    _there, shown = clicked_twice(portal, browser, "/employer", "/employer", address="legal@work.example")
    assert shown.count("Your request has been sent.") == 1
    wish = {"company": "c1", "wish": "leave"}
    _there, shown = clicked_twice(portal, browser, "/employer/managers", "/employer", **wish)
    assert shown.count("Your request has been sent to the managers of Huawei.") == 1


def test_a_double_click_asks_for_erasure_and_takes_it_back_once(portal):
    browser = portal.signed_in()
    clicked_twice(portal, browser, "/me/erasure", "/me/erasure", sure="y")
    _there, shown = clicked_twice(portal, browser, "/me/erasure/withdraw", "/me/erasure")
    assert "You withdrew your request" in shown
    assert "You have no request to withdraw" not in shown
    _there, shown = clicked_twice(portal, browser, "/me/time-zone", "/me", zone="Asia/Shanghai")
    assert shown.count("Saved.") == 1


@pytest.mark.slow
def test_a_double_click_signs_and_withdraws_once(portal):
    browser = portal.signed_in()
    receipt, _shown = clicked_twice(portal, browser, "/sign/icla", "/sign/icla", **portal.form(browser))
    clicked_twice(portal, browser, f"{receipt}/withdraw", f"{receipt}/withdraw", sure="y")


def test_of_two_clicks_at_the_same_moment_one_mails_a_code(each_portal):
    office.company(each_portal)
    begin, ids = threading.Barrier(6), []

    def click():
        begin.wait()
        ids.append(ask_for_code(each_portal.services, Account(11, "ada"), WORK, "en"))

    clicks = [threading.Thread(target=click) for _ in range(6)]
    for thread in clicks:
        thread.start()
    for thread in clicks:
        thread.join()

    assert len(ids) == 6
    assert len(set(ids)) == 1
    assert [email.kind for email in office.outbox_emails(each_portal)] == ["code"]
