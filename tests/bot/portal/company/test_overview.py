"""A company's managers alone see how its agreement stands, choose how addresses count, renew, end and export it."""

import csv
import io
import re
from dataclasses import replace
from datetime import timedelta
from io import StringIO

import pypdf
import pytest
from structlog.testing import capture_logs

from agreements import signed_receipt
from agreements.facts import Entry
from agreements.rulebook.rules import People
from agreements.store.companies import company_requests
from agreements.store.ledger import stored_ledger
from agreements.store.people import person_rows
from agreements.store.record_context import RecordContext
from agreements.store.tables.company_records import CompanyRecord
from tests.bot.portal.company import office
from tests.bot.portal.company.office import MANAGER, WORK
from tests.bot.portal.company.test_removal import judged
from tests.bot.portal.sentences import without_times


@pytest.mark.slow
def test_a_company_is_listed_for_its_two_managers_alone(requested):
    home = f"/company/{requested.company_id}"
    for who, sees in ({"id": 11}, True), ({"id": 12, "login": "bob"}, True), ({"id": 13, "login": "carol"}, False), ({"id": 90, "login": "root"}, False):  # fmt: skip
        browser = requested.sit(**who)
        assert ("Huawei Technologies" in browser.get("/company").text) is sees
        for page in ("", "/domains", "/people", "/managers"):
            assert browser.get(home + page).status_code == (200 if sees else 404), (who, page)


def test_the_overview_names_the_missing_domain_and_then_the_yearly_review(requested):
    page = requested.ada.get(f"/company/{requested.company_id}").text
    assert "Waiting for countersignature" in page
    assert "Verify one of your domains" in page
    assert "Add a second manager" not in page
    assert "9144-0300" in page
    requested.countersign()
    page = requested.ada.get(f"/company/{requested.company_id}").text
    assert "in force since" in page
    assert "2027-11-21" in page


def test_a_refusal_is_shown_with_its_reason(requested):
    services = requested.portal.services
    with services.sessions() as session:
        company_requests.refuse(RecordContext(session, services.vault, 90, requested.portal.at, services.new_id), requested.company_id, reason="Not <known>")  # fmt: skip
    page = requested.ada.get(f"/company/{requested.company_id}").text
    assert "Not &lt;known&gt;" in page
    assert "Ask again" in page


@pytest.mark.parametrize("page", ["", "/roster", "/coverage", "/people", "/invitations", "/simulate", "/renewal"])
def test_each_page_of_a_company_whose_text_is_missing_says_that_it_covers_no_person(portal, page):
    office.company(portal)
    browser = portal.signed_in(**office.MANAGER)
    sentence = (
        "covers nobody, because the text that was signed is not in the catalog of agreements. Ask the administrators"
    )
    assert sentence not in browser.get(f"/company/c1{page}").text
    office.lose_text(portal)

    found = browser.get(f"/company/c1{page}").text
    assert sentence in found
    assert "has been in force" not in found
    assert "此协议不适用于任何人" in browser.get(f"/company/c1{page}?lang=zh").text


def test_an_agreement_whose_text_is_missing_can_still_be_ended(portal):
    office.company(portal)
    office.lose_text(portal)
    browser = portal.signed_in(**office.MANAGER)

    assert "Covers nobody" in browser.get("/company").text
    assert "/company/c1/end" in browser.get("/company/c1").text
    assert 'action="/company/c1/people' in browser.get("/company/c1/people").text


def test_managers_choose_how_addresses_count_but_not_weaker_than_the_rulebook(requested):
    sent = requested.send(requested.ada, "/mode", "", mode="enrolled")
    assert sent.status_code == 302
    assert requested.jobs == [0]
    assert office.log(requested.portal)[-1][0] == "company.changed"
    requested.portal.rules = replace(requested.portal.rules, people=People(domains="enrolled"))
    assert requested.send(requested.ada, "/mode", "", mode="linked").status_code == 409
    assert requested.send(requested.ada, "/mode", "", mode="other").status_code == 400


def test_the_same_choice_again_writes_and_rejudges_nothing(requested):
    requested.send(requested.ada, "/mode", "", mode="enrolled")
    before = office.log(requested.portal), requested.jobs
    again = requested.send(requested.ada, "/mode", "", mode="enrolled")

    assert again.status_code == 302
    assert (office.log(requested.portal), requested.jobs) == before
    assert (
        "Nothing changed. This was already the setting." in requested.ada.get(f"/company/{requested.company_id}").text
    )


@pytest.mark.slow
def test_an_agreement_in_force_ends_thirty_days_after_its_managers_announce_it(requested):
    assert requested.send(requested.ada, "/end", "", sure="y").status_code == 409
    requested.countersign()
    assert requested.send(requested.ada, "/end", "").status_code == 400
    assert requested.send(requested.ada, "/end", "", sure="y").status_code == 302
    assert requested.jobs == [0, 30]
    assert "It ends on 2026-12-21" in without_times(requested.ada.get(f"/company/{requested.company_id}").text)
    email = office.outbox_emails(requested.portal)[-1]
    assert (email.kind, email.values["time"]) == ("company-leaves", "2026-12-21 12:00")
    requested.portal.later(days=31)
    assert "This agreement ended on" in requested.sit().get(f"/company/{requested.company_id}").text


def test_an_end_set_by_an_administrator_is_shown_with_its_reason(requested):
    requested.countersign()
    services = requested.portal.services

    def end(days, reason):
        with services.sessions() as session:
            until = requested.portal.at + timedelta(days=days)
            company_requests.end(RecordContext(session, services.vault, 90, requested.portal.at, services.new_id), requested.company_id, until=until, reason=reason)  # fmt: skip
        return requested.ada.get(f"/company/{requested.company_id}").text

    page = end(60, "Merged <with> another")
    assert "It ends on 2027-01-20 12:00:00 UTC. Reason: Merged &lt;with&gt; another" in without_times(page)
    requested.portal.later(days=61)
    page = requested.sit().get(f"/company/{requested.company_id}").text
    assert "This agreement ended on" in page
    assert "Reason: Merged &lt;with&gt; another" in without_times(page)
    requested.portal.at -= timedelta(days=61)
    assert "Reason:" not in end(30, "")


@pytest.mark.slow
def test_a_manager_whose_address_is_unknown_is_told_on_both_pages(requested):
    bob = requested.sit(id=12, login="bob")
    for page in ("", "/managers"):
        shown = bob.get(f"/company/{requested.company_id}{page}").text
        assert "You do not receive e-mails about this company. We have no e-mail address for you," in shown
        assert 'href="/me/emails"' in shown
        assert (
            "You do not receive e-mails about this company"
            not in requested.ada.get(f"/company/{requested.company_id}{page}").text
        )
    assert "We then send you an e-mail." in requested.ada.get(f"/company/{requested.company_id}").text
    assert "We then send you an e-mail." not in bob.get(f"/company/{requested.company_id}").text
    office.known(requested.portal, 12, "bob", "bob@home.example")
    assert "You do not receive e-mails about this company" not in bob.get(f"/company/{requested.company_id}").text


@pytest.mark.parametrize("path", ["/mode", "/end"])
def test_an_account_that_is_no_manager_changes_nothing(requested, path):
    eve = requested.sit(id=13, login="carol")
    data = {"csrf_token": requested.portal.proof(eve), "mode": "enrolled", "sure": "y"}
    assert eve.post(f"/company/{requested.company_id}{path}", data=data).status_code == 404


def test_requiring_enrolment_first_shows_the_people_who_lose_cover(portal):
    office.company(portal)
    judged(portal, 1, 17, "gus@rd.huawei.com")
    judged(portal, 2, 17, "gus@rd.huawei.com", private=True)
    browser = portal.signed_in(**office.MANAGER)

    def save(**more):
        data = {"csrf_token": portal.proof(browser, "/company/c1"), "mode": "enrolled", **more}
        return browser.post("/company/c1/mode", data=data, follow_redirects=True).text

    page = save()
    for words in ("Nothing has been saved yet", "until they enrol: 1", "gus ", ">cann/ops-math#1<", "would fail: 2"):
        assert words in page, words
    assert 'href="http://localhost/company/c1/enrol"' in page
    assert "Saved." not in page
    assert "Saved." in save(sure="y")


def test_a_restricted_signer_is_not_shown_to_the_managers(requested):
    page = f"/company/{requested.company_id}"
    browser = requested.sit(id=12, login="bob")
    assert "· ada" in browser.get(page).text
    with requested.portal.services.sessions() as session:
        person_rows.find(session, 11).restricted_at = requested.portal.at
    assert "· ada" not in browser.get(page).text


def test_the_export_is_a_csv_file_safe_for_spreadsheets_with_one_log_entry(portal):
    office.company(portal, Entry(domain="huawei.com"), Entry(email="+x@partner.org"))
    office.company(portal, Entry(domain="redhat.com"), key="c2", name="Red Hat", managers=((13, "cyd"),))
    office.enrolled(portal)
    browser = portal.signed_in(**MANAGER)
    sent = browser.post("/company/c1/export.csv", data={"csrf_token": portal.proof(browser, "/company/c1/export")})

    assert sent.headers["Content-Type"] == "text/csv; charset=utf-8"
    assert sent.headers["Content-Disposition"] == 'attachment; filename="company-2026-11-21.csv"'
    assert sent.headers["Cache-Control"] == "no-store"
    assert sent.data.startswith(b"\xef\xbb\xbfrecord,domain,")
    rows = list(csv.DictReader(StringIO(sent.data.decode("utf-8-sig"), newline="")))
    assert [(row["record"], row["address"], row["account_id"]) for row in rows] == [
        ("entry", "", ""), ("entry", "'+x@partner.org", ""), ("enrolment", WORK, "11"), ("manager", "", "12"),
        ("# complete: 4 rows", "", ""),
    ]  # fmt: skip
    assert b"redhat" not in sent.data
    assert office.log(portal)[-1] == ("company.exported", 12, "company", [])


def test_the_export_needs_its_own_form_and_a_manager_of_the_company(portal):
    office.company(portal)
    browser = portal.signed_in(**MANAGER)
    assert browser.get("/company/c1/export.csv").status_code == 405
    assert browser.post("/company/c1/export.csv").status_code == 400
    other = portal.signed_in(id=13, login="cyd")
    assert other.post("/company/c1/export.csv", data={"csrf_token": portal.proof(other)}).status_code == 404
    assert office.log(portal) == []


def test_an_export_is_in_the_servers_log_with_ids_alone(portal):
    office.company(portal)
    browser = portal.signed_in(**MANAGER)
    word = portal.proof(browser, "/company/c1/export")
    with capture_logs() as lines:
        browser.post("/company/c1/export.csv", data={"csrf_token": word})
    assert lines == [{"event": "export.made", "log_level": "info", "account": 12, "what": "company", "subject": "c1"}]


PAGE = "/company/c1/renewal"


def due(portal, **days):
    """The company is due after so long."""
    with portal.services.sessions() as session:
        session.get(CompanyRecord, "c1").renew_by = portal.at + timedelta(**days)


def tick(portal, browser, **changed):
    """Send the form, which is there or not."""
    form = {"csrf_token": portal.proof(browser, PAGE), "right": "y", **changed}
    return browser.post(PAGE, data={name: value for name, value in form.items() if value})


def test_a_tick_renews_the_agreement_for_a_year_with_one_log_entry(portal):
    office.company(
        portal,
        Entry(domain="huawei.com"),
        Entry(account_id=99),
        Entry(email="a@partner.org"),
        excludes=[Entry(account_id=5)],
    )
    due(portal, days=20)
    browser = portal.signed_in(**MANAGER)
    page = without_times(browser.get(PAGE).text)
    for shown in ("Due on 2026-12-11", "huawei.com", "and its subdomains", "bob", "<dd>2</dd>", "<dd>1</dd>"):
        assert shown in page

    missed = tick(portal, browser, right="")
    assert (missed.status_code, "Tick the box" in missed.text) == (400, True)
    assert tick(portal, browser).headers["Location"] == PAGE
    assert "Due on 2027-12-11" in without_times(browser.get(PAGE).text)
    again = tick(portal, browser)
    assert (again.status_code, "You do not need to do anything now" in again.text) == (409, True)
    assert office.log(portal) == [("company.renewed", 12, "company", ["company"])]


def test_an_ended_agreement_is_not_renewed(portal):
    office.company(portal, ended_at=portal.at)
    browser = portal.signed_in(**MANAGER)
    assert "not in force" in browser.get(PAGE).text
    assert tick(portal, browser).status_code == 409
    assert office.log(portal) == []


def test_administrators_and_auditors_see_reviews_overdue_by_a_month(portal):
    office.company(portal, Entry(account_id=99))
    due(portal, days=-30)
    for reader in ({"id": 90, "login": "root"}, {"id": 91, "login": "eye"}):
        page = portal.signed_in(**reader).get("/admin/companies/overdue").text
        assert "Huawei" in page
        assert "2026-10-22" in page
    browser = portal.signed_in(**MANAGER)
    assert browser.get("/admin/companies/overdue").status_code == 404
    assert "number 99" in browser.get("/company/c1/roster").text
    due(portal, days=-29)
    assert "No review is overdue." in portal.signed_in(id=90, login="root").get("/admin/companies/overdue").text


def test_each_manager_can_save_the_companys_receipt_without_the_signers_address(requested):
    path = f"/company/{requested.company_id}/receipt.json"
    assert path in requested.ada.get(f"/company/{requested.company_id}").text
    assert requested.sit(id=13, login="carol").get(path).status_code == 404
    found = signed_receipt.parse(requested.sit(id=12, login="bob").get(path).data)
    with requested.portal.services.sessions() as session:
        signed_receipt.verify(found, stored_ledger.public_key(session, requested.portal.services.vault))

    assert (found["agreement"]["name"], found["fields"]["legal-name"]) == ("ccla", "Huawei Technologies Co., Ltd.")
    assert (found["email"], "title" in found["fields"]) == (None, False)


@pytest.mark.slow
@pytest.mark.usefixtures("typesetter")
def test_each_manager_can_save_the_companys_pdf_whose_pages_hide_the_signers_address_too(requested):
    path = f"/company/{requested.company_id}/receipt.pdf"
    assert path in requested.ada.get(f"/company/{requested.company_id}").text
    assert requested.sit(id=13, login="carol").get(path).status_code == 404
    reader = pypdf.PdfReader(io.BytesIO(requested.sit(id=12, login="bob").get(path).data))
    said = re.sub(r"\s", "", "".join(page.extract_text() for page in reader.pages))
    found = signed_receipt.parse(reader.attachments["receipt.json"][0])

    assert "HuaweiTechnologiesCo.,Ltd." in said
    assert "Thesignerdeclared" in said
    assert found["email"] is None
    with requested.portal.services.sessions() as session:
        stated = company_requests.opened(session, requested.portal.services.vault, requested.company_id)
    for private in (stated.signed.draft.email, stated.signed.draft.fields["title"]):
        assert private
        assert re.sub(r"\s", "", private) not in said.replace("TITLE", "")
