"""Signing in with GitHub."""

from urllib.parse import parse_qs, urlsplit

import pytest
import requests

from bot.demo.github.pages.oauth import challenge

VERIFIER = "v" * 43
CALLBACK = "http://127.0.0.1:9/login/callback"


def asked(place, **changes):
    return {
        "client_id": place.app.client_id, "redirect_uri": CALLBACK, "state": "st", "code_challenge": challenge(VERIFIER),
        "code_challenge_method": "S256", **changes,
    }  # fmt: skip


def sign_in(place, who, session=None, **changes):
    form = {**asked(place, **changes), "account": who.id}
    answer = (session or requests).post(
        place.server.url + "/login/oauth/authorize", data=form, allow_redirects=False, timeout=5
    )
    return answer.headers.get("Location", ""), answer


def exchange(place, code, **changes):
    form = {
        "client_id": place.app.client_id, "client_secret": place.app.client_secret, "code": code, "redirect_uri": CALLBACK,
        "code_verifier": VERIFIER, **changes,
    }  # fmt: skip
    url = place.server.url + "/login/oauth/access_token"
    return requests.post(url, data=form, headers={"Accept": "application/json"}, timeout=60).json()


def code_of(location):
    return parse_qs(urlsplit(location).query)["code"][0]


def test_the_challenge_is_that_of_the_standard():
    """RFC 7636, appendix B, has this example."""
    assert challenge("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk") == "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"


def test_a_person_signs_in_and_the_app_reads_the_account(place):
    page = requests.get(place.server.url + "/login/oauth/authorize", params=asked(place), timeout=60)
    assert "Continue as <strong>mia</strong>" in page.text
    location, _ = sign_in(place, place.mia)
    assert location.startswith(CALLBACK + "?code=")
    assert parse_qs(urlsplit(location).query)["state"] == ["st"]
    token = exchange(place, code_of(location))["access_token"]
    assert token.startswith("ghu_")
    assert place.api("GET", "/user", token=token)["id"] == place.mia.id
    assert [address["verified"] for address in place.api("GET", "/user/emails", token=token)] == [True, False]


def test_without_the_apps_permission_addresses_stay_closed(place):
    place.app.permissions.pop("email_addresses")
    token = exchange(place, code_of(sign_in(place, place.mia)[0]))["access_token"]
    place.api("GET", "/user/emails", token=token, status=403)


def test_a_code_works_once(place):
    code = code_of(sign_in(place, place.mia)[0])
    assert "access_token" in exchange(place, code)
    assert exchange(place, code)["error"] == "bad_verification_code"


@pytest.mark.parametrize(
    ("wrong", "error"),
    [
        ({"client_secret": "x"}, "incorrect_client_credentials"),
        ({"client_id": "x"}, "Not Found"),
        ({"code": "x"}, "bad_verification_code"),
        ({"code_verifier": "w" * 43}, "bad_verification_code"),
        ({"code_verifier": ""}, "bad_verification_code"),
        ({"redirect_uri": CALLBACK + "/x"}, "redirect_uri_mismatch"),
    ],
)
def test_an_exchange_with_one_wrong_part_is_refused(place, wrong, error):
    code = code_of(sign_in(place, place.mia)[0])
    assert exchange(place, **{"code": code, **wrong})["error"] == error


def test_a_code_ends_after_ten_minutes_and_a_token_after_eight_hours(place):
    code = code_of(sign_in(place, place.mia)[0])
    place.clock.forward(minutes=10)
    assert exchange(place, code)["error"] == "bad_verification_code"
    token = exchange(place, code_of(sign_in(place, place.mia)[0]))["access_token"]
    place.clock.forward(hours=8)
    assert place.call("GET", "/user", token=token).status_code == 401


@pytest.mark.parametrize(
    ("changes", "status"),
    [
        ({"client_id": "x"}, 404),
        ({"redirect_uri": "http://evil.example/"}, 400),
        ({"state": ""}, 400),
        ({"code_challenge": ""}, 400),
        ({"code_challenge": VERIFIER[:-1]}, 400),
        ({"code_challenge_method": "plain"}, 400),
    ],
)
def test_an_unsafe_request_is_refused_without_a_redirect(place, gate, changes, status):
    """GitHub is more lenient: it takes requests without a state or a challenge."""
    location, answer = sign_in(place, place.mia, **changes)
    assert (location, answer.status_code) == ("", status)
    shown = requests.get(place.server.url + "/login/oauth/authorize", params=asked(place, **changes), timeout=60)
    assert shown.status_code == status
    gate.findings.clear()  # the contract says so, too


def test_a_person_who_allowed_the_app_before_goes_straight_back(place):
    session = requests.Session()
    sign_in(place, place.mia, session)
    url = place.server.url + "/login/oauth/authorize"
    again = session.get(url, params=asked(place), allow_redirects=False, timeout=60)
    assert exchange(place, code_of(again.headers["Location"]))["token_type"] == "bearer"
    choose = session.get(url, params={**asked(place), "prompt": "select_account"}, allow_redirects=False, timeout=60)
    assert choose.status_code == 200


def test_a_refusal_says_its_reason_in_the_callback(place):
    page = requests.get(place.server.url + "/login/oauth/authorize", params=asked(place), timeout=60).text
    link = next(part for part in page.split('"') if "error=access_denied" in part).replace("&amp;", "&")
    said = parse_qs(urlsplit(link).query)
    assert (said["state"], said["error_description"]) == (["st"], ["The user has denied your application access."])


def test_without_asking_for_json_the_answer_is_a_form(place, gate):
    """GitHub does the same, so a client has to ask for JSON."""
    location, _ = sign_in(place, place.mia)
    form = {"client_id": place.app.client_id, "client_secret": "wrong", "code": code_of(location)}
    answer = requests.post(place.server.url + "/login/oauth/access_token", data=form, timeout=60)
    assert parse_qs(answer.text)["error"] == ["incorrect_client_credentials"]
    assert "POST /login/oauth/access_token: without `Accept: application/json` the answer is a form" in gate.findings
    gate.findings.clear()
