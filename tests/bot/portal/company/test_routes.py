"""The company pages are open to the company's managers alone, and their forms are rate limited."""

from datetime import timedelta

import pytest

from agreements.store.integrity import verification
from agreements.store.integrity.verification import VerificationOptions
from agreements.store.tables.company_records import CompanyRecord
from bot.mail.renewal_emails import Reminders
from bot.portal.company.routes import BLUEPRINTS
from bot.portal.session.page_access import Audience
from bot.store.logged_tables import TABLES
from tests.bot.portal.company import office
from tests.logged import log_rows


def test_a_companys_pages_are_its_managers_and_every_form_and_pdf_has_a_rate_limit():
    for route in BLUEPRINTS["desk"]:
        assert (route.who is Audience.MANAGER) is ("<company_id>" in route.path), route.path
        assert bool(route.limit) is (route.method == "POST" or route.path.endswith(".pdf")), route.path


def test_every_route_of_the_blueprints_is_in_the_app(portal):
    endpoints = {rule.endpoint for rule in portal.app.url_map.iter_rules()}
    assert endpoints >= {f"{name}.{route.endpoint}" for name, routes in BLUEPRINTS.items() for route in routes}


PAGES = ("roster", "renewal", "simulate", "export")


@pytest.mark.slow
def test_pages_about_people_are_open_to_the_companys_managers_alone(portal):
    office.company(portal)
    office.company(portal, office.Entry(domain="redhat.com"), key="c2", name="Red Hat", managers=((13, "cyd"),))
    others = [portal.signed_in(id=number, login=login) for number, login in ((11, "ada"), (13, "cyd"), (90, "root"))]
    manager, stranger = portal.signed_in(**office.MANAGER), portal.browser()
    for page in PAGES:
        found = [browser.get(f"/company/c1/{page}").status_code for browser in (manager, stranger, *others)]
        assert found == [200, 302, 404, 404, 404], page


@pytest.mark.slow
def test_every_row_that_these_pages_write_matches_its_newest_log_entry(portal):
    office.company(portal)
    services = portal.services
    with services.sessions() as session:
        session.get(CompanyRecord, "c1").renew_by = portal.at + timedelta(days=20)
    with services.sessions() as session:
        log_rows(session, services.vault, at=portal.at)
    office.enrolled(portal)
    bob = portal.signed_in(**office.MANAGER)
    bob.post("/company/c1/export.csv", data={"csrf_token": portal.proof(bob, "/company/c1/export")})
    bob.post("/company/c1/renewal", data={"csrf_token": portal.proof(bob, "/company/c1/renewal"), "right": "y"})
    portal.later(days=340)
    Reminders(records=services, server=portal.services.server, texts=services.texts).round()
    ada = office.enrolled(portal)
    with services.sessions() as session:
        held = office.held(session)
    ada.post(f"/me/enrolments/{held}/end", data={"csrf_token": portal.proof(ada)})

    with services.sessions() as session:
        found = verification.verify(session, services.vault, TABLES, VerificationOptions())
    kinds = [kind for kind, *_ in office.log(portal) if kind != "records.adopted"]
    assert kinds == [
        "enrolment.added", "company.exported", "company.renewed", "enrolment.renewed", "enrolment.ended",
    ]  # fmt: skip
    others = ["person.added"] * 2 + ["records.adopted"]  # of the two managers, and of `log_rows`
    assert found.entries == len([*office.log(portal), *others])


def test_every_page_of_a_company_has_five_groups_and_marks_its_own(portal):
    office.company(portal)
    browser = portal.signed_in(**office.MANAGER)
    for name, marks in (
        ("", 2),
        ("/people", 2),
        ("/people/list", 2),
        ("/domains", 1),
        ("/managers", 1),
        ("/renewal", 2),
    ):
        page = browser.get(f"/company/c1{name}").text
        groups = page.partition('aria-label="Company sections">')[2].partition("</nav>")[0]
        assert groups.count("<a ") == 5, name
        assert page.partition("</h1>")[2].count("aria-current") == marks, name
        assert page.partition("</h1>")[2].count('aria-current="page"') == 1, name
