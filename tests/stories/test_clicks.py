"""Signing, and enrolling at one's company, take at most four clicks from the pull request, on a phone and a desk."""

import re

import pytest
from playwright.sync_api import expect

from bot.demo import sample_data
from tests.bot.portal.test_look import faults

pytestmark = [pytest.mark.slow, pytest.mark.browser]

RULES = """\
version: 1
organization: The CANN Authors
people: {domains: enrolled}
repositories:
  - {match: ["*"], require: cla}
"""
MOST = 4
WINDOWS = (("en", 390), ("zh", 1280))
"""Languages and widths; tests/bot/portal/test_look.py looks at every page in all of them."""


class Visit:
    """A window in which clicks are counted, and each page that is left is looked at by axe."""

    def __init__(self, chromium, language, width):
        self.context = chromium.new_context(
            bypass_csp=True, locale={"en": "en-US", "zh": "zh-CN"}[language], viewport={"width": width, "height": 900}
        )
        self.page = self.context.new_page()
        self.width, self.clicks, self.wrong = width, 0, []

    def look(self):
        """Note what is wrong with the page."""
        self.wrong += [f"{self.page.url}: {fault}" for fault in faults(self.page, "light", self.width)]

    def click(self, selector):
        """Click once."""
        self.look()
        self.page.locator(selector).first.click()
        self.clicks += 1

    def signs_in(self, number):
        """Click once, and choose the account at GitHub."""
        self.click("main a[href^='/login']")
        self.page.locator(f"button[name=account][value='{number}']").click()

    def ends(self):
        """The page that waits is shown, and turns by itself."""
        expect(self.page.locator(".notice.good h2")).to_be_visible(timeout=60_000)
        self.look()
        self.context.close()


@pytest.fixture(name="cann")
def _cann(staged):
    """A stage with the community of RULES, and Huawei, whose agreement covers those who enrol at huawei.com."""
    play = staged()
    play.community(RULES)
    sample_data.records(play.stage, play.world.account("boss"))
    play.stage.serve()
    return play


def enter_code(play, visit, address):
    """Type the code that was mailed to that address."""
    play.until(lambda: any(email.to == address for email in play.world.mailbox()))
    [body] = [email.body for email in play.world.mailbox() if email.to == address][:1]
    visit.page.locator("#code").fill(re.findall(r"^(\d[\d ]+\d)$", body, re.MULTILINE)[0])


def visits(play, chromium, emails):
    """A pull request of a newcomer for each window, and a visit to it."""
    for language, width in WINDOWS:
        login = f"{language}{width}"
        own = [email.format(login) for email in emails]
        person = play.person(login, *own, name=login)
        _, pull = play.opens(person, branch=f"fix-{login}")
        play.judged(pull, "failure")
        yield pull, person.account.id, f"{login}@rd.huawei.com", Visit(chromium, language, width)


@pytest.mark.parametrize(
    "at_github", [True, pytest.param(False, marks=pytest.mark.nightly)], ids=["verified at GitHub", "not at GitHub"]
)
def test_enrolling_takes_four_clicks(cann, chromium, at_github):
    emails = ("{}@example.org", "{}@rd.huawei.com")[: 1 + at_github]
    for pull, number, work, visit in visits(cann, chromium, emails):
        visit.page.goto(f"{cann.stage.url}/employer?pr=cann/ops-math/{pull.number}")
        visit.signs_in(number)
        if not at_github:
            visit.page.locator("#other").fill(work)
            visit.click("form[action^='/enrol'] button")
        else:
            visit.click("form[action^='/company/'] button")
        enter_code(cann, visit, work)
        visit.click("#works")
        visit.click("main form.sign button")
        visit.ends()
        assert (visit.clicks, visit.wrong) == (MOST, [])
        cann.judged(pull, "success")
        kinds = [email.subject for email in cann.world.mailbox() if email.to == work]
        assert any("Huawei" in subject for subject in kinds), kinds


def test_signing_takes_three_clicks(cann, chromium):
    for pull, number, _, visit in visits(cann, chromium, ("{}@example.org",)):
        visit.page.goto(f"{cann.stage.url}/sign/icla?pr=cann/ops-math/{pull.number}")
        visit.signs_in(number)
        visit.page.locator("#name").fill("Ada Chen")
        visit.click("#agree")
        visit.click("#sign button")
        visit.ends()
        assert (visit.clicks, visit.wrong) == (3, [])
        cann.judged(pull, "success")
