"""A form sent after its session ended is kept encrypted for the next sign-in in that browser."""

import html
import re
from pathlib import Path

import pytest

from bot.portal.session.kept_form import NEVER_KEPT, PATH
from tests.bot.conftest import callback

ORIGIN = {"Origin": "http://localhost"}


def sign_in_again(browser, page: str):
    """Follow the page's way to sign in; where that leads."""
    path = html.unescape(re.search(r'href="(/login\?next=[^"]+)"', page)[1])
    return callback(browser, browser.get(path)).headers["Location"]


def kept_fields(page: str) -> dict[str, str]:
    """What the page sends once more, and where."""
    fields = dict(re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)">', page))
    return {"action": re.search(r'<form method="post" action="(/[^"]+)">', page)[1], **fields}


@pytest.fixture(name="ended")
def _ended(portal):
    """A browser whose session has just ended, with the form of the agreement filled in."""
    browser = portal.signed_in()
    form = portal.form(browser, name="Ada <Countess> Lovelace")
    portal.later(minutes=31)
    return browser, form


def test_a_form_sent_after_the_session_ended_is_there_again_after_signing_in(portal, ended):
    browser, form = ended
    answer = browser.post("/sign/icla", data=form, headers=ORIGIN)
    assert 403 == answer.status_code
    assert "You are signed out" in answer.text
    assert "We keep what you typed for 30 minutes" in answer.text
    assert PATH == sign_in_again(browser, answer.text)

    page = browser.get(PATH).text
    again = kept_fields(page)
    assert "Countess" not in page.replace("Ada &lt;Countess&gt; Lovelace", "")
    assert {"action", "csrf_token", "name", "email"} == again.keys()

    shown = browser.post(again.pop("action"), data={**again, "name": html.unescape(again["name"])})
    assert 409 == shown.status_code
    assert 'value="Ada &lt;Countess&gt; Lovelace"' in shown.text
    assert "checked" not in re.search(r'<input type="checkbox" name="agree"[^>]*>', shown.text)[0]
    assert "/me" == browser.get(PATH).headers["Location"], "what was sent is kept no longer"


def test_a_kept_form_is_sent_with_the_new_sessions_csrf_token(portal):
    browser = portal.signed_in()
    proof = portal.proof(browser, "/me/emails")
    portal.later(minutes=31)
    answer = browser.post("/me/emails", data={"csrf_token": proof, "address": "ada@work.example"}, headers=ORIGIN)
    sign_in_again(browser, answer.text)
    again = kept_fields(browser.get(PATH).text)

    assert "ada@work.example" == again["address"]
    assert proof != again["csrf_token"]
    assert 302 == browser.post(again.pop("action"), data=again).status_code
    assert "ada@work.example" in html.unescape(browser.get("/me/emails").text)


@pytest.mark.parametrize("origin", [{}, {"Origin": "https://evil.example"}, {"Origin": "null"}])
def test_a_form_from_another_site_is_not_kept(portal, origin):
    answer = portal.browser().post("/sign/icla", data={"name": "Mallory"}, headers=origin)

    assert (403, None) == (answer.status_code, answer.headers.get("Set-Cookie"))
    assert "We keep what you typed" not in answer.text


def test_a_kept_form_is_forgotten_after_thirty_minutes(portal, ended):
    browser, form = ended
    answer = browser.post("/sign/icla", data=form, headers=ORIGIN)
    portal.later(minutes=31)

    assert PATH != sign_in_again(browser, answer.text)
    assert "/me" == browser.get(PATH).headers["Location"]


def test_a_kept_form_is_encrypted_in_the_database(portal, ended):
    browser, form = ended
    browser.post("/sign/icla", data=form, headers=ORIGIN)
    with portal.database.connect() as connection:
        rows = connection.exec_driver_sql("SELECT sealed FROM visit").all()

    assert rows
    assert not [row for row in rows if b"Lovelace" in row[0]]


def test_a_form_with_a_file_is_not_kept(portal):
    answer = portal.browser().post(
        "/sign/icla", data={"name": "Ada"}, headers=ORIGIN, content_type="multipart/form-data"
    )

    assert "Nothing was sent" in answer.text


def test_a_kept_form_is_for_the_account_whose_page_it_was(portal, ended):
    browser, form = ended
    answer = browser.post("/sign/icla", data=form, headers=ORIGIN)
    portal.github.user = {"id": 12, "login": "bob"}

    assert sign_in_again(browser, answer.text) == "/sign/icla"
    assert browser.get(PATH).headers["Location"] == "/me"


@pytest.mark.parametrize("proof", ["", "x", "IngueCI.aaaaaa.bbbbbb"])
def test_a_form_whose_proof_names_no_account_is_not_kept(portal, ended, proof):
    browser, form = ended
    answer = browser.post("/sign/icla", data={**form, "csrf_token": proof}, headers=ORIGIN)

    assert "Nothing was sent" in answer.text
    assert sign_in_again(browser, answer.text) != PATH


def test_what_a_person_confirmed_is_confirmed_again_after_signing_in(portal):
    browser = portal.signed_in()
    form = {"csrf_token": portal.proof(browser, "/me/erasure"), "sure": "y", "reason": "I leave"}
    portal.later(minutes=31)
    answer = browser.post("/me/erasure", data=form, headers=ORIGIN)

    assert sign_in_again(browser, answer.text) == PATH
    assert kept_fields(browser.get(PATH).text).keys() == {"action", "csrf_token", "reason"}


def test_no_box_that_must_be_ticked_is_kept():
    pages = (path.read_text(encoding="utf-8") for path in Path("bot/portal/templates").rglob("*.html"))
    boxes = re.compile(r'tick\("(\w+)"|type="checkbox" name="(\w+)"[^>]* required')
    names = {name for page in pages for found in boxes.findall(page) for name in found if name}

    assert {"agree", "sure", "right", "works"} <= names
    assert names - NEVER_KEPT == {"foreign"}  # An address that the form shows.
