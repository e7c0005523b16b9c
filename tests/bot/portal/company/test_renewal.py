"""The yearly look: what there is to look through, a tick, and a list for administrators of those that nobody gave."""

from datetime import timedelta

from agreements.facts import Entry
from agreements.store.tables.company_records import CompanyRecord
from tests.bot.portal.company import office
from tests.bot.portal.company.office import MANAGER

PAGE = "/company/c1/renewal"


def due(portal, **days):
    """The company is due after so long."""
    with portal.services.sessions() as session:
        session.get(CompanyRecord, "c1").renew_by = portal.at + timedelta(**days)


def tick(portal, browser, **changed):
    """Send the form, which is there or not."""
    form = {"csrf_token": portal.proof(browser, PAGE), "right": "y", **changed}
    return browser.post(PAGE, data={name: value for name, value in form.items() if value})


def test_a_tick_renews_for_a_year(portal):
    """Shown are domains, managers and numbers; one entry in the log; then there is nothing to do."""
    office.company(
        portal,
        Entry(domain="huawei.com"),
        Entry(account_id=99),
        Entry(email="a@partner.org"),
        excludes=[Entry(account_id=5)],
    )
    due(portal, days=20)
    browser = portal.signed_in(**MANAGER)
    page = browser.get(PAGE).text
    for shown in ("Due on 2026-12-11", "huawei.com", "and its subdomains", "bob", "<dd>2</dd>", "<dd>1</dd>"):
        assert shown in page

    missed = tick(portal, browser, right="")
    assert (missed.status_code, "Tick the box" in missed.text) == (400, True)
    assert tick(portal, browser).headers["Location"] == PAGE
    assert "Due on 2027-12-11" in browser.get(PAGE).text
    again = tick(portal, browser)
    assert (again.status_code, "You do not need to do anything now" in again.text) == (409, True)
    assert office.log(portal) == [("company.renewed", 12, "company", ["company"])]


def test_what_is_not_in_force_is_not_renewed(portal):
    """It says so."""
    office.company(portal, ended_at=portal.at)
    browser = portal.signed_in(**MANAGER)
    assert "not in force" in browser.get(PAGE).text
    assert tick(portal, browser).status_code == 409
    assert office.log(portal) == []


def test_administrators_see_who_is_overdue(portal):
    """A month after the day; auditors too, managers not; the agreement covers all the same."""
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
