"""An employee enrols with a code sent to a work address, and the pages tell nothing of other companies."""

from dataclasses import replace
from datetime import timedelta

import pytest
from sqlmodel import select

from agreements.facts import Account, Entry
from agreements.store.people import emails
from agreements.store.tables.company_records import CompanyEntry, Enrolment
from agreements.store.tables.records import OneTimeCode, PersonRecord
from bot.portal.company.enrol import TriedCode, answer_code, ask_for_code, end_enrolment
from tests.bot.portal.company import office
from tests.bot.portal.company.office import WORK
from tests.bot.portal.sentences import without_times

WAITING = "/me/enrolments/{}/pull-request?pr=cann/ops-math/7"


def ask(portal, browser, address=WORK, page="/enrol"):
    """Ask for a code."""
    return browser.post(page, data={"csrf_token": portal.proof(browser, page), "email": address})


def answer(portal, browser, there, **fields):
    """Type a code; None leaves a field out."""
    filled = {"csrf_token": portal.proof(browser, there), "code": office.code(portal), "works": "y", **fields}
    return browser.post(there, data={name: value for name, value in filled.items() if value is not None})


def test_an_employee_enrols_with_a_code_at_a_verified_work_address(portal):
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
    assert "until 2027-11-21" in without_times(listed)


@pytest.mark.parametrize("page", ["/enrol", "/company/c1/enrol", "/company/nobody/enrol"])
def test_the_page_names_no_company_and_refuses_foreign_addresses_alike(portal, page):
    office.company(portal)
    browser = portal.signed_in()
    assert "Huawei" not in browser.get(page).text

    none = ask(portal, browser, "ada@example.com", page)
    assert none.status_code == 400
    assert "You cannot enrol here with this address." in none.text
    assert '<a href="/employer">Other ways to contribute</a>' in none.text
    unverified = ask(portal, browser, "evil@huawei.com", page)
    assert unverified.status_code == 400
    assert "Choose one of your addresses." in unverified.text
    assert office.outbox_emails(portal) == []
    assert office.log(portal) == []


def test_one_covered_address_is_no_question_and_several_name_their_companies(portal):
    office.company(portal)
    office.works(portal, "ada@home.example", WORK)
    page = portal.signed_in().get("/enrol").text
    assert 'type="radio"' not in page
    assert f"<strong>Huawei</strong> has signed. We send a code to <strong>{WORK}</strong>" in page
    assert "your other verified addresses: ada@home.example." in page

    office.company(portal, Entry(domain="redhat.com"), key="c2", name="Red Hat", managers=())
    office.works(portal, WORK, "ada@redhat.com")
    page = portal.signed_in().get("/enrol?domain=redhat.com").text
    assert f'value="{WORK}" required> <span>{WORK} · Huawei</span>' in page
    assert 'value="ada@redhat.com" required checked> <span>ada@redhat.com · Red Hat</span>' in page


def test_an_enrolment_that_runs_is_named_with_its_end(portal):
    office.company(portal)
    page = office.enrolled(portal).get("/enrol").text
    assert "You are enrolled until 2027-11-21" in without_times(page)


def test_a_work_address_that_is_not_at_github_enrols_by_one_code(portal):
    office.company(portal)
    portal.pull(7, of=(11,))
    browser = portal.signed_in()
    page = "/enrol?pr=cann/ops-math/7"
    asked = browser.post(page, data={"csrf_token": portal.proof(browser, page), "other": " Ada@RD.huawei.com "})
    there = asked.headers["Location"]
    assert "Huawei" not in browser.get(there).text
    assert "I work for the company of this address" in browser.get(there).text
    assert answer(portal, browser, there, works=None).status_code == 400
    enrolled = answer(portal, browser, there)
    assert enrolled.headers["Location"] == WAITING.format(office.held_in(portal))
    waiting = browser.get(enrolled.headers["Location"]).text
    assert "You are enrolled at Huawei." in waiting
    assert "We are checking your pull request again" in waiting
    assert [email.to for email in office.outbox_emails(portal)][:2] == [WORK, WORK]


def test_of_two_records_of_one_employer_that_of_the_link_enrols_an_address_that_is_not_at_github(portal):
    office.company(portal)
    office.company(portal, key="c2", managers=(), party="The Other Authors")
    browser, page = portal.signed_in(), "/company/c2/enrol"
    asked = browser.post(page, data={"csrf_token": portal.proof(browser, page), "other": WORK})
    assert answer(portal, browser, asked.headers["Location"]).status_code == 302
    with portal.services.sessions() as session:
        assert session.get(Enrolment, office.held(session)).company_id == "c2"


def test_an_address_that_no_company_covers_is_verified_and_leads_to_the_other_ways(portal):
    office.company(portal)
    browser = portal.signed_in()
    asked = browser.post("/enrol", data={"csrf_token": portal.proof(browser, "/enrol"), "other": "ada@partner.org"})
    answered = answer(portal, browser, asked.headers["Location"])
    assert answered.headers["Location"] == "/employer"
    assert "Your address is verified, but you cannot enrol here with it." in browser.get("/employer").text
    assert proven(portal) == {11: ("ada@partner.org",)}
    assert office.log(portal) == [("address.proven", 11, "person", ["proof"])]
    assert ", ada@partner.org." in browser.get("/enrol").text


@pytest.mark.parametrize(
    ("typed", "says"),
    [
        ("", "Enter a valid e-mail address"),
        ("ada", "Enter a valid e-mail address"),
        ("ada@gmail.com", "Anyone can get an address at this e-mail provider"),
        ("11+ada@users.noreply.github.com", "It does not belong to one company. Enter your work address."),
        ("ada@example.com", "You cannot enrol here with this address."),
    ],
)
def test_an_address_that_can_be_none_at_work_is_refused_with_what_to_do(portal, typed, says):
    browser = portal.signed_in()
    answer = browser.post("/enrol", data={"csrf_token": portal.proof(browser, "/enrol"), "other": typed})
    assert answer.status_code == 400
    assert says in answer.text
    assert f'value="{typed}"' in answer.text
    assert office.outbox_emails(portal) == []


def test_the_page_of_a_company_takes_its_own_addresses_alone(portal):
    office.company(portal)
    office.company(portal, office.Entry(domain="redhat.com"), key="c2", name="Red Hat", managers=())
    office.works(portal, WORK)
    browser = portal.signed_in()

    assert ask(portal, browser, page="/company/c2/enrol").status_code == 400
    assert ask(portal, browser, page="/company/c1/enrol").status_code == 302


@pytest.mark.slow
def test_a_code_ends_after_five_wrong_answers_or_ten_minutes_for_its_owner_alone(portal):
    office.company(portal)
    office.works(portal, WORK)
    browser = portal.signed_in()
    there = ask(portal, browser).headers["Location"]
    right = office.code(portal)
    wrong = f"{(int(right) + 1) % 10**6:06d}"

    unticked = answer(portal, browser, there, works=None).text
    assert ("Tick the box" in unticked, f'value="{right}"' in unticked) == (
        True,
        True,
    )  # The code need not be typed again.
    assert "Enter the eight-digit code" in answer(portal, browser, there, code=" ").text
    empty = answer(portal, browser, there, code=" ", works=None).text
    assert 0 < empty.index("Enter the eight-digit code") < empty.index("Tick the box")
    for left in (4, 3, 2, 1):
        assert f"Attempts left: {left}." in answer(portal, browser, there, code=wrong).text
    proof = portal.proof(browser, there)
    over = browser.post(there, data={"csrf_token": proof, "code": wrong, "works": "y"})
    assert "This code can no longer be used." in over.text
    assert "This code has expired." in browser.get(there).text
    again = browser.post(there, data={"csrf_token": proof, "code": right, "works": "y"})
    assert (again.status_code, "can no longer be used" in again.text) == (400, True)

    there = ask(portal, browser).headers["Location"]
    portal.later(minutes=10)
    assert "This code has expired." in browser.get(there).text
    other = portal.signed_in(id=13, login="cyd")
    assert "This code has expired." in other.get(there).text


def test_a_fourth_code_for_an_address_within_an_hour_is_refused_with_the_time_of_the_next(portal):
    office.company(portal)
    office.works(portal, WORK)
    browser = portal.signed_in()
    for _ in range(3):
        assert ask(portal, browser).status_code == 302
        portal.later(seconds=10)
    refused = ask(portal, browser)
    assert refused.status_code == 429
    assert "Try again at 13:00 UTC." in refused.text


@pytest.mark.slow
def test_an_employee_ends_their_own_enrolment_alone_and_once(portal):
    office.company(portal)
    browser = office.enrolled(portal)
    with portal.services.sessions() as session:
        held = office.held(session)
    path = f"/me/enrolments/{held}/end"
    stranger = portal.signed_in(id=13, login="cyd")
    assert stranger.post(path, data={"csrf_token": portal.proof(stranger)}).status_code == 404

    for _ in range(2):
        assert browser.post(path, data={"csrf_token": portal.proof(browser)}).status_code == 302
    assert "ended on 2026-11-21" in without_times(browser.get("/me/enrolments").text)
    assert [kind for kind, *_ in office.log(portal)] == ["enrolment.added", "enrolment.ended"]


def test_an_enrolment_says_when_the_companys_agreement_is_not_in_force(portal):
    office.company(portal)
    browser = office.enrolled(portal)
    said = "The company's agreement covers nobody now, so this enrolment does not cover you either."
    assert said not in browser.get("/me/enrolments").text
    office.lose_text(portal)
    assert said in browser.get("/me/enrolments").text
    with portal.services.sessions() as session:
        held = office.held(session)
    browser.post(f"/me/enrolments/{held}/end", data={"csrf_token": portal.proof(browser)})
    assert said not in browser.get("/me/enrolments").text


def test_the_pages_of_enrolling_are_shown_in_chinese(portal):
    office.company(portal)
    browser = office.enrolled(portal)
    assert "关联所在公司" in browser.get("/enrol?lang=zh").text
    assert "我的公司" in browser.get("/me/enrolments").text


ADA = Account(11, "ada")


def test_enrolling_leads_back_to_the_pull_request_that_it_came_from(portal):
    office.company(portal)
    portal.pull(7, of=(11,))
    there = "/enrol?pr=cann/ops-math/7"
    assert portal.browser().get(there).headers["Location"] == "/login?next=%2Fenrol%3Fpr%3Dcann%2Fops-math%2F7"
    office.works(portal, WORK)
    browser = portal.signed_in()
    assert "cann/ops-math#7" in browser.get(there).text
    asked = browser.post(there, data={"csrf_token": portal.proof(browser, there), "email": WORK})
    page = asked.headers["Location"]
    assert page.endswith("?pr=cann/ops-math/7")
    assert 'href="/enrol?pr=cann/ops-math/7"' in browser.get(page).text
    form = {"csrf_token": portal.proof(browser, page), "code": office.code(portal), "works": "y"}
    assert browser.post(page, data=form).headers["Location"] == WAITING.format(office.held_in(portal))
    form = {"csrf_token": portal.proof(browser, "/enrol"), "email": WORK}
    assert "?" not in browser.post("/enrol?pr=cann/other/9", data=form).headers["Location"]


def mailed(each_portal):
    """A code for ada's work address; its id."""
    return ask_for_code(each_portal.services, ADA, WORK, "en")


def proven(each_portal):
    """Which addresses count for ada now."""
    with each_portal.services.sessions() as session:
        return emails.proven(session, each_portal.services.vault, [11], each_portal.at, how=("mailed-code",))


def test_a_right_code_enrols_queues_pull_requests_and_tells_both_managers(each_portal):
    office.company(each_portal, managers=((12, "bob"), (13, "cyd")))
    pull = each_portal.pull()
    tried = answer_code(each_portal.services, ADA, mailed(each_portal), office.code(each_portal))

    assert tried == TriedCode("right", enrolment=office.held_in(each_portal))
    assert proven(each_portal) == {11: (WORK,)}
    assert [(job.name, job.ids) for job in each_portal.engine.waiting] == [("review", (pull,)), ("recheck", (11,))]
    assert office.log(each_portal) == [("enrolment.added", 11, "person", ["proof", "enrolment"])]
    code, confirmation, *rest = office.outbox_emails(each_portal)
    assert (code.to, code.values["login"]) == (WORK, "ada")
    assert (confirmation.kind, confirmation.to, confirmation.account_id) == ("enrolment-confirmed", WORK, 11)
    assert confirmation.values == {
        "company": "Huawei", "login": "ada", "day": "2027-11-21", "url": "http://localhost/me/enrolments",
        "site": "http://localhost",
    }  # fmt: skip
    assert [(mail.kind, mail.to, mail.account_id) for mail in rest] == [
        ("enrolled", "bob@boss.example", 11), ("enrolled", "cyd@boss.example", 11),
    ]  # fmt: skip
    assert rest[0].values == {
        "login": "ada", "company": "Huawei", "domain": "huawei.com", "url": "http://localhost/company/c1/roster",
        "manager": "bob",
    }  # fmt: skip


def test_an_enrolment_ends_after_a_year_unless_a_new_code_renews_it(each_portal):
    office.company(each_portal)
    answer_code(each_portal.services, ADA, mailed(each_portal), office.code(each_portal))
    each_portal.later(days=364)
    assert proven(each_portal) == {11: (WORK,)}
    answer_code(each_portal.services, ADA, mailed(each_portal), office.code(each_portal))
    each_portal.later(days=364)
    assert proven(each_portal) == {11: (WORK,)}
    each_portal.later(days=1)

    assert proven(each_portal) == {}
    assert [kind for kind, *_ in office.log(each_portal)] == ["enrolment.added", "enrolment.renewed"]
    assert [email.kind for email in office.outbox_emails(each_portal)].count("enrolled") == 1


def test_no_row_and_no_email_is_written_for_an_account_that_no_company_covers(each_portal):
    office.company(each_portal, excludes=[Entry(account_id=11)], managers=())
    assert mailed(each_portal) is None
    with each_portal.services.sessions() as session:
        assert [session.exec(select(table)).all() for table in (PersonRecord, OneTimeCode)] == [[], []]
    assert office.outbox_emails(each_portal) == []


def test_a_right_code_enrols_no_account_that_the_company_excluded_meanwhile(each_portal):
    office.company(each_portal)
    code_id = mailed(each_portal)
    with each_portal.services.sessions() as session:
        session.exec(select(CompanyEntry)).one().until = each_portal.at

    assert answer_code(each_portal.services, ADA, code_id, office.code(each_portal)) == TriedCode("gone")
    each_portal.later(seconds=10)
    assert answer_code(each_portal.services, ADA, code_id, office.code(each_portal)) == TriedCode("used-up")
    assert (proven(each_portal), office.log(each_portal)) == ({}, [])


def test_a_failed_last_step_leaves_the_code_good(each_portal):
    office.company(each_portal)
    code_id, code = mailed(each_portal), office.code(each_portal)

    class Full:
        """An engine that finds the disk full."""

        def enqueue(self, session, job):
            raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        answer_code(replace(each_portal.services, engine=Full()), ADA, code_id, code)
    assert (proven(each_portal), office.log(each_portal), len(office.outbox_emails(each_portal))) == ({}, [], 1)
    assert answer_code(each_portal.services, ADA, code_id, code).outcome == "right"


def test_an_ended_enrolment_counts_no_more_and_is_logged_with_who_ended_it(each_portal):
    office.company(each_portal)
    answer_code(each_portal.services, ADA, mailed(each_portal), office.code(each_portal))
    pull = each_portal.pull()
    with each_portal.services.sessions() as session:
        held = office.held(session)
    each_portal.later(days=1)

    assert end_enrolment(each_portal.services, held, by=12)
    assert not end_enrolment(each_portal.services, held, by=12)
    assert proven(each_portal) == {}
    assert office.log(each_portal)[1:] == [("enrolment.ended", 12, "person", ["proof", "enrolment"])]
    assert ("review", (pull,)) in [(job.name, job.ids) for job in each_portal.engine.waiting]
    assert timedelta(0) == max(job.delay for job in each_portal.engine.waiting)
