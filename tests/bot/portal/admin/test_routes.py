"""Every page of the administration is tried by every kind of visitor."""

import pytest

from bot.access.roles import RoleMembers, Roles
from bot.portal.admin.routes import BLUEPRINTS
from bot.portal.session.page_access import Audience

ROUTES = BLUEPRINTS["admin"]
GIVEN = {"<company_id>": "c1", "<claim_id>": "d1", "<document_id>": "f1", "<int:account_id>": "11", "<int:number>": "0",
         "<receipt>": "AAAA-BBBB-CCCC-DDDD-EEEE", "<int:owner_id>": "3", "<int:repository_id>": "93", "<night_id>": "n1",
         "<file>": "report.json"}  # fmt: skip
READ_BY_A_FORM = ("/admin/search", "/admin/signatures/<receipt>/open", "/admin/papers/<document_id>/open")
"""Forms that only read: no address holds the words of a search, and no link opens what a person restricted."""


def path(route):
    """The address with some value for each of its parts."""
    found = route.path
    for name, value in GIVEN.items():
        found = found.replace(name, value)
    return found


def test_reading_is_for_administrators_and_auditors_and_changing_for_administrators(portal):
    for route in ROUTES:
        reads = route.method == "GET" or route.path in READ_BY_A_FORM
        assert route.who is (Audience.READER if reads else Audience.ADMINISTRATOR), route


@pytest.mark.parametrize("who", ["stranger", "contributor", "auditor"])
def test_strangers_contributors_and_auditors_reach_no_page_that_is_not_theirs(portal, who):
    user = {"contributor": {"id": 11, "login": "ada"}, "auditor": {"id": 91, "login": "eye"}}.get(who)
    browser = portal.signed_in(**user) if user else portal.browser()
    for route in ROUTES:
        answer = browser.open(path(route), method=route.method)
        if who == "stranger":
            assert answer.status_code == (302 if route.method == "GET" else 403), route
        elif who == "contributor" or route.who is Audience.ADMINISTRATOR:
            assert answer.status_code == 404, route


def test_while_github_is_silent_no_visitor_is_taken_for_an_administrator(portal):
    hub = portal.services.hub
    roles = Roles(RoleMembers(team=("cann", "cla-admins")), RoleMembers(), hub.team, portal.services.clock)
    object.__setattr__(portal.services, "roles", roles)
    browser = portal.signed_in(id=90, login="root")
    hub.away = True

    answer = browser.get("/admin")
    assert answer.status_code == 503
    assert "We ask GitHub who the administrators are, and it is not responding." in answer.text
    hub.away, hub.teams = False, {("cann", "cla-admins"): frozenset({90})}
    assert browser.get("/admin").status_code == 200
