"""A session is a random token in the cookie, and a sealed row on the server that is bound to it."""

import hashlib
import re

import flask
import pytest
from flask import session
from sqlalchemy import text
from structlog.testing import capture_logs

from bot.portal.session.session_store import ServerSession
from bot.store import portal_sessions


def rows(portal):
    """What the table of sessions holds."""
    with portal.database.connect() as connection:
        return connection.execute(text("SELECT id_hash, account_id, sealed FROM visit ORDER BY account_id")).all()


def test_public_pages_set_no_cookie_and_store_nothing(portal):
    browser = portal.browser()
    for path in ("/", "/faq", "/sign/icla", "/whitelist.json", "/nowhere"):
        assert "Set-Cookie" not in browser.get(path).headers
    assert rows(portal) == []


def test_the_cookie_is_httponly_and_lax_and_its_token_is_not_stored(portal):
    browser = portal.browser()
    cookie = browser.get("/login").headers["Set-Cookie"]
    word = re.match(r"countersign=([\w-]{43});", cookie)[1]

    assert "HttpOnly" in cookie
    assert "SameSite=Lax" in cookie
    assert "Path=/" in cookie
    assert "Expires" not in cookie
    assert "Max-Age" not in cookie
    assert word not in str(rows(portal))


def test_the_cookie_over_https_is_secure_and_bound_to_the_host(secure_portal):
    answer = secure_portal.browser().get("/login", base_url="https://cla.example.org")

    assert answer.headers["Set-Cookie"].startswith("__Host-countersign=")
    assert "Secure" in answer.headers["Set-Cookie"]
    assert "Domain" not in answer.headers["Set-Cookie"]


@pytest.mark.parametrize("word", ["x", "a" * 43, "a" * 3000, "é", "' OR 1=1 --"])
def test_a_made_up_token_opens_an_empty_session(portal, word):
    portal.signed_in()
    browser = portal.browser()
    browser.set_cookie("countersign", word)

    assert browser.get("/me").status_code == 302


def test_a_session_ends_after_thirty_idle_minutes(portal):
    browser = portal.signed_in()
    portal.later(minutes=29)
    alive = browser.get("/me").status_code
    portal.later(minutes=31)

    assert (alive, browser.get("/me").status_code) == (200, 302)


@pytest.mark.parametrize("how", ["signed out", "by an administrator"])
def test_a_session_that_ends_while_a_page_is_made_stays_ended(portal, how):
    browser, word = portal.signed_in(), []

    def slow():
        with portal.services.sessions() as records:
            if how == "signed out":
                portal_sessions.end(records, hashlib.sha256(flask.session.word.encode()).hexdigest())
            else:
                portal_sessions.end_of(records, flask.session["account"]["id"])
        flask.session["typed"] = "later"
        word.append(flask.session.word)
        return ""

    portal.app.add_url_rule("/slow", view_func=slow)
    assert browser.get("/slow").status_code == 200
    assert len(word[0]) == 43
    assert (browser.get("/me").status_code, rows(portal)) == (302, [])


def test_the_first_page_is_shown_without_the_table_of_sessions(portal):
    browser = portal.signed_in()
    with portal.database.begin() as connection:
        connection.execute(text("DROP TABLE visit"))

    assert browser.get("/").status_code == 200
    answer = browser.get("/login")
    assert answer.status_code in (500, 503)
    assert "Traceback" not in answer.text


def test_renewing_empties_the_session_and_marks_it_for_a_new_token():
    old = ServerSession({"a": 1}, "word")
    old.renew()

    assert (dict(old), old.renewed, old.modified) == ({}, True, True)


def refused(lines):
    """What was said about rows that opened nothing."""
    return [(line["table"], line["row"], line["why"]) for line in lines if line["event"] == "row.refused"]


def moment(portal, value):
    """As the database writes it."""
    return value if portal.database.dialect.name == "postgresql" else value.replace("+00:00", ".000000")


ATTACKS = {
    "another's account": "UPDATE visit SET account_id = 12",
    "no account's": "UPDATE visit SET account_id = NULL",
    "a longer life": "UPDATE visit SET expires_at = '2030-01-01 00:00:00+00:00'",
    "a later start": "UPDATE visit SET created_at = '2030-01-01 00:00:00+00:00'",
    "seen later": "UPDATE visit SET seen_at = '2030-01-01 00:00:00+00:00'",
    "a code of no key": "UPDATE visit SET mac = 'k1:' || id_hash",
    "no code": "UPDATE visit SET mac = NULL",
}


@pytest.mark.parametrize("statement", ATTACKS.values(), ids=ATTACKS)
def test_a_session_whose_row_was_changed_is_closed_and_logged_once(portal, statement):
    browser = portal.signed_in()
    with portal.database.begin() as connection:
        connection.execute(text(moment(portal, statement)))
    with capture_logs() as lines:
        answers = [browser.get("/me").status_code for _ in range(3)]

    assert answers == [302, 302, 302]
    assert refused(lines) == [
        ("visit", None, "no-code" if "NULL" in statement and "mac" in statement else "wrong-code")
    ]
    assert rows(portal) == []


def test_an_idle_session_is_not_prolonged_by_changing_its_row(portal):
    browser = portal.signed_in()
    portal.later(minutes=31)
    with portal.database.begin() as connection:
        connection.execute(text(moment(portal, "UPDATE visit SET expires_at = '2030-01-01 00:00:00+00:00'")))

    assert browser.get("/me").status_code == 302


def test_a_row_copied_to_the_hash_of_another_token_opens_nothing(portal):
    portal.signed_in(id=90, login="root")
    word = "w" * 43
    with portal.database.begin() as connection:
        connection.execute(
            text(
                "INSERT INTO visit (id_hash, account_id, sealed, created_at, seen_at, expires_at, mac)"
                " SELECT :hash, account_id, sealed, created_at, seen_at, expires_at, mac FROM visit"
            ),
            {"hash": hashlib.sha256(word.encode()).hexdigest()},
        )
    browser = portal.browser()
    browser.set_cookie("countersign", word)
    with capture_logs() as lines:
        assert browser.get("/me").status_code == 302

    assert refused(lines) == [("visit", None, "wrong-code")]
    assert len(rows(portal)) == 1


def test_sealed_contents_swapped_between_two_sessions_open_nothing(portal):
    portal.signed_in()
    bob = portal.signed_in(id=12, login="bob")
    ada_row, bob_row = rows(portal)
    assert (ada_row.account_id, bob_row.account_id) == (11, 12)
    with portal.database.begin() as connection:
        connection.execute(
            text("UPDATE visit SET sealed = :sealed WHERE id_hash = :id"),
            {"sealed": ada_row.sealed, "id": bob_row.id_hash},
        )
    with capture_logs() as lines:
        assert bob.get("/me").status_code == 302
    assert refused(lines) == [("visit", None, "wrong-code")]


def test_a_row_that_is_changed_while_a_page_is_made_gets_no_fitting_code_from_it(portal):
    browser = portal.signed_in()
    cookie = f"countersign={browser.get_cookie('countersign').value}"
    with portal.app.test_request_context("/me", headers={"Cookie": cookie}), capture_logs() as lines:
        session["next"] = "/sign/icla"
        with portal.database.begin() as connection:
            connection.execute(text("UPDATE visit SET account_id = 12"))
        portal.app.process_response(portal.app.response_class())

    assert refused(lines) == [("visit", None, "wrong-code")]
    assert rows(portal) == []
    assert browser.get("/me").status_code == 302
