"""The nightly audit of an organisation: everything read once, then nights in which nothing or little changed; requests, and seconds of processor."""

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
from audit.store import account_states
from bot import clock, db
from bot.app import wire
from bot.demo.github.authentication import key_pair
from bot.demo.github.simulated_github import SimulatedGitHub
from bot.demo.github.simulated_server import SimulatedGitHubServer
from bot.demo.github.state import StoredApp
from bot.flows.licenses import stored_repository
from bot.github.connection import connect
from bot.job_queue import Job
from bot.registries import Registries
from bot.runner import make_runner
from bot.secret import Secret
from bot.settings import Settings
from tests.bot.jobs.inline import InlineEngine

REPOSITORIES, QUICK = 1_000, 20
LOCKED = 100
"""Dependencies of each repository, some shared with the others, some not."""
RULES = "version: 1\nlicenses: {}\n"


def measure(*, quick: bool) -> list[Figure]:
    """The nights beside each other, on SQLite, the simulated GitHub in the same process."""
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
    first, calls = night(0)
    unchanged, again = night(1)
    world.write(
        next(repository for repository in world.repositories.values() if repository.name == "r0000"), _files(count)
    )
    change, _ = night(2)
    whole, _ = night(stored_repository.KEPT_FOR.days)  # A week later all are judged again.
    name = f"{count:,} repositories of {LOCKED} dependencies"
    reads, judges = "the first night, which reads all", "the night of a week that judges all"
    targets = ("≤ 20", "≤ 3 s") if count == REPOSITORIES else ("", "")
    return [
        Figure(what=f"{name}, unchanged: requests to GitHub", value=again, unit="", target=targets[0], baseline=calls, beside=reads),
        Figure(what=f"{name}, unchanged: listed and compared", value=unchanged, unit="s", target=targets[1], baseline=whole, beside=judges),
        Figure(what=f"{name}, one of them changed", value=change, unit="s", baseline=whole, beside=judges),
        Figure(what=f"{name}, unchanged, the night that judges all", value=whole, unit="s", baseline=first, beside=reads),
    ]  # fmt: skip


def _organization(world: SimulatedGitHub, count: int) -> tuple[str, StoredApp]:
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
    packages: dict[str, object] = {"": {"name": f"r{number}", "license": "Apache-2.0"}}
    for at in range(LOCKED):
        name = f"lib-{at if at % 2 else at * 1_000 + number}"
        packages[f"node_modules/{name}"] = {"version": "1.0.0", "license": ("MIT", "ISC", "Apache-2.0")[at % 3]}
    lock = json.dumps({"name": f"r{number}", "lockfileVersion": 3, "packages": packages})
    return {"package.json": json.dumps(packages[""]), "package-lock.json": lock}


def _nights(
    world: SimulatedGitHub, server: SimulatedGitHubServer, root: Path, key: str, app: StoredApp
) -> Callable[[int], tuple[float, int]]:
    """A function that does the night of so many days after the first; it gives seconds of processor, and requests."""
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

    # The first night of the account's week, which follows from its id.
    week = stored_repository.KEPT_FOR.days
    days = -((clock.now() + timedelta(hours=1)).toordinal() + app.owner.id) % week

    def night(number: int) -> tuple[float, int]:
        later = timedelta(hours=1, days=days + number)
        here = replace(parts, clock=lambda: clock.now() + later)
        jobs.start(make_runner(here))
        world.calls.clear()
        start = time.process_time()
        with here.sessions() as session:
            jobs.enqueue(session, Job("audit-night", queue="later"))
        jobs.run_all(delayed=True, limit=10_000)
        taken = time.process_time() - start
        with here.sessions() as session:
            [account] = [account for account in account_states.each(session) if account.login]
        if account.why or account.violations or not account.repositories:
            raise RuntimeError(f"{account.repositories} repositories, {account.violations} violations, {account.why}")
        return taken, len(world.calls)

    return night
