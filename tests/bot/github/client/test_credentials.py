"""The App's key, signed for GitHub's clock, and the installations' tokens."""

import base64
import json
from datetime import timedelta
from email.utils import format_datetime

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
)
from structlog.testing import capture_logs

from agreements.github_server import GITHUB_COM
from bot import clock
from bot.github.availability import AppRefused
from bot.github.connection import connect
from bot.github.ports import AppIdentity, Missing, Refused, RepositoryPlace
from tests.bot.github.conftest import API, HERE, TOKEN

TOKENS = "/app/installations/77/access_tokens"
BAD = {"message": "A JSON web token could not be decoded"}
LATER = "2099-01-01T00:00:00Z"


def pem(key, *, encryption=None) -> str:
    """A key as text."""
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, encryption or NoEncryption()).decode()


def test_the_identity_is_asked_once_with_a_short_lived_jwt(hub, github, key):
    github.on("GET", "/app", {"id": 7, "slug": "countersign"})

    assert hub.identity() == hub.identity() == AppIdentity(7, "countersign")

    (asked,) = github.sent()
    token = asked.headers["Authorization"].removeprefix("Bearer ")
    public = load_pem_private_key(key.encode(), None).public_key()
    claims = jwt.decode(token, public, algorithms=["RS256"])
    assert claims["iss"] == "7"
    assert claims["exp"] - claims["iat"] <= 600
    assert asked.headers["X-GitHub-Api-Version"] == "2022-11-28"
    assert asked.headers["Accept"] == "application/vnd.github+json"


@pytest.mark.parametrize(
    "text",
    [
        "", "no key", "-----BEGIN RSA PRIVATE KEY-----\nAAAA\n-----END RSA PRIVATE KEY-----\n",
        pem(ec.generate_private_key(ec.SECP256R1())),
        pem(rsa.generate_private_key(65537, 2048), encryption=BestAvailableEncryption(b"x")),
    ],
    ids=["empty", "words", "broken", "elliptic", "encrypted"],
)  # fmt: skip
def test_a_text_that_is_no_key_is_one_clear_line_without_the_text(text):
    with pytest.raises(Refused, match=r"^the private key is not an RSA key in PEM format.*$") as caught:
        connect(app_id=7, server=GITHUB_COM, private_key=text)

    assert "AAAA" not in str(caught.value)


def test_the_key_of_another_app_is_one_clear_line(hub, github):
    github.on("GET", "/app", BAD, status=401)
    github.mock.replace("POST", API + TOKENS, json=BAD, status=401)

    said = r"^the private key does not match App 7: GitHub answered 401 [^\n]+, since [^\n]+ UTC$"
    for ask in (hub.identity, lambda: hub.open_numbers(HERE)):
        with pytest.raises(AppRefused, match=said) as caught:
            ask()
        assert caught.value.retry_after == pytest.approx(5, abs=1)

    assert len(github.mock.calls) == 1, "no caller asks again at once with a key that is refused"
    assert hub.state().condition == "open"


@pytest.mark.parametrize(
    ("answer", "status", "line"),
    [
        ({"message": "Integration not found"}, 404, "App 7 does not exist"),
        ({"id": 8, "slug": "x"}, 200, "belongs to App 8"),
    ],
)
def test_a_working_key_of_another_app_is_refused(hub, github, answer, status, line):
    github.on("GET", "/app", answer, status=status)

    with pytest.raises(Refused, match=line):
        hub.identity()


def signed(request):
    """What that request's JWT claims."""
    return jwt.decode(request.headers["Authorization"].removeprefix("Bearer "), options={"verify_signature": False})


@pytest.mark.parametrize("off", [timedelta(hours=1), timedelta(hours=-1)], ids=["behind", "ahead"])
def test_a_wrong_clock_is_corrected_by_githubs_at_once(hub, github, off):
    """GitHub refuses a JWT that was signed at another time."""
    there = clock.now() + off
    github.on("GET", "/app", BAD, status=401, headers={"Date": format_datetime(there, usegmt=True)})
    github.on("GET", "/app", {"id": 7, "slug": "countersign"})

    with capture_logs() as log:
        hub.identity()
        hub.identity(again=True)

    first, *later = map(signed, github.sent("GET"))
    assert first["iat"] == pytest.approx((there - off).timestamp() - 60, abs=5)
    assert [claims["iat"] for claims in later] == pytest.approx([there.timestamp() - 60] * 2, abs=5)
    (told,) = (line for line in log if line["event"] == "github.clock")
    assert told["seconds"] == pytest.approx(-off.total_seconds(), abs=5)
    assert hub.state().condition == "healthy"


def test_a_refused_key_is_not_tried_again_when_the_clock_is_right(hub, github):
    github.on("GET", "/app", BAD, status=401, headers={"Date": format_datetime(clock.now(), usegmt=True)})

    with pytest.raises(AppRefused), capture_logs() as log:
        hub.identity()

    assert len(github.sent("GET")) == 1
    assert [line["event"] for line in log] == ["github.open"]


def pulls(github, name="ops"):
    """An empty list of pull requests."""
    github.on("GET", f"/repos/cann/{name}/pulls", [])


def test_a_token_is_minted_once_and_used_for_all_calls(hub, github):
    pulls(github)

    hub.open_numbers(HERE)
    hub.open_numbers(HERE)

    assert len(TOKEN) > 510
    assert {request.headers["Authorization"] for request in github.sent("GET")} == {f"Bearer {TOKEN}"}
    assert len(github.mock.calls) == 3


def test_each_installation_has_its_own_token(hub, github):
    github.on("POST", "/app/installations/78/access_tokens", {"token": "ghs_other", "expires_at": LATER}, status=201)
    pulls(github)
    pulls(github, "ge")

    hub.open_numbers(HERE)
    hub.open_numbers(RepositoryPlace(78, "cann", "ge", 901))

    assert [request.headers["Authorization"][-5:] for request in github.sent("GET")] == [TOKEN[-5:], "other"]


def test_a_token_is_replaced_before_it_ends(hub, github):
    github.mock.replace(
        "POST", API + TOKENS, json={"token": "ghs_old", "expires_at": "2020-01-01T00:00:00Z"}, status=201
    )
    pulls(github)

    hub.open_numbers(HERE)
    hub.open_numbers(HERE)

    assert [call.request.method for call in github.mock.calls] == ["POST", "GET", "POST", "GET"]


def test_a_token_that_github_revoked_is_replaced_once(hub, github):
    path = "/repos/cann/ops/issues/3/comments"
    github.on("POST", path, {"message": "Bad credentials"}, status=401)
    github.on("POST", path, {"id": 51}, status=201)
    github.on("GET", "/repos/cann/ops/pulls", {"message": "Bad credentials"}, status=401)

    assert hub.create_comment(HERE, 3, "x") == 51
    with pytest.raises(Refused):
        hub.open_numbers(HERE)

    assert len(github.sent("POST")) == 2
    assert len(github.sent("GET")) == 2


def test_a_missing_or_suspended_installation_gets_no_token(hub, github):
    github.mock.replace("POST", API + TOKENS, json={"message": "Not Found"}, status=404)
    with pytest.raises(Missing):
        hub.open_numbers(HERE)

    github.mock.replace("POST", API + TOKENS, json={"message": "This installation has been suspended"}, status=403)
    with pytest.raises(Refused, match="suspended"):
        hub.open_numbers(HERE)


def test_the_claims_are_issued_a_minute_ago_at_most(hub, github):
    """A clock that is a little ahead of GitHub's then does no harm."""
    github.on("GET", "/app", {"id": 7, "slug": "countersign"})
    hub.identity()

    part = github.sent()[0].headers["Authorization"].split(".")[1]
    claims = json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))
    assert claims["exp"] - claims["iat"] > 60
