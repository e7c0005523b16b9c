"""A small GitHub with an organisation, and setting up that was just begun, by pages asked over HTTP."""

import html
import re
from contextlib import contextmanager
from urllib.parse import parse_qs, urlsplit

import requests

from bot import clock
from bot.demo.github.simulated_github import SimulatedGitHub
from bot.demo.github.simulated_server import SimulatedGitHubServer
from bot.setup import page_server, setup_progress
from bot.setup.registrar import Registrar
from bot.setup.setup_pages import SetupPages, WebhookReceiver

URL = "https://cla.example.org"
DETAILS = {"administrators": "boss", "smtp_url": "smtp://127.0.0.1:25", "mail_from": "Countersign <cla@example.org>"}


class Beginning:
    """Setting up in a folder; `again` is the same command run once more."""

    def __init__(self, folder, world, server):
        self.folder, self.world, self.server = folder, world, server
        self.boss = world.user("boss")
        self.cann = world.organization("cann", admins=[self.boss])
        self.details = {**DETAILS, "database_url": f"sqlite:///{folder / 'countersign.db'}"}
        self.again()

    def again(self, **answers):
        """Start over with what the folder has."""
        kept = setup_progress.load(self.folder / "out", github_url=self.server.url, answers=answers)
        self.registrar = Registrar(kept, api_url=self.server.api_url, page_url="http://127.0.0.1:8080", clock=clock.now)
        self.receiver = WebhookReceiver(self.registrar.webhook_secret)
        self.finished = []
        pages = SetupPages(self.registrar, self.receiver, self.verify, lambda: self.finished.append(True))
        self.client = pages.app().test_client()
        assert self.client.get(f"/?key={pages.login_key}").status_code == 302
        return kept

    def verify(self):
        """The check at the end, without patience."""
        return page_server.verify(self.progress.file, self.receiver, clock.now, patience=0.1)

    @property
    def progress(self):
        """How far it came."""
        return self.registrar.progress

    def begin(self, login="cann"):
        """The first answers."""
        assert self.client.post("/begin", data={"url": URL, "organization": login}).status_code == 303

    def at_github(self, *, state=None):
        """What an owner clicks at GitHub; gives code and state with which the browser comes back."""
        form = self.registrar.form()
        page = requests.post(
            f"{form['action']}?state={state or form['state']}", data={"manifest": self.manifest()}, timeout=20
        )
        assert page.status_code == 200, page.text
        fields = dict(re.findall(r'name="(manifest|state|name)" value="([^"]*)"', page.text.replace("&#34;", "&quot;")))
        fields = {name: value.replace("&quot;", '"') for name, value in fields.items()} | {"account": str(self.boss.id)}
        made = requests.post(
            form["action"].replace("/apps/new", "/apps/manifest"), data=fields, allow_redirects=False, timeout=20
        )
        assert made.status_code == 302, made.text
        back = urlsplit(made.headers["Location"])
        assert f"{back.scheme}://{back.netloc}{back.path}" == "http://127.0.0.1:8080/registered"
        return {name: values[0] for name, values in parse_qs(back.query).items()}

    def manifest(self):
        """The manifest as the page has it in its form."""
        [found] = re.findall(r'name="manifest" value="([^"]*)"', self.client.get("/").text)
        return html.unescape(found)

    def register(self):
        """The App is registered."""
        self.begin()
        assert self.client.get("/registered", query_string=self.at_github()).status_code == 302

    def install(self):
        """The App is installed on the organisation."""
        self.register()
        self.world.install(self.world.apps[self.progress.app.id], self.cann, self.boss)
        assert self.client.post("/installed").status_code == 303

    def complete(self):
        """Everything is written."""
        self.install()
        answer = self.client.post("/details", data=self.details)
        assert answer.status_code == 303, answer.text


@contextmanager
def begun(folder, gate):
    """A folder, an organisation, and nothing else; all that GitHub sends is held against its schemas."""
    world = SimulatedGitHub(folder / "git")
    with SimulatedGitHubServer(world, wrap=gate.wrap) as server:
        yield Beginning(folder, world, server)
        world.hooks.drain()
        for delivery in world.hooks.log:
            gate.webhook(delivery.event, delivery.body)
    assert world.refused == []
