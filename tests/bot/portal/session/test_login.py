"""Signing in: only GitHub's own answer to our own question counts, and nothing but the result is kept."""

import http.server
import json
import threading
from contextlib import suppress
from html import unescape
from urllib.parse import parse_qs, urlsplit

import pytest
import requests
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from sqlalchemy import text

from bot.demo.github.simulated_github import SimulatedGitHub
from bot.demo.github.simulated_server import SimulatedGitHubServer
from bot.demo.github.state import StoredEmail
from bot.settings import Secret
from bot.telemetry import logs

CLIENT = "Iv1.client"


def callback(browser, answer, **changed):
    """Follow GitHub's redirect back, with parts of its query changed or (None) left out."""
    back = requests.get(answer.headers["Location"], allow_redirects=False, timeout=60)
    query = {name: values[0] for name, values in parse_qs(urlsplit(back.headers["Location"]).query).items()}
    query = {name: value for name, value in {**query, **changed}.items() if value is not None}
    return browser.get("/login/callback", query_string=query)


def test_the_question_has_state_and_pkce(portal):
    """The way to GitHub carries our client id, our own callback, a state and an S256 challenge."""
    answer = portal.browser().get("/login")
    target = urlsplit(answer.headers["Location"])
    asked = {name: values[0] for name, values in parse_qs(target.query).items()}

    assert answer.status_code == 302
    assert f"{target.scheme}://{target.netloc}{target.path}" == f"{portal.github.url}/login/oauth/authorize"
    assert asked["client_id"] == CLIENT
    assert asked["redirect_uri"] == "http://localhost/login/callback"
    assert asked["code_challenge_method"] == "S256"
    assert len(asked["state"]) >= 20
    assert len(asked["code_challenge"]) == 43


def test_only_verified_addresses_are_kept_and_the_token_is_not(portal):
    """Primary first, verified only, no-reply left out; neither cookie nor database holds the token or an address."""
    browser = portal.sign_in("/sign/icla")
    page = browser.get("/sign/icla").text
    with portal.database.connect() as connection:
        stored = b"".join(row[0] for row in connection.execute(text("SELECT sealed FROM visit")))
    cookie = browser.get_cookie("countersign").value

    assert page.index("ada@example.com") < page.index("old@example.org")
    assert "evil@huawei.com" not in page
    assert "users.noreply" not in page
    for secret in [*portal.github.tokens, "ada@example.com"]:
        assert secret.encode() not in stored
        assert secret not in cookie


@pytest.mark.parametrize(
    "changed",
    [
        {"state": "forged"},
        {"state": None},
        {"code": "forged"},
        {"code": None},
        {"error": "access_denied", "error_description": "The user <b>denied</b>"},
    ],
)
def test_a_forged_or_refused_callback_signs_nobody_in(portal, changed):
    """A wrong state, a wrong code or a refusal ends in one kind page, 400, and nobody is signed in."""
    browser = portal.browser()
    arrived = callback(browser, browser.get("/login"), **changed)

    assert arrived.status_code == 400
    assert "You are not signed in" in arrived.text
    assert "Traceback" not in arrived.text
    assert "denied</b>" not in arrived.text
    assert browser.get("/me").status_code == 302


def lines(capsys):
    """The security events in the log."""
    kept = []
    for line in "".join(capsys.readouterr()).splitlines():
        with suppress(ValueError):
            event = json.loads(line)
            event = event if isinstance(event, dict) else {}
            if str(event.get("event")).startswith("login."):
                kept.append({name: value for name, value in event.items() if name != "timestamp"})
    return kept


@pytest.mark.parametrize(
    ("changed", "why", "code", "said"),
    [
        ({"error": "access_denied"}, "denied", "access_denied", "You cancelled the sign-in at GitHub."),
        ({"code": "forged"}, "expired", "bad_verification_code", "GitHub no longer accepts this sign-in"),
        ({"error": "unverified_user_email"}, "unverified", "unverified_user_email", "not verified yet"),
        ({"state": "forged"}, "unfinished", None, "The sign-in could not be completed"),
        ({"error": "<b>ada@example.com"}, "unfinished", None, "The sign-in could not be completed"),
    ],
)
def test_what_the_person_can_mend_is_said_to_the_person(portal, capsys, changed, why, code, said):
    """The page says what happened and lets them try again; the log has GitHub's code, and no word of a stranger's."""
    logs.begin()
    browser = portal.browser()
    arrived = callback(browser, browser.get("/login"), **changed)

    assert arrived.status_code == 400
    assert said in unescape(arrived.text)
    assert "Try again" in arrived.text
    assert lines(capsys) == [{"event": "login.refused", "level": "info", "why": why, "github_error": code}]


@pytest.mark.parametrize("code", ["redirect_uri_mismatch", "application_suspended", "incorrect_client_credentials"])
def test_an_operator_s_mistake_is_no_turn_of_the_person_s(portal, capsys, code):
    """The page says so, with GitHub's code to pass on, and offers no other try; the log says what to correct."""
    logs.begin()
    browser = portal.browser()
    arrived = callback(browser, browser.get("/login"), error=code)

    assert arrived.status_code == 503
    assert "Tell the administrators of this site" in arrived.text
    assert f"<code>{code}</code>" in arrived.text
    assert "Try again" not in arrived.text
    (line,) = lines(capsys)
    assert (line["event"], line["level"], line["github_error"]) == ("login.misconfigured", "error", code)
    assert line["help"]


def test_a_wrong_client_secret_is_an_operator_s_mistake(tmp_path, make_portal, github, capsys):
    """As GitHub tells it: with 200, at the exchange of the code."""
    logs.begin()
    portal = make_portal(f"sqlite:///{tmp_path / 'portal.db'}", github, client_secret=Secret("of another App"))
    browser = portal.browser()
    arrived = callback(browser, browser.get("/login"))
    portal.database.dispose()

    assert arrived.status_code == 503
    assert "<code>incorrect_client_credentials</code>" in arrived.text
    (line,) = lines(capsys)
    assert (line["event"], line["github_error"]) == ("login.misconfigured", "incorrect_client_credentials")
    assert "COUNTERSIGN_CLIENT_SECRET" in line["help"]


def test_a_link_of_a_stranger_s_raises_no_alarm(portal, capsys):
    """An error that GitHub did not send in answer to our own question is none of the operator's."""
    logs.begin()
    arrived = portal.browser().get("/login/callback?error=incorrect_client_credentials&state=x")

    assert arrived.status_code == 400
    assert [one["event"] for one in lines(capsys)] == ["login.refused"]


def test_signing_in_and_out_is_in_the_log(portal, capsys):
    """By the account's number; no login, no address."""
    logs.begin()
    browser = portal.sign_in()
    browser.post("/logout", data={"csrf_token": portal.proof(browser, "/me")})

    assert lines(capsys) == [
        {"event": "login.signed-in", "level": "info", "account": 11},
        {"event": "login.signed-out", "level": "info", "account": 11},
    ]


def test_a_callback_in_another_browser_is_refused(portal):
    """State belongs to the session that asked: in another browser the same address signs nobody in."""
    answer = portal.browser().get("/login")
    other = portal.browser()

    assert callback(other, answer).status_code == 400
    assert other.get("/me").status_code == 302


def test_a_callback_counts_once(portal):
    """The same callback a second time is refused, and the first sign-in stays."""
    browser = portal.browser()
    back = requests.get(browser.get("/login").headers["Location"], allow_redirects=False, timeout=60)
    path = "/login/callback?" + urlsplit(back.headers["Location"]).query

    assert browser.get(path).status_code == 302
    assert browser.get(path).status_code == 400
    assert browser.get("/me").status_code == 200


def test_a_late_callback_is_refused(portal):
    """Half an hour later the session that asked has ended, and with it the state."""
    browser = portal.browser()
    answer = browser.get("/login")
    portal.later(minutes=31)

    assert callback(browser, answer).status_code == 400


def test_signing_in_changes_the_cookie(portal):
    """The cookie of before signing in opens nothing afterwards: nobody can plant a known one."""
    browser = portal.browser()
    answer = browser.get("/login")
    planted = browser.get_cookie("countersign").value
    callback(browser, answer)
    thief = portal.browser()
    thief.set_cookie("countersign", planted)

    assert browser.get_cookie("countersign").value != planted
    assert browser.get("/me").status_code == 200
    assert thief.get("/me").status_code == 302


@pytest.mark.parametrize(
    "user",
    [{"type": "Organization"}, {"type": "Bot"}, {"id": "11"}, {"id": 0}, {"id": True}, {"id": None}, {"login": ""}],
)
def test_only_a_persons_account_signs_in(portal, user):
    """An answer without a person's numeric id and login signs nobody in."""
    portal.github.user = {"id": 11, "login": "ada", "type": "User", **user}
    browser = portal.browser()

    assert callback(browser, browser.get("/login")).status_code == 400


def test_github_being_down_is_said(portal):
    """When GitHub answers 502 the page says so with 503, and nobody is signed in."""
    portal.github.broken = True
    browser = portal.browser()
    arrived = callback(browser, browser.get("/login"))

    assert arrived.status_code == 503
    assert "GitHub is not responding" in arrived.text
    assert browser.get("/me").status_code == 302


def test_secrets_follow_no_redirect(portal):
    """Neither the client's secret nor the token goes where an answer of GitHub's points: nobody is signed in."""
    heard = []
    elsewhere = http.server.ThreadingHTTPServer(("127.0.0.1", 0), type("Other", (Hears,), {"heard": heard}))
    threading.Thread(target=elsewhere.serve_forever, daemon=True).start()
    try:
        for portal.github.moved in ("/login/oauth/access_token", "/api/user", "/api/user/emails"):
            portal.github.moved_to = f"http://127.0.0.1:{elsewhere.server_port}"
            browser = portal.browser()
            assert callback(browser, browser.get("/login")).status_code == 503
            assert browser.get("/me").status_code == 302
    finally:
        portal.github.moved = ""
        elsewhere.shutdown()
        elsewhere.server_close()

    assert heard == []


class Hears(http.server.BaseHTTPRequestHandler):
    """Notes that somebody came."""

    heard: list

    def handle_one_request(self):
        """Any request."""
        self.heard.append(self.rfile.readline())
        self.close_connection = True


@pytest.mark.parametrize(
    "target",
    [
        "//evil.example", "\\\\evil.example", "/\\evil.example", "https://evil.example/", "%2F%2Fevil.example", "/%2Fevil.example",
        "/me/../..//evil.example", "/sign/icla?pr=//evil.example", "/sign/icla?next=//evil.example", "/me?x=1", "/me#x",
        "/me\nLocation: https://evil.example", "javascript:alert(1)", "/login", "/webhook", "/pr/../x/1", "",
    ],
)  # fmt: skip
def test_nobody_is_sent_elsewhere(portal, target):
    """After signing in the way leads to a page of ours that was recognised whole; all else leads to /me."""
    browser = portal.browser()
    arrived = callback(browser, browser.get("/login", query_string={"next": target}))

    assert arrived.headers["Location"] == "/me"


@pytest.mark.parametrize(
    "target", ["/", "/me", "/faq", "/sign/icla", "/sign/icla?pr=cann/ops-math/7", "/pr/cann/ops-math/7"]
)
def test_the_way_leads_back_to_where_one_came_from(portal, target):
    """A page of ours is reached again after signing in."""
    browser = portal.browser()

    assert callback(browser, browser.get("/login", query_string={"next": target})).headers["Location"] == target


def test_signing_out_ends_the_session_on_the_server(portal):
    """Signing out needs the form's proof; afterwards the old cookie opens nothing and no row is left."""
    browser = portal.sign_in()
    cookie = browser.get_cookie("countersign").value
    refused = browser.post("/logout")
    left = browser.post("/logout", data={"csrf_token": portal.proof(browser)})
    browser.set_cookie("countersign", cookie)
    with portal.database.connect() as connection:
        rows = connection.execute(text("SELECT count(*) FROM visit")).scalar_one()

    assert refused.status_code == 400
    assert left.headers["Clear-Site-Data"] == '"cache", "storage"'
    assert browser.get("/me").status_code == 302
    assert rows == 0


def test_too_many_attempts_are_slowed_down(portal):
    """A company behind one address may sign in at once; the 301st attempt within a minute is answered 429 with a page."""
    browser = portal.browser()
    codes = [browser.get("/login").status_code for _ in range(301)]

    assert codes == [302] * 300 + [429]


def test_a_session_does_not_grow(portal):
    """Twenty begun attempts keep only the newest few states."""
    browser = portal.browser()
    for _ in range(20):
        last = browser.get("/login")
    with browser.session_transaction() as session:
        states = [key for key in session if key.startswith("_state_github_")]

    assert len(states) == 5
    assert callback(browser, last).status_code == 302


def test_with_the_whole_small_github(tmp_path, make_portal):
    """The demo's GitHub, which enforces PKCE, its registered callback and its own tokens, signs its people in here."""
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048).public_key()
    pem = key.public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo).decode()
    world = SimulatedGitHub(tmp_path / "github")
    owner = world.user("cann-owner")
    grace = world.user("grace", emails=["grace@example.com", StoredEmail("unproven@huawei.com", verified=False)])
    app = world.app("countersign", owner, pem, callbacks=["http://localhost/login/callback"])
    with SimulatedGitHubServer(world) as server:
        settings = {
            "github_api_url": server.api_url,
            "client_id": app.client_id,
            "client_secret": Secret(app.client_secret),
        }
        portal = make_portal(f"sqlite:///{tmp_path / 'portal.db'}", server, **settings)
        browser = portal.browser()
        target = urlsplit(browser.get("/login?next=/sign/icla").headers["Location"])
        asked = {name: values[0] for name, values in parse_qs(target.query).items()}
        back = requests.post(
            f"{server.url}{target.path}", data={**asked, "account": grace.id}, allow_redirects=False, timeout=5
        )
        arrived = browser.get("/login/callback?" + urlsplit(back.headers["Location"]).query)
        page = browser.get("/sign/icla").text
        portal.database.dispose()
    world.close()

    assert arrived.headers["Location"] == "/sign/icla"
    assert "signed in as <strong>grace</strong>" in page
    assert "grace@example.com" in page
    assert "unproven@huawei.com" not in page
    assert world.refused == []
