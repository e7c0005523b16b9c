"""Access: a route is open to whom it says, and one that says nothing to nobody."""

import pytest
from flask import Blueprint
from structlog.testing import capture_logs

from agreements.store.companies import companies
from agreements.store.tables.company_records import CompanyManager
from bot.portal.session import page_access
from bot.portal.session.page_access import Audience, Route, open_routes
from tests.drafts import company_draft
from tests.logged import log_rows
from tests.within import within

WHO = {"everybody": {}, "ada": {"id": 11}, "administrator": {"id": 90, "login": "root"}, "auditor": {"id": 91, "login": "eye"}}  # fmt: skip


@pytest.fixture(name="open_to")
def _open_to(portal):
    """Adds a page for somebody; gives what it answers to each kind of visitor."""

    def add(who, path="/test", **extra):
        blueprint = Blueprint("tested", __name__)

        def reached(**_args):
            return "reached"

        route = Route(path, reached, who, **extra)
        open_routes(blueprint, None, [route])
        blueprint.before_request(page_access.admit)
        portal.app._got_first_request = False
        portal.app.register_blueprint(blueprint)

    return add


def answers(portal, path="/test"):
    """What each kind of visitor gets."""
    found = {}
    for name, user in WHO.items():
        browser = portal.signed_in(**{"id": 11, "login": "ada", **user}) if user else portal.browser()
        found[name] = browser.get(path).status_code
    return found


@pytest.mark.parametrize(
    ("who", "expected"),
    [
        (Audience.EVERYBODY, (200, 200, 200, 200)),
        (Audience.SIGNED_IN, (302, 200, 200, 200)),
        (Audience.READER, (302, 404, 200, 200)),
        (Audience.ADMINISTRATOR, (302, 404, 200, 404)),
    ],
)
def test_who_reaches_a_page(portal, open_to, who, expected):
    """Strangers are sent to sign in; for everybody else a page that is not theirs does not exist."""
    open_to(who)

    assert tuple(answers(portal).values()) == expected


def test_only_its_managers_reach_a_company(portal, open_to):
    """Not even an administrator; and nobody reaches a company that is not there."""
    open_to(Audience.MANAGER, "/test/<company_id>")
    with portal.services.sessions() as session:
        draft = company_draft("One", portal.at)
        companies.add(within(session, portal.services.vault, new_id="c1"), draft)
        session.add(CompanyManager(id="m", company_id="c1", account_id=11, login="a", since=portal.at, added_by=11))
        log_rows(session, portal.services.vault)

    assert tuple(answers(portal, "/test/c1").values()) == (302, 200, 404, 404)
    assert tuple(answers(portal, "/test/c2").values()) == (302, 404, 404, 404)


def test_a_route_that_says_nothing_is_open_to_nobody(portal):
    """Added past `open_routes` it does not exist, for the administrator either."""
    blueprint = Blueprint("silent", __name__)
    blueprint.add_url_rule("/test", "silent", lambda: "reached")
    blueprint.before_request(page_access.admit)
    portal.app._got_first_request = False
    portal.app.register_blueprint(blueprint)

    assert set(answers(portal).values()) == {404}


def test_a_refusal_is_in_the_log(portal):
    """Who asked, for which page, and what it takes: ids and our own words alone. A page that is open is no event."""
    browser = portal.signed_in()
    with capture_logs() as lines:
        assert browser.get("/admin/export?q=secret").status_code == 404
        assert browser.get("/company/c9/roster").status_code == 404
        assert browser.get("/me").status_code == 200
        assert portal.browser().get("/admin/export").status_code == 302
    said = {"event": "access.refused", "log_level": "warning", "account": 11, "status": 404}
    assert [one for one in lines if one["event"] == "access.refused"] == [
        {**said, "endpoint": "admin_export.ask_for_all", "needs": "administrator"},
        {**said, "endpoint": "staff.roster_page", "needs": "manager"},
    ]
