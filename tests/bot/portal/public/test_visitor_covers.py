"""A person with two covers chooses on the page of the pull request; others are offered nothing, and learn nothing."""

from dataclasses import replace

import pytest
from sqlmodel import select

from agreements.facts import Check, Conclusion, Entry
from agreements.store.tables.company_records import CompanyRecord
from agreements.store.tables.ledger_records import LedgerEntry
from bot.store.pulls import pull_state
from bot.store.pulls.cover_choices import CoverChoice
from bot.store.records import PullRecord
from bot.store.statements import change
from tests.bot.portal.company import office
from tests.bot.portal.public.test_explain import PAGE, cla, judged
from tests.logged import log_rows

FORM = f"{PAGE}/for"
QUESTION = "For whom you contribute"


@pytest.fixture(name="both")
def _both(portal):
    """A browser of ada, who has signed and whom Huawei covers, and her pull request."""
    pull_id = portal.pull(7)
    judged(portal, cla("cla/unsigned"), pull_id=pull_id)
    with portal.services.sessions() as session:
        pull_state.replace_participants(session, pull_id, {11, 12})
    office.company(portal, Entry(account_id=11))
    browser = portal.signed_in()
    browser.post("/sign/icla", data=portal.form(browser))
    return browser


def choose(portal, browser, value, page=PAGE):
    """Send the form; its status."""
    data = {"csrf_token": portal.proof(browser, "/employer"), "for": value}
    return browser.post(f"{page}/for", data=data).status_code


def chosen(portal):
    """What is recorded, in order."""
    with portal.services.sessions() as session:
        rows = session.exec(select(CoverChoice).order_by(CoverChoice.at, CoverChoice.id)).all()
        return [(row.account_id, row.company_id, row.comment_id) for row in rows]


def logged(portal):
    """The number of choices in the log of records."""
    with portal.services.sessions() as session:
        return len(session.exec(select(LedgerEntry).where(LedgerEntry.kind == "cover.chosen")).all())


@pytest.mark.slow
def test_both_covers_are_offered_and_the_choice_is_recorded_and_shown(portal, both):
    page = both.get(PAGE).text
    assert QUESTION in page
    assert "Huawei" in page
    assert "required checked" not in page
    assert choose(portal, both, "c1") == 302
    portal.later(minutes=1)
    assert 'value="c1" required checked' in both.get(PAGE).text
    assert choose(portal, both, "me") == 302
    assert chosen(portal) == [(11, "c1", None), (11, None, None)]
    assert logged(portal) == 2
    assert 'value="me" required checked' in both.get(PAGE).text
    assert "您代表谁贡献" in both.get(f"{PAGE}?lang=zh").text


@pytest.mark.parametrize("value", ["", "c2", "nobody", "C1", "ME"])
def test_what_is_not_offered_does_not_exist(portal, both, value):
    office.company(portal, Entry(account_id=15), key="c2", name="Other", managers=())
    assert choose(portal, both, value) == 404
    assert chosen(portal) == []


@pytest.mark.slow
def test_a_choice_that_no_longer_covers_may_be_changed_to_the_one_cover_that_is_left(portal, both):
    assert choose(portal, both, "c1") == 302
    with portal.services.sessions() as session:
        session.get(CompanyRecord, "c1").ended_at = portal.at
        log_rows(session, portal.services.vault)
    assert QUESTION not in both.get(PAGE).text
    portal.later(minutes=1)
    judged(portal, cla("cla/chosen-uncovered"), pull_id=1)
    page = both.get(PAGE).text
    assert QUESTION in page
    assert "Huawei" not in page
    assert choose(portal, both, "me") == 302
    assert [company for _, company, _ in chosen(portal)] == ["c1", None]


def test_other_visitors_are_offered_no_choice_and_cannot_choose(portal, both):
    bob, eve = portal.signed_in(id=12, login="bob"), portal.signed_in(id=15, login="eve")
    for browser in (portal.browser(), bob, eve):
        page = browser.get(PAGE).text
        assert QUESTION not in page
        assert "Huawei" not in page
    assert choose(portal, bob, "c1") == choose(portal, eve, "me") == choose(portal, eve, "c1") == 404
    assert chosen(portal) == []


@pytest.mark.parametrize("what", ["closed", "sign-too", "dco"])
def test_where_there_is_nothing_to_choose_nothing_is_offered(portal, both, what):
    if what == "closed":
        with portal.services.sessions() as session:
            change(session, PullRecord, {"number": 7}, open=False)
    elif what == "sign-too":
        portal.rules = replace(portal.rules, employees="sign-too")
    else:
        portal.later(minutes=1)
        judged(portal, Check(name="DCO", conclusion=Conclusion.SUCCESS), pull_id=1, conclusion=Conclusion.SUCCESS)
    assert QUESTION not in both.get(PAGE).text
    assert choose(portal, both, "me") == 404


def test_a_private_pull_request_that_the_visitor_may_not_read_does_not_exist(portal, both):
    assert choose(portal, both, "me", page="/pr/cann/ops-math/8") == 404
    portal.pull(9, private=True)
    assert choose(portal, both, "me", page="/pr/cann/ops-math/9") == 404
