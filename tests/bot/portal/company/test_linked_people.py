"""In `linked` mode whoever is covered by GitHub's own link is on the roster while a pull request of theirs is open."""

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


def test_by_the_link_alone(portal):
    """Named with how; who is known by a proof stays as before; an address elsewhere covers nobody."""
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
def test_where_a_link_covers(portal, table, key, column, value):
    """A closed pull request tells nothing any more; where enrolment is asked for, a link covers no account."""
    office.company(portal, Entry(domain="huawei.com"))
    judged(portal, 1, 16, "fay@huawei.com")
    assert len(rows(portal)) == 1
    with portal.services.sessions() as session:
        setattr(session.get(table, key), column, value)
    assert rows(portal) == []


def test_what_cannot_be_opened(portal):
    """Facts of another head or without any: the page shows who is known."""
    office.company(portal, Entry(domain="huawei.com"))
    judged(portal, 1, 16, "fay@huawei.com")
    portal.pull(2, of=(17,))
    assert len(rows(portal)) == 1


def test_who_is_removed_is_still_called_by_the_login(portal):
    """What the pull request said of it: the entry that excludes them names them as the roster did."""
    office.company(portal, Entry(domain="huawei.com"))
    judged(portal, 1, 16, "fay@huawei.com")
    browser = portal.signed_in(**MANAGER)
    proof = portal.proof(browser, ROSTER)
    browser.post(f"{ROSTER}/exclude", data={"csrf_token": proof, "account": ["16", "17"]})
    assert rows(portal) == []
    page = browser.get("/company/c1/people").text
    assert ("fay" in page, "17" in page) == (True, True)
