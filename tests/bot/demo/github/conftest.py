"""A running small GitHub with an organisation, people and an App; everything on its wire is held against GitHub's contract."""

import time
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import jwt
import pytest
import requests

from bot.demo.github.authentication import key_pair
from bot.demo.github.contributor import ContributorClone
from bot.demo.github.simulated_github import SimulatedGitHub
from bot.demo.github.simulated_server import SimulatedGitHubServer
from bot.demo.github.state import StoredAccount, StoredApp, StoredEmail, StoredInstallation, StoredRepository
from tests.conftest import private_key
from tests.http_server import LoopbackServer, QuietHandler


class Clock:
    """A clock that stands still until it is moved."""

    def __init__(self):
        self.moment = datetime(2026, 11, 21, 9, 0, tzinfo=UTC)

    def __call__(self):
        return self.moment

    def forward(self, **span):
        self.moment += timedelta(**span)


@pytest.fixture(scope="session", name="keys")
def _keys():
    """Private and public, PEM."""
    return key_pair()


class Ear:
    """Hears webhooks on loopback: `heard` holds (headers, body); answers with `status`."""

    def __init__(self):
        self.heard = []
        self.status = 202
        ear = self

        class Handler(QuietHandler):
            def do_POST(self):
                ear.heard.append((dict(self.headers), self.body()))
                self.answer(ear.status)

        self.server = LoopbackServer(Handler)
        self.url = f"{self.server.url}/webhook"


@pytest.fixture(name="ear")
def _ear():
    ear = Ear()
    with ear.server.running():
        yield ear


@dataclass
class Place:
    """What every test finds: cann/runtime with the App on it, ada who owns, mia who contributes."""

    world: SimulatedGitHub
    server: SimulatedGitHubServer
    clock: Clock
    key: str
    folder: Path
    ada: StoredAccount
    mia: StoredAccount
    cann: StoredAccount
    runtime: StoredRepository
    app: StoredApp
    installation: StoredInstallation
    _token: str = ""

    def events(self, event=None):
        """(event, action) of all webhooks, or the bodies of one event."""
        self.world.hooks.drain()
        if event is None:
            return [(delivery.event, delivery.action) for delivery in self.world.hooks.log]
        return [delivery.body for delivery in self.world.hooks.log if delivery.event == event]

    def jwt(self, **claims):
        now = int(self.clock().timestamp())
        return jwt.encode(
            {"iat": now - 60, "exp": now + 300, "iss": str(self.app.id), **claims}, private_key(self.key), "RS256"
        )

    def token(self, **fields):
        path = f"/app/installations/{self.installation.id}/access_tokens"
        answer = self.call("POST", path, fields, token=self.jwt())
        assert answer.status_code == 201, answer.text
        return answer.json()["token"]

    def call(self, method, path, body=None, *, token=None, **more):
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        url = path if path.startswith("http") else self.server.api_url + path
        return requests.request(method, url, json=body, headers=headers, timeout=60, allow_redirects=False, **more)

    def api(self, method, path, body=None, *, token=None, status=None):
        """The answer's JSON, to the App unless a token says otherwise; it is a success, or has the status expected."""
        if token is None:
            token = self._token = self._token or self.token()
        answer = self.call(method, path, body, token=token)
        assert (answer.status_code == status) if status else answer.status_code < 300, answer.text
        return answer.json() if "json" in answer.headers.get("Content-Type", "") else None

    def graphql(self, query, variables=None, **more):
        """The answer of GraphQL: its data, and its errors if there are any."""
        return self.api(
            "POST", f"{self.server.url}/api/graphql", {"query": query, "variables": variables or {}}, **more
        )

    def browser(self, who=None):
        """A session with the pages, signed in as that account if there is one; it waits a minute at most."""
        session = requests.Session()
        if who is not None:
            session.post(f"{self.server.url}/signin", data={"account": who.id, "back": "/cann"}, timeout=60)
        return session

    def clone(self, repo, who, name="clone"):
        return ContributorClone(self.world, repo, who, self.folder / f"{name}-{time.monotonic_ns()}")

    def pull(self, *, commits=1, branch="work", **more):
        """A pull request of mia's from her fork."""
        fork = self.world.fork(self.runtime, self.mia)
        clone = self.clone(fork, self.mia)
        clone.branch(branch, start="origin/main")
        for number in range(commits):
            clone.commit(f"Change {number}", files={f"{branch}{number}.txt": f"{number}\n"}, **more)
        clone.push()
        return self.world.open_pull(self.runtime, self.mia, branch, source=fork), clone


@pytest.fixture(name="place")
def _place(tmp_path, keys, ear, gate):
    clock = Clock()
    world = SimulatedGitHub(tmp_path / "git", clock)
    with SimulatedGitHubServer(world, wrap=gate.wrap) as server:
        ada = world.user("ada", name="Ada Admin", emails=["ada@cann.example"])
        mia = world.user(
            "mia", name="Mia Chen", emails=["mia@home.example", StoredEmail("mia@huawei.com", verified=False)]
        )
        cann = world.organization("cann", admins=[ada])
        runtime = world.repository(cann, "runtime")
        app = world.app("countersign", cann, keys[1], webhook_secret="s3cret", hook_url=ear.url,
                        callbacks=["http://127.0.0.1:9/login/callback"])  # fmt: skip
        installation = world.install(app, cann, ada)
        yield Place(world, server, clock, keys[0], tmp_path, ada, mia, cann, runtime, app, installation)
        world.hooks.drain()
        for delivery in world.hooks.log:
            gate.webhook(delivery.event, delivery.body)
    assert world.refused == []
