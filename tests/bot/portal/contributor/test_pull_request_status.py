"""After signing for a pull request: the page follows its check until it has turned, then stands still."""

import pytest
from sqlmodel import select

from agreements.facts import Conclusion, Verdict
from bot.portal.contributor.pull_request_status import REFRESH_SECONDS
from bot.store.pulls import verdicts
from bot.store.records import PullRecord


@pytest.fixture(name="path")
def _path(portal):
    """Where somebody is led who signed for their pull request, with their browser."""
    portal.pull(7)
    browser = portal.signed_in()
    form = portal.form(browser, "/sign/icla?pr=cann/ops-math/7")
    return browser, browser.post("/sign/icla?pr=cann/ops-math/7", data=form).headers["Location"]


def judge(portal, conclusion: Conclusion) -> None:
    """A review of the pull request ends: the newest is judged and shown."""
    with portal.services.sessions() as session:
        pull = session.exec(select(PullRecord)).one()
        verdicts.add(session, pull.id, "a" * 40, Verdict(conclusion=conclusion, checks=()), at=portal.at)
        pull.evaluated, pull.evaluated_at = pull.latest, portal.at
        session.add(pull)


def test_it_waits_for_the_check(portal, path):
    """It asks again by itself, without a script, as long as that can take; then it says that nobody has to wait."""
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
def test_it_says_what_became_of_it(portal, path, conclusion, said):
    """Once judged it stands still, and leads to the pull request and to the receipt."""
    browser, address = path
    judge(portal, conclusion)
    page = browser.get(address)

    assert said in page.text
    assert "Refresh" not in page.headers
    assert f'href="{portal.github.url}/cann/ops-math/pull/7"' in page.text
    assert f'href="{address.replace("/pull-request", "")}"' in page.text


def test_it_is_the_signers_own(portal, path):
    """For others there is no such page; without a pull request the receipt is shown."""
    _, address = path
    bob = portal.signed_in(id=12, login="bob")
    assert 404 == bob.get(address).status_code
    plain, _, _ = address.partition("?")
    assert plain.removesuffix("/pull-request") == portal.signed_in().get(plain).headers["Location"]
