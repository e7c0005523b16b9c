"""The stage for stories: the real server as a process, the small GitHub behind the contract's gate, real git, real Chromium."""

import json
import os
import sqlite3
import time
from contextlib import contextmanager
from pathlib import Path

import pytest

from bot.cli import root
from bot.demo.github.contributor import Contributor
from bot.demo.github.state import StoredEmail
from bot.demo.servers import DemoServers
from tests.conftest import free_port
from tests.terminal import TerminalRunner

RULEBOOK = """\
version: 1
organization: The CANN Authors
repositories:
  - {match: [docs, "tools-*"], require: dco}
  - {match: ["*"], require: cla}
"""


class Outage:
    """A layer before the small GitHub: while it lasts, every API call is answered 502, as a load balancer would."""

    def __init__(self):
        self.lasts = False

    def wrap(self, app):
        """The application behind this layer."""

        def layer(environ, start_response):
            if self.lasts and environ["PATH_INFO"].startswith("/api/"):
                start_response("502 Bad Gateway", [("Content-Type", "text/html")])
                return [b"<html>Unicorn!</html>"]
            return app(environ, start_response)

        return layer


class Play:
    """Verbs of a story: who does what, and what can be seen at GitHub afterwards."""

    def __init__(self, stage, outage):
        self.stage = stage
        self.outage = outage
        self.world = stage.world
        self.desks = stage.folder / "desks"
        self.desks.mkdir(exist_ok=True)

    def person(self, login, *emails, name=""):
        """A GitHub account with verified addresses, and a desk to work at."""
        known = [StoredEmail(address, primary=index == 0) for index, address in enumerate(emails)]
        return Contributor(self.world, self.world.user(login, name=name or login.title(), emails=known), self.desks)

    def community(self, rulebook=RULEBOOK, *, repositories=("ops-math",), login="cann", boss="boss"):
        """An organisation with its rulebook, repositories, its admin and the App installed; gives the organisation."""
        boss = self.person(boss, f"{boss}@example.org").account
        made = self.world.organization(login, admins=[boss])
        home = self.world.repository(made, ".github")
        self.world.write(home, {".github/countersign.yml": rulebook, "README.md": "x"})
        for name in repositories:
            self.world.write(self.world.repository(made, name), {"README.md": f"# {name}\n"})
        self.world.install(self.stage.app, made, boss)
        return made

    def opens(self, who, name="ops-math", branch="fix", *, owner="cann", message="Fix it", **commit):
        """Fork, clone, commit, push, open: as a newcomer does."""
        base = self.world.find_repository(owner, name)
        fork = self.world.fork(base, who.account)
        desk = who.branch(fork, branch, of=base)
        desk.commit(message, **commit)
        desk.push()
        return desk, self.world.open_pull(base, who.account, branch, source=fork)

    def runs(self, pull):
        """Our check runs on the pull request's present head."""
        return [
            run
            for run in self.world.check_runs.values()
            if run.head_sha == pull.head_sha and run.repository is pull.repository
        ]

    def verdict(self, pull):
        """The conclusion on the present head; None while there is none."""
        runs = self.runs(pull)
        assert len(runs) <= 1, "two runs on one head"
        return runs[0].conclusion if runs else None

    def labels(self, pull):
        """Names of the labels on it."""
        return sorted(label.name for label in pull.labels)

    def comments(self, pull):
        """Bodies of our App's comments on it."""
        return [comment.body for comment in pull.comments if comment.app is not None]

    def until(self, condition, *, within=60.0):
        """Wait until it holds; the server's log is shown when it does not."""
        deadline = time.monotonic() + within
        while not condition():
            assert time.monotonic() < deadline, self.stage.log_end()
            time.sleep(0.05)

    def judged(self, pull, conclusion, *, within=60.0):
        """Wait for that conclusion on the present head, and until everything around it is quiet."""
        self.until(lambda: self.verdict(pull) == conclusion, within=within)
        self.quiet()

    def calm(self, seconds=1.0):
        """Wait until GitHub was not asked for so long: the sweep of the start is over."""
        calls, since = -1, 0.0
        while calls != len(self.world.calls) or time.monotonic() - since < seconds:
            if calls != len(self.world.calls):
                calls, since = len(self.world.calls), time.monotonic()
            time.sleep(0.05)

    def quiet(self):
        """Wait until every webhook is delivered, every delivery done, and no review at work."""
        self.world.hooks.drain()
        self.until(lambda: not self.deliveries("received"))
        self.until(lambda: not self.rows("SELECT id FROM pull WHERE lease_by IS NOT NULL"))

    def deliveries(self, state=None):
        """Rows of the inbox: guid, state, error."""
        rows = self.rows("SELECT guid, state, error FROM delivery ORDER BY received_at")
        return [row for row in rows if state in (None, row[1])]

    def command(self, *words, code=0):
        """A command of ours with the stage's settings, in this process: what it printed, after it ended with that exit code."""
        done = TerminalRunner(env=self.stage.environment).invoke(root, words)
        assert done.exit_code == code, done.output
        return done.stdout

    def rows(self, query):
        """What the server's database says."""
        database = self.stage.folder / "countersign.db"
        if not database.exists():
            return []
        connection = sqlite3.connect(f"file:{database}?mode=ro", uri=True, timeout=10)
        try:
            return connection.execute(query).fetchall()
        finally:
            connection.close()

    def writes(self):
        """Calls that changed something at GitHub."""
        return [
            call
            for call in self.world.calls
            if call.method != "GET" and "graphql" not in call.template and "access_tokens" not in call.template
        ]

    def log(self):
        """Every line that the server logged, read."""
        lines = (self.stage.folder / "serve.log").read_text().splitlines()
        return [json.loads(line) for line in lines if line.startswith("{")]


@pytest.fixture(name="staged")
def _staged(tmp_path, gate):
    """A maker of stages whose GitHub is watched by the contract; at the end nothing unknown was called."""
    with staging(tmp_path, gate) as make:
        yield make


@contextmanager
def staging(folder, gate):
    """The same in that folder, for as long as a test or a whole file takes."""
    stages = []

    def make(**options):
        outage = Outage()
        stage = DemoServers(
            folder / f"stage{len(stages)}",
            port=free_port(),
            github_port=free_port(),
            wrap=lambda app: outage.wrap(gate.wrap(app)),
            **options,
        )
        stage.__enter__()
        stages.append(stage)
        return Play(stage, outage)

    yield make
    for stage in stages:
        for delivery in stage.world.hooks.log:
            gate.webhook(delivery.event, delivery.body)
        refused = list(stage.world.refused)
        stage.__exit__(None, None, None)
        assert [] == refused


@pytest.fixture(name="play")
def _play(staged):
    """A stage with the usual community and the server running, whose sweep at its start is over."""
    play = staged()
    play.community(repositories=("ops-math", "runtime", "docs"))
    play.stage.serve()
    play.calm(0.5)
    return play


@pytest.fixture(name="page")
def _page(chromium):
    """A fresh browser window without script: the portal needs none."""
    context = chromium.new_context(java_script_enabled=False, locale="en-US", viewport={"width": 1280, "height": 900})
    context.set_default_timeout(30_000)
    yield context.new_page()
    context.close()


@pytest.fixture(name="album")
def _album():
    """Where a story keeps its screenshots, when asked for by ALBUM=folder."""
    folder = os.environ.get("ALBUM")  # noqa: TID251 - the test run's own switch

    def keep(page, name):
        if folder:
            Path(folder).mkdir(parents=True, exist_ok=True)
            page.screenshot(path=str(Path(folder) / f"{name}.png"), full_page=True)

    return keep
