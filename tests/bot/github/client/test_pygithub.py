"""The App's key, the installations' tokens."""

import base64
import json
import threading

import jwt
import pytest
import responses
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
)

from bot.github.client.pygithub import connect
from bot.github.ports import AppIdentity, HubError, Missing, Place, Refused, Unreachable
from tests.bot.github.conftest import API, HERE, TOKEN

TOKENS = "/app/installations/77/access_tokens"
BAD = {"message": "A JSON web token could not be decoded"}
LATER = "2099-01-01T00:00:00Z"


def pem(key, *, encryption=None) -> str:
    """A key as text."""
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, encryption or NoEncryption()).decode()


def test_who_we_are_is_asked_once_with_a_signed_token(hub, github, key):
    """A short-lived JWT of the App, version and media type of the API, no hidden preview."""
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
def test_a_text_that_is_no_key_is_one_clear_line(text):
    """Said at once, without quoting it."""
    with pytest.raises(Refused, match=r"^the private key is not a PEM private key .*$") as caught:
        connect(app_id=7, private_key=text)

    assert "AAAA" not in str(caught.value)


def test_the_key_of_another_app_is_one_clear_line(hub, github):
    """GitHub's 401, for the identity and for a token alike."""
    github.on("GET", "/app", BAD, status=401)
    github.mock.replace("POST", API + TOKENS, json=BAD, status=401)

    for ask in (hub.identity, lambda: hub.open_numbers(HERE)):
        with pytest.raises(Refused, match=r"^the private key does not fit App 7: [^\n]+$"):
            ask()


@pytest.mark.parametrize(
    ("answer", "status", "line"),
    [({"message": "Integration not found"}, 404, "knows no App 7"), ({"id": 8, "slug": "x"}, 200, "belongs to App 8")],
)
def test_another_app_is_not_ours(hub, github, answer, status, line):
    """A key that works, but for somebody else."""
    github.on("GET", "/app", answer, status=status)

    with pytest.raises(Refused, match=line):
        hub.identity()


def pulls(github, name="ops"):
    """An empty list of pull requests."""
    github.on("GET", f"/repos/cann/{name}/pulls", [])


def test_a_token_is_minted_once_and_used_for_all(hub, github):
    """One exchange for two calls; the 520 characters arrive whole."""
    pulls(github)

    hub.open_numbers(HERE)
    hub.open_numbers(HERE)

    assert len(TOKEN) > 510
    assert {one.headers["Authorization"] for one in github.sent("GET")} == {f"Bearer {TOKEN}"}
    assert len(github.mock.calls) == 3


def test_each_installation_has_its_own_token(hub, github):
    """Never one for another."""
    github.on("POST", "/app/installations/78/access_tokens", {"token": "ghs_other", "expires_at": LATER}, status=201)
    pulls(github)
    pulls(github, "ge")

    hub.open_numbers(HERE)
    hub.open_numbers(Place(78, "cann", "ge", 901))

    assert [one.headers["Authorization"][-5:] for one in github.sent("GET")] == [TOKEN[-5:], "other"]


def test_a_token_is_replaced_before_it_ends(hub, github):
    """One that ends within two minutes is not used again."""
    github.mock.replace(
        "POST", API + TOKENS, json={"token": "ghs_old", "expires_at": "2020-01-01T00:00:00Z"}, status=201
    )
    pulls(github)

    hub.open_numbers(HERE)
    hub.open_numbers(HERE)

    assert [call.request.method for call in github.mock.calls] == ["POST", "GET", "POST", "GET"]


def test_a_token_that_github_revoked_is_replaced_once(hub, github):
    """401: nothing was done, so even a POST may be said again, with a fresh token; a second 401 is a no."""
    path = "/repos/cann/ops/issues/3/comments"
    github.on("POST", path, {"message": "Bad credentials"}, status=401)
    github.on("POST", path, {"id": 51}, status=201)
    github.on("GET", "/repos/cann/ops/pulls", {"message": "Bad credentials"}, status=401)

    assert hub.create_comment(HERE, 3, "x") == 51
    with pytest.raises(Refused):
        hub.open_numbers(HERE)

    assert len(github.sent("POST")) == 2
    assert len(github.sent("GET")) == 2


def test_an_installation_that_is_gone_or_suspended(hub, github):
    """Missing and Refused, as GitHub says."""
    github.mock.replace("POST", API + TOKENS, json={"message": "Not Found"}, status=404)
    with pytest.raises(Missing):
        hub.open_numbers(HERE)

    github.mock.replace("POST", API + TOKENS, json={"message": "This installation has been suspended"}, status=403)
    with pytest.raises(Refused, match="suspended"):
        hub.open_numbers(HERE)


@pytest.mark.parametrize("status", [400, 401, 403, 404, 422, 429, 500, 502])
def test_no_error_shows_a_token_or_a_person(hub, github, status):
    """Also when GitHub or a proxy quotes them; neither in the message nor behind it."""
    quoted = {"message": f"bad {TOKEN} of ann@example.org"}
    github.on("GET", "/repos/cann/ops/collaborators/ann/permission", quoted, status=status)
    github.on("GET", "/repos/cann/ops/pulls", quoted, status=status)

    with pytest.raises(HubError) as caught:
        hub.open_numbers(HERE)

    error: BaseException | None = caught.value
    assert "\n" not in str(error)
    while error is not None:
        assert TOKEN[:12] not in repr(error)
        assert "ann" not in repr(error)
        error = error.__cause__ or error.__context__


def test_eight_threads_share_one_hub(key):
    """One token, no lost call, whatever the verbs; on a server without GitHub's limits, so that no write waits for its turn."""
    minted, server = [], "https://github.example.org:443/api/v3"

    def mint(request):
        minted.append(request.headers["Authorization"])
        return 201, {}, json.dumps({"token": TOKEN, "expires_at": LATER})

    failures = []

    def work(hub):
        try:
            for number in range(5):
                hub.update_comment(HERE, number, "x")
                hub.remove_label(HERE, number, "x")
                hub.open_numbers(HERE)
                hub.add_label(HERE, number, "x")
        except Exception as error:  # noqa: BLE001 - any of them fails the test below
            failures.append(error)

    with responses.RequestsMock() as mock:
        mock.add_callback("POST", server + TOKENS, mint)
        for number in range(5):
            mock.add("PATCH", f"{server}/repos/cann/ops/issues/comments/{number}", json={"id": 1})
            mock.add("DELETE", f"{server}/repos/cann/ops/issues/{number}/labels/x", json=[])
            mock.add("POST", f"{server}/repos/cann/ops/issues/{number}/labels", json=[])
        mock.add("GET", f"{server}/repos/cann/ops/pulls", json=[])
        hub = connect(app_id=7, private_key=key, api_url=server, pause=0)
        threads = [threading.Thread(target=work, args=(hub,)) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    assert failures == []
    assert len(minted) == 1


def test_the_claims_are_not_older_than_github_takes(hub, github):
    """Issued a minute ago at most, so that a clock a little ahead does no harm."""
    github.on("GET", "/app", {"id": 7, "slug": "countersign"})
    hub.identity()

    part = github.sent()[0].headers["Authorization"].split(".")[1]
    claims = json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))
    assert claims["exp"] - claims["iat"] > 60


def test_a_probe_finds_that_the_outage_is_over(github, key):
    """One cheap call for whoever waits, once its moment has come; whoever wants to know is told."""
    told, at = [], [1000.0]
    hub = connect(app_id=7, private_key=key, pause=0, on_recovery=told.append)
    hub._control._monotonic = lambda: at[0]
    github.on("GET", "/repos/cann/ops/pulls", {}, status=502)
    github.on("GET", "/rate_limit", {}, status=502)
    github.on("GET", "/rate_limit", {"resources": {}})
    for _ in range(2):
        with pytest.raises(Unreachable):
            hub.open_numbers(HERE)
    assert [one.condition for one in hub.states()] == ["healthy", "open", "healthy"]
    assert hub.state(77).cause.startswith("GitHub does not answer: 502 to GET /repos/…/…/pulls, since")

    assert hub.probe() == 0
    at[0] += 5
    assert hub.probe() == 1
    assert (hub.probe(), told) == (0, [])
    at[0] += 10
    assert hub.probe() == 1
    assert (hub.probe(), told) == (0, [77])
    assert len(github.sent("GET", "/rate_limit")) == 2
    assert hub.state(77).condition == "healthy"
    hub.close()


def test_an_installation_that_is_gone_needs_no_probe(github, key):
    """It has no token any more, which is an answer: it is not asked for each second from then on."""
    at = [1000.0]
    hub = connect(app_id=7, private_key=key, pause=0)
    hub._control._monotonic = lambda: at[0]
    github.mock.replace("POST", API + TOKENS, json={"token": "ghs_x", "expires_at": "2020-01-01T00:00:00Z"}, status=201)
    github.on("GET", "/repos/cann/ops/pulls", {"message": "slow down"}, status=403, headers={"Retry-After": "60"})
    with pytest.raises(Unreachable):
        hub.open_numbers(HERE)
    github.mock.replace("POST", API + TOKENS, json={"message": "Not Found"}, status=404)

    at[0] += 60
    assert (hub.probe(), hub.probe()) == (1, 0)
    hub.close()


def test_without_a_connection_any_way_will_do(github, key):
    """The App is to wait an hour, GitHub as a whole has come back: nobody's answer tells so."""
    told, at = [], [1000.0]
    hub = connect(app_id=7, private_key=key, pause=0, on_recovery=told.append)
    hub._control._monotonic = lambda: at[0]
    github.on("GET", "/repos/cann/ops/pulls", [])
    hub.open_numbers(HERE)
    github.mock.replace("GET", f"{API}/repos/cann/ops/pulls", body=ConnectionError("no route"))
    github.on("GET", "/app", {"message": "slow down"}, status=403, headers={"Retry-After": "3600"})
    github.on("GET", "/rate_limit", {"resources": {}})
    for ask in (hub.identity, lambda: hub.open_numbers(HERE), lambda: hub.open_numbers(HERE)):
        with pytest.raises(Unreachable):
            ask()
    assert hub.state().condition == "open"
    assert hub.state(77).scope == "host"

    at[0] += 5
    assert (hub.probe(), hub.probe(), told) == (1, 0, [None])
    hub.close()
