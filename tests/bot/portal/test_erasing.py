"""Asking to be erased: said plainly, asked once, decided by others, and shown with the decision."""

import pytest
from sqlalchemy import text
from sqlmodel import select

from agreements.store.records import Erasure
from agreements.vault import place


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

    assert "Everything: you have signed no agreement here." in before
    assert "Everything: you" not in after
    assert "Article 17(3)(e)" in after


def test_one_wish_at_a_time(portal):
    """Without the tick nothing; with it one row and one entry, however often; then it waits, on my page, too."""
    browser = portal.signed_in()
    browser.post("/sign/icla", data=portal.form(browser))
    refused = ask(portal, browser, sure="")
    answers = [ask(portal, browser) for _press in range(2)]
    page = browser.get("/me/erasure").text

    assert refused.status_code == 400
    assert "Tick the box if you are sure." in refused.text
    assert [answer.status_code for answer in answers] == [302, 302]
    assert kinds(portal) == ["signature.added", "erasure.asked"]
    assert "Your wish waits for a decision" in page
    assert 'name="sure"' not in page
    assert "nobody has decided yet" in browser.get("/me").text


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"state": "refused"}, "Your wish was turned down"),
        ({"state": "restricted", "due": True}, "Your data are restricted until they are erased"),
        ({"state": "done", "done": True}, "Your data were erased"),
        ({"state": "anything"}, "Your wish was decided"),
    ],
)
def test_what_became_of_it(portal, changed, says):
    """The decision with its time and reason; another wish may follow."""
    browser = portal.signed_in()
    ask(portal, browser)
    about = place("erasure", "reason", "e1")
    with portal.parts.sessions() as session:
        row = session.exec(select(Erasure)).one()
        row.state, row.decided_at, row.decided_by = changed["state"], portal.at, 90
        row.reason = portal.parts.vault.seal_for_server(b"It is needed.", about.replace("e1", row.id))
        row.due_at = portal.at if changed.get("due") else None
        row.done_at = portal.at if changed.get("done") else None
    page = browser.get("/me/erasure").text

    assert says in page
    assert "Reason: It is needed." in page
    assert 'name="sure"' in page
