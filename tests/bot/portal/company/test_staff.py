"""The blueprint of a company's staff has every page, each with who may use it."""

import pytest

from tests.bot.portal.company import office

PAGES = ("roster", "renewal", "simulate", "export")


@pytest.mark.parametrize("page", PAGES)
def test_pages_about_people_are_the_managers_alone(portal, page):
    """Not an employee's, not an administrator's, not another company's manager's."""
    office.company(portal)
    office.company(portal, office.Entry(domain="redhat.com"), key="c2", name="Red Hat", managers=((13, "cyd"),))
    path = f"/company/c1/{page}"

    assert portal.signed_in(**office.MANAGER).get(path).status_code == 200
    assert portal.browser().get(path).status_code == 302
    for other in ({"id": 11, "login": "ada"}, {"id": 13, "login": "cyd"}, {"id": 90, "login": "root"}):
        assert portal.signed_in(**other).get(path).status_code == 404
