"""The overview of people: covered, invited, leaving, and red pull requests; of this company alone."""

from datetime import timedelta

import pytest

from agreements.facts import Check, Conclusion, Entry, Problem, Verdict
from agreements.github_server import GITHUB_COM
from agreements.store.companies import company_entries, employee_invitations
from agreements.store.record_context import RecordContext
from bot.store.pulls import verdicts
from tests.bot.portal.company import office
from tests.bot.portal.company.office import MANAGER

PAGE = "/company/c1/coverage"


@pytest.fixture(name="staffed")
def _staffed(portal):
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


def test_everything_at_a_glance(staffed):
    """Numbers and names, those who leave first on top."""
    red(staffed, 7, 11)
    red(staffed, 8, 11, private=True, name="secret")
    red(staffed, 9, 55)
    page = staffed.signed_in(**MANAGER).get(PAGE).text
    assert "cann/ops-math#7" in page
    assert "In private repositories: 1." in page
    for hidden in ("secret", "#8", "#9", "number 98"):
        assert hidden not in page
    assert "bo@huawei.com" in page
    assert page.index("number 97") < page.index("number 99")
    assert "covered until 2026-12-01 12:00 UTC" in page


def test_an_enrolment_that_ends(staffed):
    """Near its end it is named as such."""
    staffed.later(days=340)
    page = staffed.signed_in(**MANAGER).get(PAGE).text
    assert "the enrolment ends on 2027-11-21" in page


def test_nobody(portal):
    """An empty company has an empty page."""
    office.company(portal)
    page = portal.signed_in(**MANAGER).get(PAGE).text
    assert page.count('<p class="fine">None</p>') == 3


def test_of_a_company_that_excluded_everybody(staffed):
    """Whoever is excluded already is not listed as leaving."""
    services = staffed.services
    with services.sessions() as session:
        context = RecordContext(session, services.vault, 12, staffed.at, services.new_id)
        company_entries.add_all(context, "c1", [(Entry(account_id=99), "")], excluded=True)
    assert "number 99" not in staffed.signed_in(**MANAGER).get(PAGE).text
