"""An employee is led from the pull request to three ways in, and may ask the company by e-mail to sign."""

from dataclasses import replace
from datetime import timedelta

import pytest
from sqlmodel import select

from bot.mail.smtp import read
from bot.store import outbox
from bot.store.outbox import Mail

PULL = "?pr=cann/ops-math/7"
PAGE = f"/employer{PULL}"
BOSS = "legal@company.example"


def ask(portal, browser, address=BOSS, page=PAGE):
    """Ask that company to sign."""
    return browser.post(page, data={"csrf_token": portal.proof(browser, "/employer"), "address": address})


def outbox_emails(portal):
    """What was written, as it will be sent; None for an e-mail that was withheld."""
    with portal.services.sessions() as session:
        found = session.exec(
            select(Mail).where(Mail.kind == "company-invitation").order_by(Mail.made_at, Mail.id)
        ).all()
        return [outbox.opened(portal.services.vault, one) for one in found]


def test_the_agreements_page_leads_to_three_ways_that_keep_the_pull_request(portal):
    portal.pull(7)
    for browser in (portal.browser(), portal.signed_in()):
        agreement = browser.get(f"/sign/icla{PULL}").text
        assert agreement.index("for yourself or for your employer?") < agreement.index("What the agreement covers")
        assert f'href="{PAGE}"' in agreement
        page = browser.get(PAGE).text
        ways = [
            page.index(one) for one in (f'href="/enrol{PULL}"', "My company has not signed", f'href="/sign/icla{PULL}"')
        ]
        assert ways == sorted(ways)
        assert "cann/ops-math#7" in page
        assert "Two things are needed" not in page


def test_a_visitor_signs_in_before_the_form_is_shown(portal):
    portal.pull(7)
    page = portal.browser().get(PAGE).text

    assert 'name="address"' not in page
    assert 'href="/login?next=%2Femployer%3Fpr%3Dcann%2Fops-math%2F7"' in page


def test_a_person_who_has_signed_is_not_asked_about_an_employer(portal):
    browser = portal.signed_in()
    browser.post("/sign/icla", data=portal.form(browser))

    assert "for your employer?" not in browser.get("/sign/icla").text


def test_with_sign_too_the_page_says_that_two_things_are_needed(portal):
    portal.rules = replace(portal.rules, employees="sign-too")
    page = portal.signed_in().get("/employer").text

    assert "Two things are needed" in page
    assert "Sign for myself as well" in page


def test_the_email_names_the_login_and_no_address_or_repository_of_the_sender(portal):
    portal.pull(7)
    browser = portal.signed_in()
    answer = ask(portal, browser, " Legal@Company.example ")
    [email] = outbox_emails(portal)
    page = read(email)

    assert (answer.status_code, answer.headers["Location"]) == (302, PAGE)
    assert "Your request has been sent." in browser.get(PAGE).text
    assert email.to == "legal@company.example"
    assert page.subject == "ada asks your company to sign an agreement"
    assert f"{portal.services.settings.url}/company/request" in page.body
    assert "ada@example.com" not in page.body
    assert "ops-math" not in page.body


def test_the_email_is_in_the_senders_language(portal):
    browser = portal.signed_in()
    browser.set_cookie("language", "zh")
    ask(portal, browser)

    assert "贡献者许可协议" in read(outbox_emails(portal)[0]).body


def test_an_address_gets_one_email_a_week_and_the_answer_does_not_tell(portal):
    portal.pull(7)
    for number, login in ((11, "ada"), (12, "bob")):
        browser = portal.signed_in(id=number, login=login)
        answers = [ask(portal, browser, one) for one in (BOSS, "legal@COMPANY.example")]
        assert [(one.status_code, one.headers["Location"]) for one in answers] == [(302, PAGE)] * 2
        assert "Your request has been sent." in browser.get("/employer").text
    assert [one is not None for one in outbox_emails(portal)].count(True) == 1

    portal.at += timedelta(days=7)
    ask(portal, portal.signed_in())
    assert [one is not None for one in outbox_emails(portal)].count(True) == 2


def test_an_account_sends_five_requests_a_day_including_withheld_ones(portal):
    """If withheld requests did not count, the limit would tell who else had asked that address."""
    ask(portal, portal.signed_in(id=12, login="bob"))
    browser = portal.signed_in()
    answers = [ask(portal, browser, one) for one in (BOSS, *(f"boss{number}@company.example" for number in range(5)))]

    assert [one.status_code for one in answers] == [302] * 5 + [429]
    assert "You have sent 5 requests today. Try again tomorrow." in answers[-1].text
    assert 'value="boss4@company.example"' in answers[-1].text
    portal.at += timedelta(days=1, seconds=1)
    assert ask(portal, portal.signed_in(), "boss4@company.example").status_code == 302


@pytest.mark.parametrize("typed", ["", "legal", "a@b@c", "a@b.example\nBcc: c@d.example"])
def test_an_unusable_address_is_explained_at_the_field(portal, typed):
    answer = ask(portal, portal.signed_in(), typed)

    assert answer.status_code == 400
    assert "Enter a valid e-mail address" in answer.text
    assert outbox_emails(portal) == []
