"""The session: a random word in the cookie, everything else on the server, sealed and bound to its row."""

import re

import pytest
from sqlalchemy import text

from bot.portal.session.session_store import ServerSession


def rows(portal):
    """What the table of sessions holds."""
    with portal.database.connect() as connection:
        return connection.execute(text("SELECT id_hash, account_id, sealed FROM visit ORDER BY account_id")).all()


def test_reading_leaves_no_trace(portal):
    """Pages that anybody may read set no cookie and store nothing."""
    browser = portal.browser()
    for path in ("/", "/faq", "/sign/icla", "/whitelist.json", "/nowhere"):
        assert "Set-Cookie" not in browser.get(path).headers
    assert rows(portal) == []


def test_the_cookie(portal):
    """Over http: HttpOnly, Lax, the whole site, until the browser closes; the word is not what is stored."""
    browser = portal.browser()
    cookie = browser.get("/login").headers["Set-Cookie"]
    word = re.match(r"countersign=([\w-]{43});", cookie)[1]

    assert "HttpOnly" in cookie
    assert "SameSite=Lax" in cookie
    assert "Path=/" in cookie
    assert "Expires" not in cookie
    assert "Max-Age" not in cookie
    assert word not in str(rows(portal))


def test_the_cookie_over_https(secure_portal):
    """Over https the name is bound to the host, and the browser sends it over https alone."""
    answer = secure_portal.browser().get("/login", base_url="https://cla.example.org")

    assert answer.headers["Set-Cookie"].startswith("__Host-countersign=")
    assert "Secure" in answer.headers["Set-Cookie"]
    assert "Domain" not in answer.headers["Set-Cookie"]


@pytest.mark.parametrize("word", ["x", "a" * 43, "a" * 3000, "é", "' OR 1=1 --"])
def test_a_made_up_word_opens_nothing(portal, word):
    """A cookie that we did not give opens an empty session."""
    portal.signed_in()
    browser = portal.browser()
    browser.set_cookie("countersign", word)

    assert browser.get("/me").status_code == 302


def test_sealed_contents_cannot_be_moved(portal):
    """The contents of another's session, copied into one's own row, do not open."""
    portal.signed_in()
    bob = portal.signed_in(id=12, login="bob")
    ada_row, bob_row = rows(portal)
    with portal.database.begin() as connection:
        connection.execute(
            text("UPDATE visit SET sealed = :sealed WHERE id_hash = :id"),
            {"sealed": ada_row.sealed, "id": bob_row.id_hash},
        )

    assert (ada_row.account_id, bob_row.account_id) == (11, 12)
    assert bob.get("/me").status_code == 302


def test_an_idle_session_ends(portal):
    """After 29 minutes of nothing the session lives, after 31 more it has ended."""
    browser = portal.signed_in()
    portal.later(minutes=29)
    alive = browser.get("/me").status_code
    portal.later(minutes=31)

    assert (alive, browser.get("/me").status_code) == (200, 302)


def test_without_the_database_pages_still_answer(portal):
    """When the table is gone, a visitor with a cookie still gets the first page; what needs records says 503."""
    browser = portal.signed_in()
    with portal.database.begin() as connection:
        connection.execute(text("DROP TABLE visit"))

    assert browser.get("/").status_code == 200
    answer = browser.get("/login")
    assert answer.status_code in (500, 503)
    assert "Traceback" not in answer.text


def test_renewing_forgets():
    """Renewing empties the session and marks it for a new word."""
    session = ServerSession({"a": 1}, "word")
    session.renew()

    assert (dict(session), session.renewed, session.modified) == ({}, True, True)
