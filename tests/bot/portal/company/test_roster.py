"""The roster shows managers the people whom the company covers and why, and lets them end enrolments."""

import re
from datetime import timedelta

import pytest
from sqlmodel import select

from agreements.facts import Check, Conclusion, Entry, Problem, Verdict
from agreements.github_server import GITHUB_COM
from agreements.store.companies import company_entries, employee_invitations
from agreements.store.record_context import RecordContext
from agreements.store.tables.company_records import CompanyEntry
from bot.store.pulls import verdicts
from tests.bot.portal.company import office
from tests.bot.portal.company.office import MANAGER, WORK
from tests.bot.portal.sentences import without_times


@pytest.fixture(name="staffed")
def _staffed(portal):
    """Huawei covers ada, who enrolled, eve by her address and account 99; Red Hat covers fay."""
    office.company(portal, Entry(domain="huawei.com"), Entry(email="eve@partner.org"), Entry(account_id=99))
    office.company(portal, Entry(domain="redhat.com"), key="c2", name="Red Hat", managers=((13, "cyd"),))
    office.known(portal, 15, "eve", "eve@partner.org", "eve@private.example")
    office.known(portal, 16, "fay", "fay@redhat.com")
    office.enrolled(portal)
    return portal


def find(portal, browser, wanted):
    """The page of a search, without its form."""
    form = {"csrf_token": portal.proof(browser, "/company/c1/roster"), "who": wanted}
    return browser.post("/company/c1/roster", data=form).text.partition("</form>")[2].partition('role="search"')[2]


@pytest.mark.slow
def test_the_roster_shows_covered_people_and_only_addresses_known_to_the_company(staffed):
    page = without_times(staffed.signed_in(**MANAGER).get("/company/c1/roster").text)

    assert "This agreement covers 3 people now. Enrolled: 1" in page
    for shown in ("ada", WORK, "until 2027-11-21", "eve@partner.org", "number 99", "the account itself", "huawei.com"):
        assert shown in page
    for secret in ("private.example", "fay", "redhat.com", "Red Hat"):
        assert secret not in page


@pytest.mark.slow
def test_the_roster_is_empty_while_the_text_is_not_in_the_catalog(staffed):
    office.lose_text(staffed)
    page = staffed.signed_in(**MANAGER).get("/company/c1/roster").text

    assert "This agreement covers 0 people now." in page
    assert "eve@partner.org" not in page
    assert "so that they can enrol" not in page


@pytest.mark.slow
def test_a_search_finds_a_part_of_the_login_the_number_or_the_whole_address(staffed):
    browser = staffed.signed_in(**MANAGER)
    for wanted, login in {
        "AD": "ada",
        "99": "number 99",
        WORK.upper(): "ada",
        "@eve": "eve",
        "eve@partner.org": "eve",
    }.items():
        found = find(staffed, browser, wanted)
        assert login in found, wanted
        assert found.count('scope="row"') == 1, wanted
    for wanted in ("nobody", "9", "eve@private.example"):
        assert "Nobody with that name" in find(staffed, browser, wanted)
    assert "Nobody with that name" not in find(staffed, browser, " "), "a search for nothing is none"


def test_a_search_counts_all_people_found_and_shows_fifty(portal):
    office.company(portal, *(Entry(account_id=1000 + number) for number in range(60)))
    with portal.services.sessions() as session:
        for row in session.exec(select(CompanyEntry)):
            row.login = f"same-{row.account_id}"
            session.add(row)
    found = find(portal, portal.signed_in(**MANAGER), "same-")

    assert "Found: 60 · the first 50 are shown" in found
    assert found.count('scope="row"') == 50


@pytest.mark.slow
def test_a_manager_ends_an_enrolment_at_their_own_company_alone(staffed):
    with staffed.services.sessions() as session:
        held = office.held(session)
    other = staffed.signed_in(id=13, login="cyd")
    proof = {"csrf_token": staffed.proof(other)}
    assert other.post(f"/company/c1/enrolments/{held}/end", data=proof).status_code == 404
    assert other.post(f"/company/c2/enrolments/{held}/end", data=proof).status_code == 404

    browser = staffed.signed_in(**MANAGER)
    ended = browser.post(f"/company/c1/enrolments/{held}/end", data={"csrf_token": staffed.proof(browser)})
    assert ended.headers["Location"] == "/company/c1/roster"
    assert WORK not in browser.get("/company/c1/roster").text
    assert office.log(staffed)[-1] == ("enrolment.ended", 12, "person", ["proof", "enrolment"])


@pytest.mark.slow
def test_the_roster_has_fifty_people_on_a_page(portal):
    office.company(portal, *(Entry(account_id=1000 + number) for number in range(120)))
    browser = portal.signed_in(**MANAGER)
    pages = [browser.get(f"/company/c1/roster?page={page}").text for page in ("1", "2", "3", "9", "x")]

    assert [page.count('scope="row"') for page in pages] == [50, 50, 20, 20, 50]
    assert max(map(len, pages)) < 60_000
    assert "Page 3 of 3" in pages[2]


def test_an_empty_roster_shows_the_link_to_enrol(portal):
    office.company(portal, domains="enrolled")
    page = portal.signed_in(**MANAGER).get("/company/c1/roster").text

    assert 'href="http://localhost/company/c1/enrol">http://localhost/company/c1/enrol<' in page
    assert "GitHub links it" not in page


@pytest.mark.slow
def test_the_roster_is_limited_to_sixty_views_a_minute(portal):
    office.company(portal)
    browser = portal.signed_in(**MANAGER)
    assert [browser.get("/company/c1/roster").status_code for _ in range(61)] == [200] * 60 + [429]


@pytest.mark.slow
def test_the_remove_button_previews_the_exclusion_before_anything_changes(staffed):
    browser = staffed.signed_in(**MANAGER)
    page = browser.get("/company/c1/roster").text
    form = page.partition('action="/company/c1/simulate"')[2].partition("</form>")[0]
    sent = browser.post("/company/c1/simulate", data=dict(re.findall(r'name="(\w+)" value="([^"]*)"', form)))
    assert sent.status_code == 200
    assert "No longer covered: 1" in sent.text
    assert "Remove 1 person now" in sent.text
    assert "covers 3 people now." in browser.get("/company/c1/roster").text
    form = sent.text.partition('action="/company/c1/roster/exclude"')[2].partition("</form>")[0]
    browser.post("/company/c1/roster/exclude", data=dict(re.findall(r'name="(\w+)" value="([^"]*)"', form)))
    assert "covers 2 people now." in browser.get("/company/c1/roster").text


PAGE = "/company/c1/coverage"


@pytest.fixture(name="overseen")
def _overseen(portal):
    """Huawei: ada enrolled, 99 for ten days, 98 for a year, 97 excluded from next week on; bo is invited."""
    days = timedelta(days=1)
    office.company(
        portal, Entry(domain="huawei.com"), Entry(account_id=99, until=portal.at + 10 * days),
        Entry(account_id=98, until=portal.at + 365 * days), Entry(account_id=97),
        excludes=(Entry(account_id=97, since=portal.at + 7 * days),),
    )  # fmt: skip
    office.enrolled(portal)
    services = portal.services
    with services.sessions() as session:
        context = RecordContext(session, services.vault, 12, portal.at, services.new_id)
        employee_invitations.invite(context, "c1", ["bo@huawei.com"], "en", server=GITHUB_COM)
    return portal


def red(portal, number, account_id, **place):
    """A red pull request in which that account takes part."""
    pull_id = portal.pull(number, of=(account_id,), **place)
    checks = (Check(name="CLA", conclusion=Conclusion.FAILURE, problems=(Problem(code="dco/missing", sha="a" * 40),)),)
    with portal.services.sessions() as session:
        verdicts.add(session, pull_id, "a" * 40, Verdict(conclusion=Conclusion.FAILURE, checks=checks), at=portal.at)


def test_the_dashboard_shows_red_pull_requests_invitations_and_next_leavers(overseen):
    red(overseen, 7, 11)
    red(overseen, 8, 11, private=True, name="secret")
    red(overseen, 9, 55)
    page = without_times(overseen.signed_in(**MANAGER).get(PAGE).text)
    assert "cann/ops-math#7" in page
    assert "In private repositories: 1." in page
    for hidden in ("secret", "#8", "#9", "number 98"):
        assert hidden not in page
    assert "bo@huawei.com" in page
    assert page.index("number 97") < page.index("number 99")
    assert "covered until 2026-12-01 12:00:00 UTC" in page


def test_an_enrolment_near_its_end_is_named(overseen):
    overseen.later(days=340)
    page = without_times(overseen.signed_in(**MANAGER).get(PAGE).text)
    assert "the enrolment ends on 2027-11-21" in page


def test_an_empty_company_has_an_empty_dashboard(portal):
    office.company(portal)
    page = portal.signed_in(**MANAGER).get(PAGE).text
    assert "Nothing needs your attention now." in page
    assert "<h2>" not in page


@pytest.mark.slow
def test_a_person_who_is_excluded_already_is_not_listed_as_leaving(overseen):
    services = overseen.services
    with services.sessions() as session:
        context = RecordContext(session, services.vault, 12, overseen.at, services.new_id)
        company_entries.add_all(context, "c1", [(Entry(account_id=99), "")], excluded=True)
    assert "number 99" not in overseen.signed_in(**MANAGER).get(PAGE).text
