"""The administration's pages of companies: countersigning, refusing, ending and appointing, each with one log entry."""

import re
from dataclasses import replace

import pytest
from sqlmodel import select

from agreements.facts import Account
from agreements.store.companies import company_requests, managers
from agreements.store.companies.company_requests import Request
from agreements.store.people import person_rows
from agreements.store.tables.company_records import CompanyManager, CompanyRecord
from tests.bot.portal.company import office as company_office
from tests.bot.portal.sentences import without_times
from tests.within import within


def coverage_of(office, company_id):
    """How the company stands."""
    with office.portal.services.sessions() as session:
        texts = office.portal.services.catalog.accepted()
        return company_requests.overview(session, company_id, accepted=texts, at=office.portal.at)


def kinds(office):
    """The kinds of all entries, newest first."""
    return [entry.kind for entry in office.entries() if entry.kind != "records.adopted"]


def test_a_companys_fields_have_labels_even_if_its_version_declares_none(office):
    draft = office.draft(agreement="ccla", fields={"legal-name": "Acme Inc.", "registration": "HRB 1"})
    draft = replace(draft, version="2.1")
    services = office.portal.services
    with services.sessions() as session:
        ada = person_rows.ensure(within(session, services.vault, services.clock(), services.new_id), Account(11, "ada"))
        company_id = company_requests.ask(within(session, services.vault, services.clock(), services.new_id, by=ada.account_id), ada, Request(name="Acme", draft=draft, second=Account(12, "bob")), company_id=services.new_id(), receipt="0001-BBBB-CCCC-DDDD-EEEE")  # fmt: skip
    page = office.eye.get(f"/admin/companies/{company_id}").text

    assert "Acme Inc." in page
    assert "<dt>legal-name</dt>" not in page
    assert "<dt>registration</dt>" not in page


def test_administrators_and_auditors_read_companies_without_an_entry_in_the_log(office):
    company_id = office.company()
    office.claim(company_id)
    before = office.entries()
    for browser in (office.root, office.eye):
        assert f'<a href="/admin/companies/{company_id}">Huawei</a>' in browser.get("/admin/companies").text
        page = browser.get(f"/admin/companies/{company_id}").text
        for shown in (
            "Ada 爱达",
            "ada@example.com",
            "Signer&#39;s title in the company",
            "Director",
            "CN",
            ">bob</a>",
            "huawei.com",
            "waiting for a decision",
        ):
            assert shown in page, shown
        assert ("<form" in page.split("<main")[1]) == (browser is office.root)
    assert office.entries() == before, "to look is no change"
    assert office.root.get("/admin/companies/gone").status_code == 404


@pytest.mark.slow
def test_countersigning_needs_a_reason_while_no_domain_is_proven(office):
    company_id = office.company()
    path = f"/admin/companies/{company_id}/countersign"
    for changed in ({}, {"confirmed": ""}):  # Also before the e-mail to its managers is shown.
        refused = office.post(path, reason=" ", **changed)
        assert refused.status_code == 409
        assert '<a href="#countersign-reason">Enter a reason.' in refused.text
    assert kinds(office) == ["company.requested"]

    assert office.post(path, reason="Seen the register").status_code == 302
    found = coverage_of(office, company_id)
    assert (found.state, found.renew_by.year) == ("in force", 2027)
    assert kinds(office) == ["company.countersigned", "company.requested"]
    assert ("company", (company_id,)) in {(job.name, job.ids) for _, job in office.portal.engine._committed}
    again = office.post(path, reason="again")
    assert (again.status_code, "This was already decided." in again.text) == (409, True)


def test_a_company_whose_text_is_not_in_the_catalog_is_shown_to_cover_no_contributor(office):
    company_id = company_office.company(office.portal, countersigned_at=None)
    company_office.lose_text(office.portal, company_id)
    path = f"/admin/companies/{company_id}"
    page = office.root.get(path).text
    assert "covers nobody, because the text that was signed is not in the catalog of agreements. Add that text" in page
    assert "Until then it cannot be countersigned." in page
    assert f"{path}/countersign" not in page
    refused = office.post(f"{path}/countersign", reason="known")
    assert (refused.status_code, "the agreement would cover nobody" in refused.text) == (409, True)
    assert coverage_of(office, company_id).state == "requested"

    with office.portal.services.sessions() as session:
        session.get(CompanyRecord, company_id).countersigned_at = office.portal.at
    page = office.root.get(path).text
    assert "text not in the catalog" in page
    assert "Until then" not in page
    assert "此协议不适用于任何人，因为所签署的文本不在协议目录中。" in office.root.get(f"{path}?lang=zh").text


def test_the_email_and_its_number_of_readers_are_shown_before_a_countersignature(office):
    company_id = office.company()
    path = f"/admin/companies/{company_id}/countersign"
    assert (
        "We have no address for them, so nobody gets an e-mail" in office.post(path, reason="Seen", confirmed="").text
    )
    office.reach()
    page = office.post(path, reason="Seen", confirmed="").text
    assert "1 person gets this e-mail" in page
    assert "Huawei&#39;s agreement is in force" in page
    assert '<input type="hidden" name="reason" value="Seen">' in page
    assert coverage_of(office, company_id).state == "requested"
    assert office.outbox_emails() == []
    assert office.post("/admin/companies/gone/countersign", confirmed="").status_code == 404


def test_a_manager_of_the_company_does_not_decide_on_it(office):
    company_id = office.company()
    with office.portal.services.sessions() as session:
        office_of = CompanyManager(
            id="m", company_id=company_id, account_id=90, login="r", since=office.portal.at, added_by=1
        )
        session.add(office_of)
    answer = office.post(f"/admin/companies/{company_id}/countersign", reason="mine")

    assert answer.status_code == 409
    assert "another administrator has to decide" in answer.text


def test_refusing_a_company_needs_a_reason_that_its_page_shows(office):
    company_id = office.company()
    path = f"/admin/companies/{company_id}/refuse"
    refused = office.post(path, reason="")
    assert (refused.status_code, 'id="refuse-reason-error"' in refused.text) == (409, True)
    assert office.post(path, reason="Not a legal person").status_code == 302

    assert coverage_of(office, company_id).state == "refused"
    assert "Not a legal person" in office.eye.get(f"/admin/companies/{company_id}").text
    assert kinds(office)[0] == "company.refused"


@pytest.mark.slow
def test_an_agreement_ends_after_a_given_day_that_is_not_in_the_past(office):
    company_id = office.company()
    office.post(f"/admin/companies/{company_id}/countersign", reason="ok")
    for until, status, said in (
        ("soon", 400, "Enter a date"), ("", 400, "Enter a date"), ("9999-12-31", 400, "Enter a date"),
        ("2026-01-01", 409, "is in the past"), ("2027-01-31", 302, ""),
    ):  # fmt: skip
        assert coverage_of(office, company_id).ended_at is None
        answer = office.post(f"/admin/companies/{company_id}/end", reason="Merged", until=until)
        assert (answer.status_code, said in answer.text) == (status, True), until
    assert f"{coverage_of(office, company_id).ended_at:%Y-%m-%d %H:%M}" == "2027-02-01 00:00"
    assert "2027-02-01 00:00:00 UTC<br>Merged</dd>" in without_times(
        office.eye.get(f"/admin/companies/{company_id}").text
    )


@pytest.mark.slow
def test_an_administrator_appoints_a_manager_by_login_where_too_few_are_left(office):
    company_id = office.company()
    path = f"/admin/companies/{company_id}/appoint"
    assert "Add a manager" not in office.root.get(f"/admin/companies/{company_id}").text
    company_office.known(office.portal, 13, "carol", "carol@huawei.com")
    forced = office.post(path, login="carol", reason="Not asked for")
    assert (forced.status_code, "They add other managers themselves" in forced.text) == (409, True)
    assert (kinds(office), office.outbox_emails()) == (["company.requested"], [])
    with office.portal.services.sessions() as session:
        for row in session.exec(select(CompanyManager)).all():
            row.until = office.portal.at
            session.add(row)
    assert "No managers are left." in office.root.get(f"/admin/companies/{company_id}").text

    for login, status, said in (
        ("x y", 400, "Enter a GitHub login"), ("nobody", 400, "There is no GitHub account with this login"), ("carol", 400, "Enter a reason."),
    ):  # fmt: skip
        answer = office.post(path, login=login, reason="")
        assert (answer.status_code, said in answer.text) == (status, True), login
    office.portal.services.hub.away = True
    assert office.post(path, login="carol", reason="r").status_code == 503
    office.portal.services.hub.away = False
    assert office.post(path, login="@Carol", reason="Her director wrote").status_code == 302
    ((kind, to, values),) = office.outbox_emails()
    assert (kind, to, values["company"], values["by"]) == ("manager-appointed", "carol@huawei.com", "Huawei", "root")

    with office.portal.services.sessions() as session:
        found = managers.in_office(session, company_id, at=office.portal.at)
    assert [manager.account.id for manager in found] == [13]
    assert kinds(office)[0] == "manager.appointed"
    assert "e-mails do not reach them" not in office.root.get(f"/admin/companies/{company_id}").text


def test_the_page_says_which_managers_no_email_reaches(office):
    page = f"/admin/companies/{office.company()}"

    assert "no suitable address for this company, so e-mails do not reach them" in office.root.get(page).text
    assert "没有适用于该公司的邮箱，无法收到邮件" in office.root.get(page + "?lang=zh").text


def test_a_company_that_does_not_exist_is_not_decided(office):
    for deed in ("countersign", "refuse"):
        assert office.post(f"/admin/companies/gone/{deed}", reason="r").status_code == 404


def test_the_managers_get_an_email_of_each_decision_with_its_reason(office):
    first, second = office.company(), office.company("Other")
    office.reach()
    office.post(f"/admin/companies/{first}/countersign", reason="ok")
    office.post(f"/admin/companies/{first}/end", reason="Merged", until="2027-01-31")
    office.post(f"/admin/companies/{second}/refuse", reason="Not a legal person")
    office.post(f"/admin/companies/{second}/refuse", reason="twice is no change, and no e-mail")
    emails = {kind: (to, values) for kind, to, values in office.outbox_emails()}

    assert list(emails) == ["company-countersigned", "company-ended", "company-refused"]
    assert {to for to, _ in emails.values()} == {"ada@example.com"}
    assert emails["company-countersigned"][1]["manager"] == "ada"
    assert emails["company-countersigned"][1]["url"] == f"http://localhost/company/{first}"
    assert (emails["company-ended"][1]["day"], emails["company-ended"][1]["reason"]) == ("2027-01-31", "Merged")
    assert emails["company-refused"][1]["url"] == "http://localhost/company/request"
    assert len(office.outbox_emails()) == 3


@pytest.mark.slow
def test_the_countersignature_welcomes_each_manager_once(office):
    company_id = office.company()
    office.reach()
    company_office.known(office.portal, 12, "bob", "bob@huawei.com")
    office.post(f"/admin/companies/{company_id}/countersign", reason="")
    assert office.outbox_emails() == [], "a refused decision sends nothing"
    office.post(f"/admin/companies/{company_id}/countersign", reason="ok")
    emails = [(kind, to, values["manager"]) for kind, to, values in office.outbox_emails()]
    assert sorted(emails) == [
        ("company-countersigned", "ada@example.com", "ada"),
        ("company-countersigned", "bob@huawei.com", "bob"),
    ]

    ada = office.portal.signed_in()
    for path, filled in (("/12/leave", {"successor": "carol"}), ("", {"login": "bob"})):
        answer = office.post(f"/company/{company_id}/managers{path}", ada, **filled)
        assert answer.status_code == 302
    assert len(office.outbox_emails()) == 2


@pytest.mark.slow
def test_names_that_look_like_other_companies_are_flagged(office):
    company_id = office.company()
    company_office.company(office.portal, key="c1", name="Huаwei", managers=())  # a Cyrillic а
    company_office.company(
        office.portal, company_office.Entry(domain="hisilicon.com"), key="c2", name="海思Silicon", managers=()
    )
    listed = office.eye.get("/admin/companies").text
    page = office.eye.get("/admin/companies/c1").text

    for shown in (listed, page):
        assert "mixes scripts, like look-alike names:</strong> <code>Huаwei</code>" in shown
        assert f'looks like</strong> <a href="/admin/companies/{company_id}">Huawei</a>' in shown
    assert listed.count("mixes scripts") == 1
    assert "looks like" in office.eye.get(f"/admin/companies/{company_id}").text
    assert "Check the name" not in office.eye.get("/admin/companies/c2").text
    assert "看起来像" in office.eye.get("/admin/companies?lang=zh").text

    sent = {"reason": "a look-alike"}
    office.post(f"/admin/companies/{company_id}/refuse", **sent)
    assert "looks like" not in office.eye.get("/admin/companies/c1").text, (
        "what was turned down is no company to be taken for"
    )


def test_the_page_of_a_company_does_not_show_a_restricted_signer(office):
    company_id = office.company()
    with office.portal.services.sessions() as session:
        person_rows.find(session, 11).restricted_at = office.portal.at
    before = office.entries()
    for browser in (office.root, office.eye):
        page = browser.get(f"/admin/companies/{company_id}").text
        for hidden in ("Ada 爱达", "ada@example.com"):
            assert hidden not in page, hidden
        assert "<dt>Signed by</dt><dd>restricted</dd>" in page
        assert 'href="/admin/signatures/' in page
    assert office.entries() == before


def test_an_empty_form_names_each_field_that_is_missing(office):
    company_id = office.company("Huawei")
    office.post(f"/admin/companies/{company_id}/countersign", reason="known")
    for form, missing in (("end", ("until", "end-reason")), ("appoint", ("login", "appoint-reason"))):
        refused = office.post(f"/admin/companies/{company_id}/{form}")
        assert refused.status_code == 400
        assert re.findall(r'<li><a href="#([a-z-]+)">Enter', refused.text) == [*missing]
