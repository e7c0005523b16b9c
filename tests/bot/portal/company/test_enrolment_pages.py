"""Enrolling, as somebody sees it: one question, one code, one list; and nothing about companies that are not theirs."""

import pytest

from tests.bot.portal.company import office
from tests.bot.portal.company.office import WORK


def ask(portal, browser, address=WORK, page="/enrol"):
    """Ask for a code."""
    return browser.post(page, data={"csrf_token": portal.proof(browser, page), "email": address})


def answer(portal, browser, there, **given):
    """Type a code; None leaves a field out."""
    filled = {"csrf_token": portal.proof(browser, there), "code": office.code(portal), "works": "y", **given}
    return browser.post(there, data={name: value for name, value in filled.items() if value is not None})


def test_from_the_question_to_the_list(portal):
    """Only addresses that GitHub verified and that may belong to a company are offered; the list says until when."""
    office.company(portal)
    office.works(portal, "ada@home.example", WORK, "11+ada@users.noreply.github.com")
    browser = portal.signed_in()
    page = browser.get("/enrol").text
    assert WORK in page
    assert "ada@home.example" in page
    assert "noreply" not in page

    sent = ask(portal, browser)
    there = sent.headers["Location"]
    assert "@" not in there
    assert "Huawei" in browser.get(there).text
    assert answer(portal, browser, there).headers["Location"] == "/me/enrolments"
    listed = browser.get("/me/enrolments").text
    assert "You are enrolled." in listed
    assert "Huawei" in listed
    assert "until 2027-11-21" in listed


@pytest.mark.parametrize("page", ["/enrol", "/company/c1/enrol", "/company/nobody/enrol"])
def test_a_stranger_learns_nothing(portal, page):
    """The page is the same whatever the company; an address that nobody covers, or that is not theirs, says just that."""
    office.company(portal)
    browser = portal.signed_in()
    assert "Huawei" not in browser.get(page).text

    none = ask(portal, browser, "ada@example.com", page)
    assert none.status_code == 400
    assert "No company here covers that address." in none.text
    unverified = ask(portal, browser, "evil@huawei.com", page)
    assert unverified.status_code == 400
    assert "Choose one of your addresses." in unverified.text
    assert office.letters(portal) == []
    assert office.log(portal) == []


def test_the_page_of_a_company_enrols_there_alone(portal):
    """Its own address enrols; another company's does not."""
    office.company(portal)
    office.company(portal, office.Entry(domain="redhat.com"), key="c2", name="Red Hat", managers=())
    office.works(portal, WORK)
    browser = portal.signed_in()

    assert ask(portal, browser, page="/company/c2/enrol").status_code == 400
    assert ask(portal, browser, page="/company/c1/enrol").status_code == 302


def test_what_may_be_wrong_with_an_answer(portal):
    """No tick and no code spend no try; five wrong codes end it; another's code and an old one have no form."""
    office.company(portal)
    office.works(portal, WORK)
    browser = portal.signed_in()
    there = ask(portal, browser).headers["Location"]
    right = office.code(portal)
    wrong = f"{(int(right) + 1) % 10**6:06d}"

    assert "Tick the box" in answer(portal, browser, there, works=None).text
    assert "Type the eight digits" in answer(portal, browser, there, code=" ").text
    for left in (4, 3, 2, 1):
        assert f"Tries left: {left}." in answer(portal, browser, there, code=wrong).text
    proof = portal.proof(browser, there)
    over = browser.post(there, data={"csrf_token": proof, "code": wrong, "works": "y"})
    assert "This code has been used up." in over.text
    assert "This code is over." in browser.get(there).text
    again = browser.post(there, data={"csrf_token": proof, "code": right, "works": "y"})
    assert (again.status_code, "used up" in again.text) == (400, True)

    there = ask(portal, browser).headers["Location"]
    portal.later(minutes=10)
    assert "This code is over." in browser.get(there).text
    other = portal.signed_in(id=13, login="cyd")
    assert "This code is over." in other.get(there).text


def test_too_many_codes_are_refused(portal):
    """After five an hour, with the time of the next."""
    office.company(portal)
    office.works(portal, WORK)
    browser = portal.signed_in()
    for _ in range(5):
        assert ask(portal, browser).status_code == 302
    refused = ask(portal, browser)
    assert refused.status_code == 429
    assert "Try again at 13:00 UTC." in refused.text


def test_leaving(portal):
    """One's own alone, once; the list keeps the end."""
    office.company(portal)
    browser = office.enrolled(portal)
    with portal.services.sessions() as session:
        held = office.held(session)
    path = f"/me/enrolments/{held}/end"
    stranger = portal.signed_in(id=13, login="cyd")
    assert stranger.post(path, data={"csrf_token": portal.proof(stranger)}).status_code == 404

    for _ in range(2):
        assert browser.post(path, data={"csrf_token": portal.proof(browser)}).status_code == 302
    assert "ended on 2026-11-21" in browser.get("/me/enrolments").text
    assert [kind for kind, *_ in office.log(portal)] == ["enrolment.added", "enrolment.ended"]


def test_in_chinese(portal):
    """Every page of it speaks the visitor's language."""
    office.company(portal)
    browser = office.enrolled(portal)
    assert "在您的公司登记" in browser.get("/enrol?lang=zh").text
    assert "我的公司" in browser.get("/me/enrolments").text
