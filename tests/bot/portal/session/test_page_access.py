"""A route is open to its audience, and a route without an audience to no visitor."""

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

WHO = {"stranger": {}, "ada": {"id": 11}, "administrator": {"id": 90, "login": "root"}, "auditor": {"id": 91, "login": "eye"}}  # fmt: skip


@pytest.fixture(name="open_to")
def _open_to(portal):
    """Adds a page that is open to an audience."""

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
        (Audience.PUBLIC, (200, 200, 200, 200)),
        (Audience.SIGNED_IN, (302, 200, 200, 200)),
        (Audience.READER, (302, 404, 200, 200)),
        (Audience.ADMINISTRATOR, (302, 404, 200, 404)),
    ],
)
def test_a_page_is_open_to_its_audience_and_does_not_exist_for_others(portal, open_to, who, expected):
    open_to(who)

    assert tuple(answers(portal).values()) == expected


def test_a_companys_page_is_open_to_its_managers_alone(portal, open_to):
    open_to(Audience.MANAGER, "/test/<company_id>")
    with portal.services.sessions() as session:
        draft = company_draft("One", portal.at)
        companies.add(within(session, portal.services.vault, new_id="c1"), draft)
        session.add(CompanyManager(id="m", company_id="c1", account_id=11, login="a", since=portal.at, added_by=11))
        log_rows(session, portal.services.vault)

    assert tuple(answers(portal, "/test/c1").values()) == (302, 200, 404, 404)
    assert tuple(answers(portal, "/test/c2").values()) == (302, 404, 404, 404)


def test_a_route_without_an_audience_is_open_to_no_visitor(portal):
    blueprint = Blueprint("silent", __name__)
    blueprint.add_url_rule("/test", "silent", lambda: "reached")
    blueprint.before_request(page_access.admit)
    portal.app._got_first_request = False
    portal.app.register_blueprint(blueprint)

    assert set(answers(portal).values()) == {404}


def test_a_refused_page_is_logged_with_account_and_audience(portal):
    browser = portal.signed_in()
    with capture_logs() as lines:
        assert browser.get("/admin/export?q=secret").status_code == 404
        assert browser.get("/company/c9/roster").status_code == 404
        assert browser.get("/me").status_code == 200
        assert portal.browser().get("/admin/export").status_code == 302
    said = {"event": "access.refused", "log_level": "warning", "account": 11, "status": 404}
    assert [line for line in lines if line["event"] == "access.refused"] == [
        {**said, "endpoint": "admin_export.ask_for_all", "needs": "administrator"},
        {**said, "endpoint": "staff.roster_page", "needs": "manager"},
    ]
