"""In `linked` mode the roster has the people whom GitHub links to the company in open pull requests."""

import pytest

from agreements.facts import Entry
from agreements.store.tables.company_records import CompanyRecord
from bot.store.records import PullRecord
from tests.bot.portal.company import office
from tests.bot.portal.company.office import MANAGER
from tests.bot.portal.company.test_removal import judged

ROSTER = "/company/c1/roster"


def rows(portal):
    """The lines of the roster's table."""
    page = portal.signed_in(**MANAGER).get(ROSTER).text
    return [row.partition("</tr>")[0] for row in page.partition("<tbody>")[2].split("<tr>")[1:]]


def test_an_account_that_github_links_to_the_domain_is_listed_as_such(portal):
    office.company(portal, Entry(domain="huawei.com"))
    office.known(portal, 15, "eve", "eve@huawei.com")
    judged(portal, 1, 16, "fay@huawei.com")
    judged(portal, 2, 17, "gus@home.example")
    judged(portal, 3, 15, "eve@huawei.com")
    eve, fay = rows(portal)
    assert "GitHub links the address" in fay
    assert ">fay" in fay.replace("\n", "")
    assert "GitHub links the address" not in eve


@pytest.mark.parametrize(
    ("table", "key", "column", "value"), [(PullRecord, 1, "open", False), (CompanyRecord, "c1", "domains", "enrolled")]
)
def test_a_link_covers_while_its_pull_request_is_open_and_no_enrolment_is_required(portal, table, key, column, value):
    office.company(portal, Entry(domain="huawei.com"))
    judged(portal, 1, 16, "fay@huawei.com")
    assert len(rows(portal)) == 1
    with portal.services.sessions() as session:
        setattr(session.get(table, key), column, value)
    assert rows(portal) == []


def test_pull_requests_without_readable_facts_leave_the_roster_as_it_is(portal):
    office.company(portal, Entry(domain="huawei.com"))
    judged(portal, 1, 16, "fay@huawei.com")
    portal.pull(2, of=(17,))
    assert len(rows(portal)) == 1


def test_a_removed_account_keeps_the_login_that_its_pull_request_gave(portal):
    office.company(portal, Entry(domain="huawei.com"))
    judged(portal, 1, 16, "fay@huawei.com")
    browser = portal.signed_in(**MANAGER)
    proof = portal.proof(browser, ROSTER)
    browser.post(f"{ROSTER}/exclude", data={"csrf_token": proof, "account": ["16", "17"]})
    assert rows(portal) == []
    page = browser.get("/company/c1/people").text
    assert ("fay" in page, "17" in page) == (True, True)
