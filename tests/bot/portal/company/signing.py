"""Helpers for signing for a company by mail: forms of sender and signatory, links and codes from the outbox."""

import re

from agreements.store.companies import signatory_requests
from tests.bot.portal.company import office

CEO = "ceo@huawei.com"
HOME = "/company/request/signatory"


def send(desk, browser=None, at=HOME, **changed):
    """Ada sends the agreement to the CEO; her browser and the answer."""
    browser = browser or desk.sit()
    page = browser.get(at).text
    form = dict(re.findall(r'<input type="hidden" name="(csrf_token|id)" value="([^"]*)"', page))
    form |= {"company": "Huawei", "address": CEO, "second": "bob", "language": "en"} | changed
    return browser, browser.post(at, data=form)


def link(desk):
    """The path of the newest link that was mailed."""
    url = [email.values["url"] for email in office.outbox_emails(desk.portal) if email.kind == "signatory-request"][-1]
    return "/signatory/" + url.rpartition("/")[2]


def code(desk):
    """The newest code that was mailed to a signatory."""
    return [email.values["code"] for email in office.outbox_emails(desk.portal) if email.kind == "signatory-code"][-1]


def post(desk, browser, path, page, **filled):
    """A form of the signatory's pages, sent."""
    return browser.post(path, data={"csrf_token": desk.portal.proof(browser, page), **filled})


def opened(desk):
    """The browser of a person who is not signed in, with the address proven."""
    browser = desk.portal.browser()
    proven(desk, browser)
    return browser


def proven(desk, browser):
    """In that browser the newest link is followed and its code answered."""
    there = link(desk)
    assert post(desk, browser, f"{there}/code", there).headers["Location"] == "/signatory"
    assert post(desk, browser, "/signatory/answer", "/signatory", code=code(desk)).status_code == 302


def answers(browser, **changed):
    """The form as the CEO fills it in."""
    page = browser.get("/signatory").text
    hidden = dict(re.findall(r'<input type="hidden" name="(csrf_token|seen|email)" value="([^"]*)"', page))
    filled = {
        **hidden, "field-legal-name": "Huawei Technologies Co., Ltd.", "field-registration": "9144-0300",
        "field-address": "Bantian, Shenzhen", "field-title": "CEO", "name": "Carol Shaw", "agree": "y",
    }  # fmt: skip
    return filled | changed


def state(desk):
    """What the sender's page says of the one request."""
    with desk.portal.services.sessions() as session:
        [request] = signatory_requests.of_account(
            session, desk.portal.services.vault, 11, at=desk.portal.services.clock()
        )
    return request.state
