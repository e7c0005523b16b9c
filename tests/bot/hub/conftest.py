"""A hub whose answers a test writes itself; every request that it sends is checked against GitHub's description."""

import json
from urllib.parse import parse_qsl, urlsplit

import pytest
import responses
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from bot.hub.ports import Place
from bot.hub.pygithub import connect
from tests.contract.contract import Contract

API = "https://api.github.com:443"
TOKEN = "ghs_7_" + ".".join(["x" * 170, "y" * 170, "z" * 172])
HERE = Place(77, "cann", "ops", 900)


@pytest.fixture(scope="session", name="key")
def _key() -> str:
    """A private key in PEM form."""
    made = rsa.generate_private_key(65537, 2048)
    return made.private_bytes(Encoding.PEM, PrivateFormat.TraditionalOpenSSL, NoEncryption()).decode()


class Scripted:
    """What GitHub answers, said call by call; the last answer to a call is repeated."""

    def __init__(self, mock: responses.RequestsMock) -> None:
        self.mock = mock
        self.api = API

    def on(self, verb: str, path: str, answer: object = None, *, status: int = 200, **rest) -> None:
        """One more answer to this path, whatever its query."""
        self.mock.add(verb, API + path, json=answer, status=status, **rest)

    def graphql(self, data: object = None, *, status: int = 200, errors: list | None = None, **rest) -> None:
        """One more answer of GraphQL."""
        body = {"data": data, **({"errors": errors} if errors else {})}
        self.on("POST", "/graphql", body if status == 200 else {"message": "bad"}, status=status, **rest)

    def sent(self, verb: str = "", ends: str = "") -> list:
        """Requests so far, but those for tokens."""
        requests = [call.request for call in self.mock.calls]
        return [one for one in requests if one.method.startswith(verb) and urlsplit(one.url).path.endswith(ends)
                and "access_tokens" not in one.url]  # fmt: skip

    def bodies(self, verb: str, ends: str = "") -> list:
        """What those requests said."""
        return [json.loads(one.body) for one in self.sent(verb, ends) if one.body]


@pytest.fixture(name="github")
def _github(contract):
    """A GitHub that answers what the test says; unknown calls fail, and so does a request that GitHub would not take."""
    with responses.RequestsMock(assert_all_requests_are_fired=False) as mock:
        scripted = Scripted(mock)
        token = {"token": TOKEN, "expires_at": "2099-01-01T00:00:00Z", "permissions": {}}
        scripted.on("POST", "/app/installations/77/access_tokens", token, status=201)
        yield scripted
        findings = [text for call in mock.calls for text in checked(contract, call.request)]
    assert [] == findings


def checked(contract: Contract, request) -> list[str]:
    """What GitHub's description says against a request."""
    parts = urlsplit(request.url)
    body = json.loads(request.body) if request.body else None
    if parts.path == "/graphql":
        return contract.check_graphql(body["query"])
    return contract.check_request(request.method, parts.path, dict(parse_qsl(parts.query)), body)


@pytest.fixture(name="hub")
def _hub(key):
    """A hub that waits for nothing."""
    made = connect(app_id=7, private_key=key, pause=0)
    yield made
    made.close()
