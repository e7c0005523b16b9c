"""An employee is led from the pull request to three ways in, and may ask the company by e-mail to sign."""

from dataclasses import replace
from datetime import timedelta

import pytest
from sqlmodel import select

from agreements.facts import Entry
from bot.mail import cover_requests
from bot.mail.smtp import read
from bot.store import outbox
from bot.store.outbox import Mail
from tests.bot.portal.company import office

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
        return [outbox.opened(portal.services.vault, row) for row in found]


def test_the_agreements_page_leads_to_three_ways_that_keep_the_pull_request(portal):
    portal.pull(7)
    for browser in (portal.browser(), portal.signed_in()):
        agreement = browser.get(f"/sign/icla{PULL}").text
        assert agreement.index("for yourself or for your employer?") < agreement.index("What the agreement covers")
        assert f'href="{PAGE}"' in agreement
        page = browser.get(PAGE).text
        ways = [
            page.index(way) for way in (f'="/enrol{PULL}"', "My company has not signed", f'href="/sign/icla{PULL}"')
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


@pytest.mark.slow
def test_an_address_gets_one_email_a_week_and_the_answer_does_not_tell(portal):
    portal.pull(7)
    for number, login in ((11, "ada"), (12, "bob")):
        browser = portal.signed_in(id=number, login=login)
        answers = [ask(portal, browser, address) for address in (BOSS, "legal@COMPANY.example")]
        assert [(answer.status_code, answer.headers["Location"]) for answer in answers] == [(302, PAGE)] * 2
        assert "Your request has been sent." in browser.get("/employer").text
    assert [email is not None for email in outbox_emails(portal)].count(True) == 1

    portal.at += timedelta(days=7)
    ask(portal, portal.signed_in())
    assert [email is not None for email in outbox_emails(portal)].count(True) == 2


@pytest.mark.slow
def test_an_account_sends_five_requests_a_day_including_withheld_ones(portal):
    """If withheld requests did not count, the limit would tell who else had asked that address."""
    ask(portal, portal.signed_in(id=12, login="bob"))
    browser = portal.signed_in()
    answers = [
        ask(portal, browser, address) for address in (BOSS, *(f"boss{number}@company.example" for number in range(5)))
    ]

    assert [answer.status_code for answer in answers] == [302] * 5 + [429]
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


def request(portal, browser, company="c1", wish="add", page="/employer"):
    """Ask the managers of that company."""
    there = page.replace("/employer", "/employer/managers")
    data = {"csrf_token": portal.proof(browser, "/employer"), "company": company, "wish": wish}
    return browser.post(there, data=data)


def test_a_visitor_is_told_by_which_company_they_can_be_covered_and_the_address_is_chosen(portal):
    portal.pull(7)
    office.company(portal, domains="enrolled")
    office.works(portal, "ada@home.example", office.WORK)
    browser = portal.signed_in()
    page = browser.get(PAGE).text

    assert "Huawei has signed, but does not cover you yet" in page
    form = page[page.index('action="/company/c1/enrol?pr=cann/ops-math/7"') : page.index("Other ways to contribute")]
    assert f'name="email" value="{office.WORK}"' in form
    office.works(portal, office.WORK, "ada@huawei.com")
    browser = portal.signed_in()
    assert 'href="/company/c1/enrol?pr=cann/ops-math/7&amp;domain=huawei.com"' in browser.get(PAGE).text
    chosen = browser.get("/company/c1/enrol?domain=huawei.com").text
    assert f'value="{office.WORK}" required checked' in chosen
    assert chosen.count("checked") == 1


def test_a_visitor_whom_no_company_knows_is_led_to_enrol_with_another_address(portal):
    page = portal.signed_in().get(PAGE).text

    assert "If your work address is another one, enrol with it." in page
    assert 'action="/enrol"' in page


def test_a_covered_visitor_has_nothing_to_do_unless_both_are_required(portal):
    office.company(portal, Entry(account_id=11))
    browser = portal.signed_in()
    page = browser.get("/employer").text

    assert "Huawei covers you" in page
    assert "You do not have to do anything." in page
    assert "Ask the managers" not in page
    assert request(portal, browser).status_code == 404
    portal.rules = replace(portal.rules, employees="sign-too")
    assert "These projects also require your own signature." in browser.get("/employer").text


def test_a_linked_address_is_covered_and_the_page_says_that_others_are_not(portal):
    office.company(portal)
    office.works(portal, office.WORK)
    page = portal.signed_in().get("/employer").text

    assert f"Huawei covers your commits from {office.WORK}" in page
    assert "Commits with your other addresses are not covered yet." in page


@pytest.mark.parametrize("email", ["ada@huawei.com.cn", "ada@huawei.example"])
def test_without_a_verified_address_of_theirs_visitors_learn_of_no_company(portal, email):
    office.company(portal)
    office.works(portal, email)
    browser = portal.signed_in()

    assert "Huawei" not in browser.get("/employer").text
    assert "Huawei" not in portal.browser().get("/employer").text
    assert request(portal, browser).status_code == request(portal, browser, "nobody").status_code == 404
    assert office.outbox_emails(portal) == []


def test_an_unverified_address_tells_nothing(portal):
    office.company(portal)
    portal.github.emails = [
        {"email": "ada@home.example", "verified": True, "primary": True},
        {"email": office.WORK, "verified": False, "primary": False},
    ]

    assert "Huawei" not in portal.signed_in().get("/employer").text


def test_the_managers_are_asked_once_a_day_and_not_named(portal):
    office.company(portal)
    office.works(portal, office.WORK)
    browser = portal.signed_in()
    sent = request(portal, browser)
    page = browser.get(sent.headers["Location"]).text
    portal.later(seconds=10)
    again = request(portal, browser)

    assert "Your request has been sent to the managers of Huawei." in page
    assert "bob" not in page
    assert again.status_code == 429
    assert "You have asked these managers in the last 24 hours." in again.text
    assert [(email.kind, email.to) for email in office.outbox_emails(portal)] == [("cover-request", "bob@boss.example")]


def test_managers_who_had_many_requests_get_no_more_that_day(portal, monkeypatch):
    monkeypatch.setattr(cover_requests, "MAX_REQUESTS_A_DAY", 0)
    office.company(portal)
    office.works(portal, office.WORK)
    answer = request(portal, portal.signed_in())

    assert answer.status_code == 429
    assert "have received many requests today" in answer.text


def test_managers_who_cannot_be_reached_are_said_so(portal):
    office.company(portal, managers=())
    office.works(portal, office.WORK)
    answer = request(portal, portal.signed_in())

    assert answer.status_code == 409
    assert "can be reached by e-mail" in answer.text


@pytest.mark.parametrize("wish", ["", "leave", "remove-all"])
def test_a_wish_that_has_no_sense_is_refused(portal, wish):
    office.company(portal, domains="enrolled")
    office.works(portal, office.WORK)

    assert request(portal, portal.signed_in(), wish=wish).status_code == 404
