"""A withdrawal shows its consequences, is confirmed, and is written once and as a whole."""

import json
import re

import pytest
from sqlalchemy import text

from bot.store import outbox
from bot.store.outbox import Mail
from tests.bot.portal.sentences import without_times


def rows(portal, query: str) -> list:
    """What that query finds."""
    with portal.database.connect() as connection:
        return connection.execute(text(query)).all()


@pytest.fixture(name="signed")
def _signed(portal):
    """The browser of a person who has signed, and the page on which to withdraw."""
    browser = portal.signed_in()
    receipt = browser.post("/sign/icla", data=portal.form(browser)).headers["Location"]
    portal.engine._committed.clear()
    portal.later(hours=1)
    return portal.signed_in(), receipt + "/withdraw"


def confirm(portal, browser, page, **changed):
    """Press the button on that page."""
    return browser.post(page, data={"csrf_token": portal.proof(browser, page), "sure": "y", **changed})


def test_the_page_names_the_persons_open_pull_requests_that_may_fail(portal, signed):
    browser, page = signed
    before = browser.get(page).text
    portal.pull(7)
    portal.pull(8, of=(12,))
    page_text = browser.get(page).text

    assert "You have no open pull requests that we know of." in before
    assert "They fail if they need this agreement from you" in page_text
    assert "cann/ops-math#7" in page_text
    assert "cann/ops-math#8" not in page_text
    assert "What you contributed before stays licensed" in page_text


def test_pull_requests_are_listed_by_repository_and_number(portal, signed):
    browser, page = signed
    for number, name in ((12, "ops-math"), (9, "ops-math"), (40, "ge"), (100, "ge")):
        portal.pull(number, name=name)
    pulls = re.findall(r"cann/[a-z-]+#[0-9]+", browser.get(page).text)

    assert pulls == ["cann/ge#40", "cann/ge#100", "cann/ops-math#9", "cann/ops-math#12"]


def test_a_person_whom_a_company_covers_is_told_that_cover_remains(portal, signed, covered):
    browser, page = signed
    portal.pull(7)
    covered(account=11)
    page_text = browser.get(page).text

    assert "<strong>Huawei</strong> continues to cover you" in page_text
    assert "They should not change" in page_text


def test_a_withdrawal_is_logged_mailed_and_rejudges_open_pull_requests(portal, signed):
    browser, page = signed
    pull_id = portal.pull(7)
    answer = confirm(portal, browser, page)
    receipt = page.removesuffix("/withdraw")
    shown = browser.get(receipt).text

    assert answer.headers["Location"] == receipt
    assert "Signed, and withdrawn on 2026-11-21 13:00:00 UTC" in without_times(shown)
    assert [tuple(row) for row in rows(portal, "SELECT by_account_id, kind FROM withdrawal")] == [(11, "withdrawal")]
    entry = rows(portal, "SELECT kind, actor_id, rows FROM ledger_entry ORDER BY number")[-1]
    assert (entry.kind, entry.actor_id) == ("signature.withdrawn", 11)
    assert [row[0] for row in json.loads(entry.rows)] == ["withdrawal"]
    assert [(job.name, job.ids) for job in portal.engine.waiting] == [("review", (pull_id,)), ("recheck", (11,))]
    with portal.services.sessions() as session:
        mail = session.get(Mail, rows(portal, "SELECT id FROM mail WHERE kind = 'withdrawn'")[0].id)
        email = outbox.opened(portal.services.vault, mail)
    assert email.to == "ada@example.com"
    assert email.values["title"] == "Individual Contributor License Agreement"
    assert portal.browser().get("/whitelist.json").json["individuals"] == []


def test_a_second_withdrawal_changes_nothing_and_leads_to_the_receipt(portal, signed):
    browser, page = signed
    word = portal.proof(browser, page)
    for _press in range(2):
        assert browser.post(page, data={"csrf_token": word, "sure": "y"}).status_code == 302

    assert browser.get(page).status_code == 302
    assert len(rows(portal, "SELECT * FROM withdrawal")) == 1
    assert len(rows(portal, "SELECT * FROM ledger_entry WHERE kind = 'signature.withdrawn'")) == 1
    assert len(rows(portal, "SELECT * FROM mail WHERE kind = 'withdrawn'")) == 1


def test_a_withdrawal_needs_the_tick_and_the_signer(portal, signed):
    browser, page = signed
    answer = confirm(portal, browser, page, sure="")
    stranger = portal.signed_in(id=12, login="bob")

    assert answer.status_code == 400
    assert "Tick the box to withdraw your signature." in answer.text
    assert stranger.get(page).status_code == 404
    assert stranger.post(page, data={"csrf_token": portal.proof(stranger), "sure": "y"}).status_code == 404
    assert rows(portal, "SELECT * FROM withdrawal") == []
