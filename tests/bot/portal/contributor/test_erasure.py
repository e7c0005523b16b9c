"""Asking to be erased: said plainly, asked once, decided by others, and shown with the decision."""

from dataclasses import replace

import pytest
from sqlalchemy import text
from sqlmodel import select

from agreements.store.tables.records import Erasure
from agreements.vault import place
from tests.bot.portal.admin.conftest import Office
from tests.bot.portal.sentences import without_times


def ask(portal, browser, **form):
    """Press the button."""
    return browser.post("/me/erasure", data={"csrf_token": portal.proof(browser), "sure": "y", **form})


def kinds(portal) -> list:
    """The kinds of all entries of the log."""
    with portal.database.connect() as connection:
        return [row.kind for row in connection.execute(text("SELECT kind FROM ledger_entry ORDER BY number"))]


def test_what_is_said(portal):
    """Who has signed learns what is kept and why; who has not, that everything goes."""
    browser = portal.signed_in()
    before = browser.get("/me/erasure").text
    browser.post("/sign/icla", data=portal.form(browser))
    after = browser.get("/me/erasure").text

    assert "Everything, because you have not signed an agreement here." in before
    assert "Everything, because you" not in after
    assert "Article 17(3)(e)" in after


def test_one_wish_at_a_time(portal):
    """Without the tick nothing; with it one row and one entry, however often; then it waits, on my page, too."""
    browser = portal.signed_in()
    browser.post("/sign/icla", data=portal.form(browser))
    refused = ask(portal, browser, sure="")
    answers = [ask(portal, browser) for _press in range(2)]
    page = browser.get("/me/erasure").text

    assert refused.status_code == 400
    assert "Tick the box to confirm." in refused.text
    assert [answer.status_code for answer in answers] == [302, 302]
    assert kinds(portal) == ["signature.added", "erasure.asked"]
    assert "Your request is waiting for a decision" in page
    assert 'name="sure"' not in page
    assert "It is waiting for a decision" in browser.get("/me").text


def test_a_wish_is_taken_back(portal):
    """By a button, on my page and where it was asked, while nobody has decided: one entry, and it may be asked again."""
    browser = portal.signed_in()
    ask(portal, browser)
    pages = [browser.get(page).text for page in ("/me", "/me/erasure")]
    form = {"csrf_token": portal.proof(browser)}
    unproven = browser.post("/me/erasure/withdraw", data={})
    taken = browser.post("/me/erasure/withdraw", data=form)
    after = browser.get("/me/erasure").text
    twice = browser.post("/me/erasure/withdraw", data=form)

    assert all('action="/me/erasure/withdraw"' in page for page in pages)
    assert (unproven.status_code, taken.status_code, taken.headers["Location"]) == (400, 302, "/me/erasure")
    assert kinds(portal) == ["erasure.asked", "erasure.withdrawn"]
    assert "You withdrew your request" in after
    assert "Withdrawn on 2026-11-21 12:00:00 UTC." in without_times(after)
    assert 'name="sure"' in after
    assert "It is waiting for a decision" not in browser.get("/me").text
    assert twice.status_code == 409
    assert "You have no request to withdraw" in twice.text


def test_an_order_is_no_wish(portal):
    """What an administrator opened is shown, not as something that the person asked for and might take back."""
    Office(portal).post("/admin/erasures", account="11", reason="a court")
    browser = portal.signed_in()
    page = browser.get("/me/erasure").text

    assert "An administrator is reviewing whether to erase your data" in page
    assert "/me/erasure/withdraw" not in page + browser.get("/me").text
    assert browser.post("/me/erasure/withdraw", data={"csrf_token": portal.proof(browser)}).status_code == 409


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"state": "refused"}, "Your request was declined"),
        ({"state": "restricted", "due": True}, "Your data is restricted until it is erased"),
        ({"state": "done", "done": True}, "Your data was erased"),
        ({"state": "anything"}, "Your request was decided"),
    ],
)
def test_what_became_of_it(portal, changed, says):
    """The decision with its time and reason; another wish may follow."""
    browser = portal.signed_in()
    ask(portal, browser)
    about = place("erasure", "reason", "e1")
    with portal.services.sessions() as session:
        row = session.exec(select(Erasure)).one()
        row.state, row.decided_at, row.decided_by = changed["state"], portal.at, 90
        row.reason = portal.services.vault.encrypt_for_server(b"It is needed.", about.replace("e1", row.id))
        row.due_at = portal.at if changed.get("due") else None
        row.done_at = portal.at if changed.get("done") else None
    page = browser.get("/me/erasure").text

    assert says in page
    assert ("will be erased on <time" in page) == ("at the earliest." in page) == bool(changed.get("due"))
    assert "Reason: It is needed." in page
    assert 'name="sure"' in page


def test_how_long_evidence_is_kept(portal):
    """The page says it, and so do the answers for everybody; in both languages."""
    browser = portal.signed_in()
    for years, said in ((10, "ends 10 years after"), (1, "ends 1 year after")):
        object.__setattr__(portal.services, "settings", replace(portal.services.settings, retention_years=years))
        assert said in browser.get("/me/erasure?lang=en").text
        assert said in portal.browser().get("/faq").text
        assert f"保留期为 {years} 年" in browser.get("/me/erasure?lang=zh").text
