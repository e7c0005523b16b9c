"""A page needs few database statements, and as many for fifty rows as for five."""

from dataclasses import replace

import pytest
from sqlalchemy import event

from bot.portal.portal_services import once
from bot.records.owner_rules import OwnerRules
from bot.store import owners
from tests.bot.portal.crowd import Crowd
from tests.bot.portal.populated import populate
from tests.bot.portal.test_matrix import CASES, MAY

MOST = 15
FEW, MANY = 5, 50


@pytest.fixture(name="full")
def _full(portal):
    """The populated portal, by the rulebooks of the organizations that are served, of which one is called by its id."""
    full, services = populate(portal), portal.services
    accounts = ("cann", "beta", "5")
    with services.sessions() as session:
        for number, name in ((3, "cann"), (4, "beta")):
            owners.remember_login(session, name, number)
        for number, name in ((3, "CANN"), (4, "Beta"), (5, "Third")):
            text = f"version: 1\norganization: {name}\nagreements:\n  parties: [Earlier {name}]\n"
            owners.remember_rules(session, number, text, valid=True, at=portal.at)
    rules = OwnerRules(None, accounts, services.sessions, services.texts).read_by(once)
    for name, value in (
        ("settings", replace(services.settings, accounts=accounts)),
        ("rules", rules),
        ("owner", rules.owner),
        ("rules_state", rules.state),
        ("known_owners", rules.known),
    ):
        object.__setattr__(services, name, value)
    return full


@pytest.fixture(name="asked")
def _asked(portal):
    """The statements that the present request has asked."""
    said = []

    def note(_connection, _cursor, statement, *_):
        said.append(statement)

    event.listen(portal.database, "before_cursor_execute", note)
    yield said
    event.remove(portal.database, "before_cursor_execute", note)


def counted(full, asked):
    """How many statements each page takes for each who may see it."""
    found = {}
    for who, method, rule in CASES:
        for role in sorted(MAY[who]) if method == "GET" else ():
            asked.clear()
            with full.browsers[role].get(full.path(rule)) as answer:
                assert answer.data is not None
            found[role, rule] = len(asked)
    return found


@pytest.mark.slow
def test_every_page_needs_at_most_15_statements_for_5_and_for_50_rows(full, asked):
    crowd = Crowd(full)
    crowd.add(range(1, FEW + 1))
    for browser in full.browsers.values():  # whose first visit is noted, and whose session begins with a form
        assert [browser.get(page).status_code for page in ("/", "/receipts/verify")] == [200, 200]
    few = counted(full, asked)
    crowd.add(range(FEW + 1, MANY + 1))
    many = counted(full, asked)

    assert {page: number for page, number in many.items() if number > MOST} == {}
    assert {page: (few[page], number) for page, number in many.items() if number != few[page]} == {}
