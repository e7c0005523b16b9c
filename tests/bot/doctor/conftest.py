"""A whole deployment to look at: the small GitHub behind the contract's gate, settings, a key ring and a database."""

from dataclasses import replace
from datetime import timedelta
from functools import cached_property

import pytest

from agreements.vault import KeyRing
from bot import app_yaml, clock, db
from bot.demo.github.authentication import key_pair
from bot.demo.github.simulated_github import SimulatedGitHub
from bot.demo.github.simulated_server import SimulatedGitHubServer
from bot.doctor import deployment
from bot.doctor.deployment import Options
from bot.doctor.server_checks import ListenAddress
from bot.settings import SettingsInvalid, load
from bot.store import executors
from tests.conftest import free_port
from tests.ready import upgraded


class Deployment:
    """Everything is right until a test changes it."""

    def __init__(self, folder, world, server, keys):
        self.folder, self.world, self.server = folder, world, server
        self.url = "https://cla.example.org"
        slip = app_yaml.read(self.url)
        self.boss = world.user("boss", emails=["boss@example.org"])
        self.cann = world.organization("cann", admins=[self.boss])
        self.app = world.app(
            "countersign", self.cann, keys[1], webhook_secret="s3cret", hook_url=slip["hook_attributes"]["url"],
            permissions=slip["default_permissions"], events=slip["default_events"],
        )  # fmt: skip
        self.keys = folder / "keys"
        self.keys.write_text(KeyRing.generate("first") + "\n")
        self.keys.chmod(0o600)
        self.at = timedelta()
        self.options = Options(place=ListenAddress(port=free_port()))
        self.environ = {
            "COUNTERSIGN_URL": self.url,
            "COUNTERSIGN_DATABASE_URL": f"sqlite:///{folder / 'test.db'}",
            "COUNTERSIGN_GITHUB_URL": server.url,
            "COUNTERSIGN_GITHUB_API_URL": server.api_url,
            "COUNTERSIGN_APP_ID": str(self.app.id),
            "COUNTERSIGN_PRIVATE_KEY": keys[0],
            "COUNTERSIGN_WEBHOOK_SECRET": "s3cret",
            "COUNTERSIGN_CLIENT_ID": self.app.client_id,
            "COUNTERSIGN_CLIENT_SECRET": self.app.client_secret,
            "COUNTERSIGN_KEYS_FILE": str(self.keys),
            "COUNTERSIGN_ACCOUNTS": "cann",
            "COUNTERSIGN_ADMIN_TEAM": str(self.boss.id),
            "COUNTERSIGN_LICENSE_DATA": str(folder / "no-newer-data"),
            "COUNTERSIGN_REGISTRIES": "none",
        }
        upgraded(self.environ["COUNTERSIGN_DATABASE_URL"]).dispose()
        with self.sessions() as session:  # its clock is far ahead, so that it lives at every hour
            executors.beat(session, "worker", at=clock.now() + timedelta(days=999))
        (folder / "test.db").chmod(0o600)
        self.repository = world.repository(self.cann, "ops")
        self.repository.required_checks["Countersign"] = self.app.id
        self.installation = world.install(self.app, self.cann, self.boss)
        self.answered(202)

    def answered(self, status, body=""):
        """As if this server, or a proxy before it, had answered the newest webhook so; nothing listens at that address."""
        self.world.hooks.drain()
        newest = self.world.hooks.log[-1]
        newest.attempts[-1:] = [replace(newest.attempts[-1], status=status, body=body)] if newest.attempts else []

    @cached_property
    def database(self):
        """An engine on its database."""
        return db.open_engine(self.environ["COUNTERSIGN_DATABASE_URL"])

    @property
    def sessions(self):
        """Sessions on its database."""
        return db.sessions(self.database)

    def report(self, **changes):
        """What the doctor says with these settings changed; "" takes one away."""
        environ = {**self.environ, **{f"COUNTERSIGN_{name}": value for name, value in changes.items()}}
        try:
            settings, problems = load(environ, serving=True), ()
        except SettingsInvalid as error:
            settings, problems = error.rest, error.problems
        return deployment.examine(settings, problems, lambda: clock.now() + self.at, options=self.options)

    def item(self, name, **changes):
        """Status and message of that item, which says what to do when it does not pass."""
        [found] = [item for item in self.report(**changes).items if item.id == name]
        assert bool(found.remedy) is not found.is_met
        return found.status, found.message


@pytest.fixture(scope="session", name="app_keys")
def _app_keys():
    """An App's key, private and public."""
    return key_pair()


@pytest.fixture(name="deployed")
def _deployed(tmp_path, app_keys, gate):
    """A deployment in which everything is right."""
    world = SimulatedGitHub(tmp_path / "git")
    with SimulatedGitHubServer(world, wrap=gate.wrap) as server:
        deployed = Deployment(tmp_path, world, server, app_keys)
        yield deployed
        deployed.database.dispose()
    assert world.refused == []
