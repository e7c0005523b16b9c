"""The page after signing or enrolling waits for the check of the pull request, for its person alone."""

import pytest
from sqlmodel import select

from agreements.facts import Check, Conclusion, Problem, Verdict
from bot.portal.pull_request_status import REFRESH_SECONDS
from bot.store.pulls import verdicts
from bot.store.records import PullRecord
from tests.bot.portal.company import office

PULL = "?pr=cann/ops-math/7"


@pytest.fixture(name="path")
def _path(portal):
    """The browser of a person who signed for their pull request, and the address to which they are led."""
    portal.pull(7)
    browser = portal.signed_in()
    form = portal.form(browser, "/sign/icla?pr=cann/ops-math/7")
    return browser, browser.post("/sign/icla?pr=cann/ops-math/7", data=form).headers["Location"]


def judge(portal, conclusion: Conclusion, *checks: Check) -> None:
    """A review of the pull request ends: the newest is judged and shown."""
    with portal.services.sessions() as session:
        pull = session.exec(select(PullRecord)).one()
        verdicts.add(session, pull.id, "a" * 40, Verdict(conclusion=conclusion, checks=checks), at=portal.at)
        pull.evaluated, pull.evaluated_at = pull.latest, portal.at
        session.add(pull)


def test_the_page_after_signing_refreshes_until_the_check_is_late(portal, path):
    browser, address = path
    waiting = browser.get(address)
    portal.later(minutes=5)
    tired = browser.get(address)

    assert address.endswith("/pull-request?pr=cann/ops-math/7")
    assert "We are checking your pull request again" in waiting.text
    assert str(REFRESH_SECONDS) == waiting.headers["Refresh"]
    assert "longer than usual" in tired.text
    assert "Refresh" not in tired.headers


@pytest.mark.parametrize(
    ("conclusion", "said"),
    [
        (Conclusion.SUCCESS, "The check on your pull request has passed"),
        (Conclusion.FAILURE, "still needs something else"),
        (Conclusion.ACTION_REQUIRED, "still needs something else"),
    ],
)
def test_the_page_after_signing_shows_the_result_and_stops_refreshing(portal, path, conclusion, said):
    browser, address = path
    judge(portal, conclusion)
    page = browser.get(address)

    assert said in page.text
    assert "Refresh" not in page.headers
    assert f'href="{portal.github.url}/cann/ops-math/pull/7"' in page.text
    assert f'href="{address.replace("/pull-request", "")}"' in page.text


def test_the_page_after_signing_names_a_broken_rulebook(portal, path):
    browser, address = path
    broken = Problem(code="rulebook/invalid", values={"errors": ("line 7: x",)})
    judge(portal, Conclusion.ACTION_REQUIRED, Check(name="Rulebook", conclusion=Conclusion.FAILURE, problems=(broken,)))
    assert "<h2>Rulebook has errors: line 7</h2>" in browser.get(address).text


def test_the_page_after_signing_is_the_signers_alone(portal, path):
    _, address = path
    bob = portal.signed_in(id=12, login="bob")
    assert 404 == bob.get(address).status_code
    plain, _, _ = address.partition("?")
    assert plain.removesuffix("/pull-request") == portal.signed_in().get(plain).headers["Location"]


def test_the_page_after_enrolling_is_the_same_and_names_the_company(portal):
    office.company(portal)
    portal.pull(7, of=(11,))
    browser = office.enrolled(portal)
    address = f"/me/enrolments/{office.held_in(portal)}/pull-request"
    waiting = browser.get(address + PULL)

    assert ("You are enrolled at Huawei." in waiting.text, waiting.headers["Refresh"]) == (True, str(REFRESH_SECONDS))
    assert f'href="{address}{PULL}">Check now' in waiting.text
    judge(portal, Conclusion.FAILURE)
    page = browser.get(address + PULL).text
    assert "The company's agreement covers you, but the pull request still needs something else." in page
    assert browser.get(address).headers["Location"] == "/me/enrolments"
    assert portal.signed_in(id=13, login="cyd").get(address + PULL).status_code == 404
