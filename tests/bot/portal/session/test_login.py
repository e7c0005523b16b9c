"""Signing in accepts only GitHub's answer to the portal's own request, and keeps the result alone."""

import json
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
from bot.secret import Secret
from bot.telemetry import logs
from tests.http_server import LoopbackServer, QuietHandler

CLIENT = "Iv1.client"


def callback(browser, answer, **changed):
    """Follow GitHub's redirect back, with parts of its query changed or (None) left out."""
    back = requests.get(answer.headers["Location"], allow_redirects=False, timeout=60)
    query = {name: values[0] for name, values in parse_qs(urlsplit(back.headers["Location"]).query).items()}
    query = {name: value for name, value in {**query, **changed}.items() if value is not None}
    return browser.get("/login/callback", query_string=query)


def test_the_way_to_github_has_client_id_callback_state_and_pkce(portal):
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


def test_verified_addresses_are_kept_sealed_and_the_token_is_not_kept(portal):
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
def test_a_forged_or_refused_callback_does_not_sign_in(portal, changed):
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
def test_a_refusal_is_explained_with_another_try_and_logged_with_githubs_code(portal, capsys, changed, why, code, said):
    logs.begin()
    browser = portal.browser()
    arrived = callback(browser, browser.get("/login"), **changed)

    assert arrived.status_code == 400
    assert said in unescape(arrived.text)
    assert "Try again" in arrived.text
    assert lines(capsys) == [{"event": "login.refused", "level": "info", "why": why, "github_error": code}]


@pytest.mark.parametrize("code", ["redirect_uri_mismatch", "application_suspended", "incorrect_client_credentials"])
def test_a_misconfigured_app_is_reported_with_githubs_code_and_no_other_try(portal, capsys, code):
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


def test_a_wrong_client_secret_is_logged_as_a_misconfiguration(tmp_path, make_portal, github, capsys):
    """GitHub reports it with status 200 when the code is exchanged."""
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


def test_an_error_without_a_matching_state_is_not_logged_as_a_misconfiguration(portal, capsys):
    """Any link of a stranger could otherwise raise the operator's alarm."""
    logs.begin()
    arrived = portal.browser().get("/login/callback?error=incorrect_client_credentials&state=x")

    assert arrived.status_code == 400
    assert [line["event"] for line in lines(capsys)] == ["login.refused"]


def test_signing_in_and_out_is_logged_by_account_number(portal, capsys):
    logs.begin()
    browser = portal.sign_in()
    browser.post("/logout", data={"csrf_token": portal.proof(browser, "/me")})

    assert lines(capsys) == [
        {"event": "login.signed-in", "level": "info", "account": 11},
        {"event": "login.signed-out", "level": "info", "account": 11},
    ]


def test_a_callback_in_another_browser_is_refused(portal):
    answer = portal.browser().get("/login")
    other = portal.browser()

    assert callback(other, answer).status_code == 400
    assert other.get("/me").status_code == 302


def test_a_callback_is_accepted_once(portal):
    browser = portal.browser()
    back = requests.get(browser.get("/login").headers["Location"], allow_redirects=False, timeout=60)
    path = "/login/callback?" + urlsplit(back.headers["Location"]).query

    assert browser.get(path).status_code == 302
    assert browser.get(path).status_code == 400
    assert browser.get("/me").status_code == 200


def test_a_callback_after_half_an_hour_is_refused(portal):
    browser = portal.browser()
    answer = browser.get("/login")
    portal.later(minutes=31)

    assert callback(browser, answer).status_code == 400


def test_signing_in_changes_the_cookie(portal):
    """A cookie that an attacker planted before the sign-in must open nothing afterwards."""
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
def test_an_answer_without_a_persons_id_and_login_does_not_sign_in(portal, user):
    portal.github.user = {"id": 11, "login": "ada", "type": "User", **user}
    browser = portal.browser()

    assert callback(browser, browser.get("/login")).status_code == 400


def test_while_github_answers_502_the_page_says_so_with_503(portal):
    portal.github.broken = True
    browser = portal.browser()
    arrived = callback(browser, browser.get("/login"))

    assert arrived.status_code == 503
    assert "GitHub is not responding" in arrived.text
    assert browser.get("/me").status_code == 302


def test_client_secret_and_token_are_not_sent_along_a_redirect(portal):
    heard = []
    with LoopbackServer(type("Other", (Hears,), {"heard": heard})).running() as elsewhere:
        try:
            for portal.github.moved in ("/login/oauth/access_token", "/api/user", "/api/user/emails"):
                portal.github.moved_to = elsewhere.url
                browser = portal.browser()
                assert callback(browser, browser.get("/login")).status_code == 503
                assert browser.get("/me").status_code == 302
        finally:
            portal.github.moved = ""

    assert heard == []


class Hears(QuietHandler):
    """Notes each request that came."""

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
def test_after_signing_in_an_address_that_is_no_page_of_the_portal_leads_to_me(portal, target):
    browser = portal.browser()
    arrived = callback(browser, browser.get("/login", query_string={"next": target}))

    assert arrived.headers["Location"] == "/me"


@pytest.mark.parametrize(
    "target", ["/", "/me", "/faq", "/sign/icla", "/sign/icla?pr=cann/ops-math/7", "/pr/cann/ops-math/7"]
)
def test_after_signing_in_the_visitor_returns_to_the_page_they_came_from(portal, target):
    browser = portal.browser()

    assert callback(browser, browser.get("/login", query_string={"next": target})).headers["Location"] == target


def test_signing_out_ends_the_session_on_the_server(portal):
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


@pytest.mark.slow
def test_the_301st_attempt_to_sign_in_within_a_minute_is_answered_with_429(portal):
    browser = portal.browser()
    codes = [browser.get("/login").status_code for _ in range(301)]

    assert codes == [302] * 300 + [429]


def test_a_session_keeps_only_the_five_newest_states(portal):
    browser = portal.browser()
    for _ in range(20):
        last = browser.get("/login")
    with browser.session_transaction() as session:
        states = [key for key in session if key.startswith("_state_github_")]

    assert len(states) == 5
    assert callback(browser, last).status_code == 302


def test_people_of_the_simulated_github_sign_in(tmp_path, make_portal):
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
