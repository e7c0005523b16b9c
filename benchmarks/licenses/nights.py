"""The nightly audit of an organisation: everything read once, then a night in which nothing changed; requests and seconds."""

import json
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

from figures import Figure

import migrations
from agreements.vault import KeyRing
from audit.store import accounts
from bot import clock, db
from bot.app import wire
from bot.demo.github.authentication import key_pair
from bot.demo.github.server import SimulatedGitHubServer
from bot.demo.github.simulated_github import SimulatedGitHub
from bot.demo.github.state import StoredApp
from bot.github.client.pygithub import connect
from bot.job_queue import Job
from bot.registries import Registries
from bot.runner import make_runner
from bot.settings import Secret, Settings
from tests.bot.jobs.inline import InlineEngine

REPOSITORIES, QUICK = 1_000, 20
LOCKED = 100
"""Dependencies of each repository, some shared with the others, some not."""
RULES = "version: 1\nlicenses: {}\n"


def measure(*, quick: bool) -> list[Figure]:
    """Both nights beside each other, on SQLite, the simulated GitHub in the same process."""
    count = QUICK if quick else REPOSITORIES
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        world = SimulatedGitHub(root / "git")
        server = SimulatedGitHubServer(world).start()
        try:
            return _measured(world, server, root, count)
        finally:
            server.stop()


def _measured(world: SimulatedGitHub, server: SimulatedGitHubServer, root: Path, count: int) -> list[Figure]:
    key, app = _organization(world, count)
    night = _nights(world, server, root, key, app)
    first, calls = night(timedelta(0))
    second, again = night(timedelta(days=1))
    name = f"{count:,} repositories of {LOCKED} dependencies"
    beside = "the first night, which reads all"
    target = "≤ 20" if count == REPOSITORIES else ""
    return [
        Figure(what=f"{name}, unchanged: requests to GitHub", value=again, unit="", target=target, baseline=calls, beside=beside),
        Figure(what=f"{name}, unchanged: listed, judged, compared", value=second, unit="s", baseline=first, beside=beside),
    ]  # fmt: skip


def _organization(world: SimulatedGitHub, count: int) -> tuple[str, StoredApp]:
    """The App's private key, and the App, installed where the repositories are."""
    ada = world.user("ada", name="Ada", emails=["ada@cann.example"])
    cann = world.organization("cann", admins=[ada])
    world.repository(cann, ".github", files={".github/countersign.yml": RULES})
    for number in range(count - 1):
        world.repository(cann, f"r{number:04}", files=_files(number))
    private, public = key_pair()
    app = world.app("countersign", cann, public)
    world.install(app, cann, ada)
    return private, app


def _files(number: int) -> dict[str, str]:
    """A package whose dependencies' licences all fit."""
    packages: dict[str, object] = {"": {"name": f"r{number}", "license": "Apache-2.0"}}
    for at in range(LOCKED):
        name = f"lib-{at if at % 2 else at * 1_000 + number}"
        packages[f"node_modules/{name}"] = {"version": "1.0.0", "license": ("MIT", "ISC", "Apache-2.0")[at % 3]}
    lock = json.dumps({"name": f"r{number}", "lockfileVersion": 3, "packages": packages})
    return {"package.json": json.dumps(packages[""]), "package-lock.json": lock}


def _nights(
    world: SimulatedGitHub, server: SimulatedGitHubServer, root: Path, key: str, app: StoredApp
) -> Callable[[timedelta], tuple[float, int]]:
    """What does one night that much later; gives its seconds and its requests."""
    url = f"sqlite:///{root / 'bench.db'}"
    settings = Settings(
        url="https://cla.example.org", database_url=url, github_url=server.url, github_api_url=server.api_url, app_id=app.id, private_key=Secret(key),
        keys=Secret(KeyRing.generate("bench")), accounts=("cann",), registries=Registries(()),
    )  # fmt: skip
    database = db.open_engine(url)
    migrations.upgrade(database)
    database.dispose()
    hub = connect(
        api_url=server.api_url, server=settings.github_server, app_id=app.id, private_key=key, patience=0, pause=0
    )
    jobs = InlineEngine()
    parts = wire(settings, hub=hub, engine=lambda _database: jobs).services

    def night(later: timedelta) -> tuple[float, int]:
        here = replace(parts, clock=lambda: clock.now() + timedelta(hours=1) + later)
        jobs.start(make_runner(here))
        world.calls.clear()
        start = time.perf_counter()
        with here.sessions() as session:
            jobs.enqueue(session, Job("audit-night", queue="later"))
        jobs.run_all(delayed=True, limit=10_000)
        taken = time.perf_counter() - start
        with here.sessions() as session:
            [account] = [one for one in accounts.each(session) if one.login]
        if account.why or account.violations or not account.repositories:
            raise RuntimeError(f"{account.repositories} repositories, {account.violations} violations, {account.why}")
        return taken, len(world.calls)

    return night
