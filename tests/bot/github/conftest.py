"""A hub whose answers a test writes itself, or the small GitHub with real git; all that is sent is held against GitHub's contract."""

import json
from collections.abc import Collection
from dataclasses import dataclass
from urllib.parse import parse_qsl, urlsplit

import pytest
import responses

from agreements.github_server import GITHUB_COM
from bot.demo.github.contributor import ContributorClone
from bot.demo.github.simulated_github import SimulatedGitHub
from bot.demo.github.simulated_server import SimulatedGitHubServer
from bot.demo.github.state import StoredAccount, StoredApp, StoredEmail, StoredInstallation, StoredRepository
from bot.github.connection import connect
from bot.github.hub import Hub
from bot.github.ports import RepositoryPlace
from tests.conftest import public_half
from tests.contract.contract import Contract

API = "https://api.github.com:443"
TOKEN = "ghs_7_" + ".".join(["x" * 170, "y" * 170, "z" * 172])
HERE = RepositoryPlace(77, "cann", "ops", 900)


class Scripted:
    """What GitHub answers, said call by call; the last answer to a call is repeated."""

    def __init__(self, mock: responses.RequestsMock) -> None:
        self.mock = mock
        self.api = API
        self.elsewhere: set[str] = set()

    def on(
        self, verb: str, path: str, answer: object = None, *, status: int = 200, elsewhere: bool = False, **rest
    ) -> None:
        """Adds an answer to this path with any query; `elsewhere`: a proxy or another server answers so, not GitHub."""
        if elsewhere:
            self.elsewhere.add(path)
        self.mock.add(verb, API + path, json=answer, status=status, **rest)

    def graphql(self, data: object = None, *, status: int = 200, errors: list | None = None, **rest) -> None:
        """One more answer of GraphQL."""
        body = {"data": data, **({"errors": errors} if errors else {})}
        self.on("POST", "/graphql", body if status == 200 else {"message": "bad"}, status=status, **rest)

    def sent(self, verb: str = "", ends: str = "") -> list:
        """Requests so far, but those for tokens."""
        requests = [call.request for call in self.mock.calls]
        return [request for request in requests if request.method.startswith(verb) and urlsplit(request.url).path.endswith(ends)
                and "access_tokens" not in request.url]  # fmt: skip

    def bodies(self, verb: str, ends: str = "") -> list:
        """What those requests said."""
        return [json.loads(request.body) for request in self.sent(verb, ends) if request.body]


@pytest.fixture(name="github")
def _github(contract):
    """A GitHub that answers what the test says; unknown calls fail, and so does a request that GitHub would not take."""
    with responses.RequestsMock(assert_all_requests_are_fired=False) as mock:
        scripted = Scripted(mock)
        token = {"token": TOKEN, "expires_at": "2099-01-01T00:00:00Z", "permissions": {}}
        scripted.on("POST", "/app/installations/77/access_tokens", token, status=201)
        yield scripted
        findings = [text for call in mock.calls
                    if urlsplit(call.request.url).hostname == "api.github.com" for text in checked(contract, call, scripted.elsewhere)]  # fmt: skip
    assert [] == findings


def checked(contract: Contract, call, elsewhere: Collection[str]) -> list[str]:
    """What GitHub's description says against a request, and against the status and the headers that the test answers it by.

    A test says no more of a success than what is read of it, so bodies are not judged; neither are answers from elsewhere.
    """
    request, answer = call.request, call.response
    parts = urlsplit(request.url)
    body = json.loads(request.body) if request.body else None
    if parts.path == "/graphql":
        return contract.check_graphql(body["query"])
    query = dict(parse_qsl(parts.query))
    findings = contract.check_request(request.method, parts.path, query, body)
    if not hasattr(answer, "status_code") or parts.path in elsewhere:
        return findings
    sent = tuple(answer.headers.items())
    findings += contract.check_headers(
        request.method, parts.path, query, answer.status_code, sent, origin=f"{parts.scheme}://{parts.hostname}"
    )
    if answer.status_code < 300 or not isinstance(_said(answer), dict):
        return findings
    return findings + contract.check_response(
        request.method, parts.path, answer.status_code, _said(answer), sent=sent, asked={}
    )


def _said(answer) -> object:
    try:
        return answer.json()
    except ValueError:
        return None


@pytest.fixture(name="hub")
def _hub(key):
    """A hub that waits for nothing."""
    made = connect(app_id=7, server=GITHUB_COM, private_key=key, pause=0)
    yield made
    made.close()


@dataclass
class Scene:
    """cann/ops with our App on it; ada administers, mia contributes from her fork."""

    world: SimulatedGitHub
    server: SimulatedGitHubServer
    hub: Hub
    folder: object
    down: list
    ada: StoredAccount
    mia: StoredAccount
    cann: StoredAccount
    ops: StoredRepository
    app: StoredApp
    installation: StoredInstallation

    @property
    def place(self):
        return RepositoryPlace(self.installation.id, self.ops.owner.login, self.ops.name, self.ops.id)

    def pull(self, *messages, branch="topic", author=None):
        fork = self.world.fork(self.ops, self.mia)
        clone = ContributorClone(self.world, fork, self.mia, self.folder / branch)
        clone.branch(branch, start="origin/main")
        for number, message in enumerate(messages):
            files = {f"{branch}{number}.txt": message} if number < 3 else None
            clone.commit(message, files=files, author=author)
        clone.push()
        return self.world.open_pull(self.ops, self.mia, branch, source=fork), clone


@pytest.fixture(name="scene")
def _scene(tmp_path, key, gate):
    down = []  # not empty: GraphQL answers 502

    def sick(app):
        def answer(environ, start):
            if down and environ["PATH_INFO"] == "/api/graphql":
                environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
                start("502 Bad Gateway", [("Content-Length", "0")])
                return [b""]
            return app(environ, start)

        return gate.wrap(answer)

    (tmp_path / "git").mkdir()
    public = public_half(key)
    world = SimulatedGitHub(tmp_path / "git")
    with SimulatedGitHubServer(world, wrap=sick) as server:
        ada = world.user("ada", name="Ada", emails=["ada@cann.example"])
        mia = world.user("mia", name="Mia", emails=["mia@home.example", StoredEmail("mia@huawei.com", verified=False)])
        cann = world.organization("cann", admins=[ada])
        ops = world.repository(cann, "ops", files={".mailmap": "Mia <mia@home.example> <m@old.example>\n",
                                                   ".github/dco.yml": "require:\n  members: false\n"})  # fmt: skip
        world.repository(cann, ".github", files={".github/countersign.yml": "version: 1\n"})
        app = world.app("countersign", cann, public)
        hub = connect(api_url=server.api_url, app_id=app.id, server=world.server, private_key=key, pause=0)
        yield Scene(world, server, hub, tmp_path, down, ada, mia, cann, ops, app, world.install(app, cann, ada))
        hub.close()
    assert world.refused == []
