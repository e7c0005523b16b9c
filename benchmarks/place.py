"""The place where servers are measured: a stage with one community, two people and pull requests ready to be opened."""

import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from figures import free_port
from sqlalchemy import text

import migrations
from bot import app, clock
from bot.demo import sample_data
from bot.demo.github.contributor import Contributor
from bot.demo.github.state import StoredAccount, StoredEmail, StoredPull, StoredRepository
from bot.demo.servers import DemoServers
from bot.store.pulls import pull_state, review_mailbox

RULEBOOK = f"version: 1\norganization: {sample_data.PARTY}\nrepositories:\n  - {{match: ['*'], require: cla}}\n"


class Place:
    """A community on a stage: who is there, what they do, and what can be seen afterwards."""

    def __init__(self, stage: DemoServers) -> None:
        self.stage, self.world = stage, stage.world
        self.desks = stage.folder / "desks"
        self.desks.mkdir()
        owner = self.person("owner").account
        self.community = self.world.organization("cann", admins=[owner])
        home = self.world.repository(self.community, ".github")
        self.world.write(home, {".github/countersign.yml": RULEBOOK})
        self.repository = self.world.repository(self.community, "ops-math")
        self.world.install(stage.app, self.community, owner)
        wired = app.wire(stage.settings)  # Never started: it stores, the server works
        migrations.upgrade(wired.database)
        wired.services.engine.prepare()  # type: ignore[attr-defined]
        self.services, self.database = wired.services, wired.database

    def person(self, login: str) -> Contributor:
        """A person with one verified address and a desk."""
        emails = [StoredEmail(f"{login}@bench-company.com", primary=True)]
        return Contributor(self.world, self.world.user(login, name=login.title(), emails=emails), self.desks)

    def branches(self, who: Contributor, names: list[str]) -> StoredRepository:
        """The person's fork with a branch of one commit for each name, pushed by git."""
        fork = self.world.fork(self.repository, who.account)
        desk = who.branch(fork, names[0], of=self.repository)
        for name in names:
            desk.git("switch", "--quiet", "--force-create", name, "origin/HEAD")
            desk.commit(f"Do {name}", {f"{name}.txt": name})
        desk.git("push", "--quiet", "origin", *names)
        return fork

    def sign(self, who: StoredAccount) -> None:
        """Record a signature as the portal does: with the rechecks of the person's pull requests, in one transaction."""
        with self.services.sessions() as session:
            sample_data.sign(session, self.services.vault, who, clock.now())
            for pull_id in pull_state.pulls_of(session, [who.id]):
                review_mailbox.enqueue_review(session, self.services.engine, pull_id, queue="now")

    def completed(self, pull: StoredPull) -> str | None:
        """The conclusion on the pull request's head; None before there is one."""
        runs = [run for run in list(self.world.check_runs.values()) if run.head_sha == pull.head_sha]
        return next((run.conclusion for run in runs if run.conclusion), None)

    def quiet(self) -> None:
        """Wait until every webhook is delivered, and everything that it asked for is done."""
        self.world.hooks.drain()
        self.until(lambda: not self.unfinished())

    def unfinished(self) -> int:
        """Deliveries that wait, and pull requests with something new."""
        query = (
            "SELECT (SELECT count(*) FROM delivery WHERE state = 'received')"
            " + (SELECT count(*) FROM pull WHERE evaluated < latest)"
        )
        with self.database.connect() as connection:
            return int(connection.execute(text(query)).scalar_one())

    def until(self, condition: Callable[[], object], *, within: float = 60.0, pause: float = 0.02) -> None:
        """Wait until it holds. Raises TimeoutError with the end of the server's log."""
        deadline = time.monotonic() + within
        while not condition():
            if time.monotonic() > deadline:
                raise TimeoutError(self.stage.log_end())
            time.sleep(pause)


@contextmanager
def opened(
    *, latency: float = 0.0, settings: Mapping[str, str] | None = None, github: int | None = None
) -> Iterator[Place]:
    """A place in a folder that is gone afterwards; the server is not started yet.

    `latency` is what each call to its GitHub takes longer, in seconds; at the port `github` the server asks another one.
    """
    if github is not None:
        settings = {**(settings or {}), "COUNTERSIGN_GITHUB_API_URL": f"http://127.0.0.1:{github}/api/v3"}
    with tempfile.TemporaryDirectory(prefix="countersign-bench-") as folder:
        stage = DemoServers(Path(folder), port=free_port(), github_port=free_port(), latency=latency, settings=settings)
        with stage:
            place = Place(stage)
            try:
                yield place
            finally:
                place.database.dispose()


def listening(port: int) -> None:
    """Wait until a server answers there."""
    for _ in range(200):
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=2).close()
        except urllib.error.HTTPError:  # Any answer will do.
            return
        except OSError:
            time.sleep(0.05)
        else:
            return
