"""Where a phase plays: the small GitHub, a database, our processes and the crowd; and what is measured there."""

import random
import tempfile
import threading
import time
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import asdict, dataclass, field
from datetime import timedelta
from pathlib import Path
from unittest.mock import patch

from sqlalchemy import text

import migrations
from bot import cli, db
from bot.demo.servers import DemoServers
from bot.jobs.durable import DurableEngine
from bot.records import log_verification
from tests.chaos import servers
from tests.chaos.crowd import RULEBOOK, Crowd
from tests.chaos.databases import Postgres, Sqlite, small_disk
from tests.chaos.oracle import Findings, Oracle
from tests.terminal import TerminalRunner

CONVERGES_WITHIN = 180.0
"""Seconds, from when all is well again, after which what is not there counts as lost."""
STEADY = 2.0
"""Seconds for which nothing more happens before it is looked at for the last time."""


@dataclass
class Result:
    """What came of a phase. `figures` are its own; seconds to converge count from when all was well again."""

    phase: str
    database: str
    seed: int
    seconds: float = 0.0
    converged: float | None = None
    lost: int = 0
    wrong: int = 0
    twice: int = 0
    deeds: int = 0
    pulls: int = 0
    heads: int = 0
    signatures: int = 0
    deliveries: int = 0
    failed_deliveries: int = 0
    redelivered: int = 0
    findings: list = field(default_factory=list)
    figures: dict = field(default_factory=dict)

    @property
    def is_good(self):
        """Nothing lost, wrong or twice."""
        return not self.findings

    def plain(self):
        """For JSON."""
        return asdict(self)


class Place:
    """All that runs in a phase; `chance` decides what happens."""

    def __init__(self, kind, folder, chance, *, on_small_disk=False):
        self.folder, self.chance, self.kind = folder, chance, kind
        self.disk = folder / "disk"
        self._on_small_disk = on_small_disk
        self.stop_deeds = threading.Event()
        self.trouble = []
        self.clocks_apart = timedelta(0)
        self._deeds = None

    def open(self, stack, *, roles=None):
        """Start all but our own processes."""
        if self._on_small_disk:
            stack.enter_context(small_disk(self.disk))
        else:
            self.disk.mkdir()
        self.folder.chmod(0o755)
        self.database = Sqlite(self.disk) if self.kind == "sqlite" else Postgres(self.disk, servers.held_port(stack))
        stack.callback(self.database.stop)
        self.database.start()
        port = servers.held_port(stack)
        settings = {
            "COUNTERSIGN_DATABASE_URL": self.database.url,
            "COUNTERSIGN_ADMIN_TEAM": "",
            "COUNTERSIGN_AUDITOR_TEAM": "",
        }
        self.stage = DemoServers(
            self.folder / "stage", port=port, github_port=servers.held_port(stack), settings=settings
        )
        stack.enter_context(self.stage)
        self.world = self.stage.world
        engine = db.open_engine(self.database.url)
        migrations.upgrade(engine)
        DurableEngine(engine, executor_id="migrate").prepare()  # as `countersign migrate` does
        engine.dispose()
        self.crowd = Crowd(self.stage, random.Random(self.chance.random()))
        self.oracle = Oracle(self.world, self.crowd, self.stage.app, RULEBOOK)
        roles = roles or (("all",) if self.kind == "sqlite" else ("web", "web", "worker", "worker"))
        self.servers = self._servers(roles, port, stack)
        webs = [server for server in self.servers if server.role == "web"]
        self.front = servers.nginx(port, webs, self.folder) if len(webs) > 1 else None
        stack.callback(self._stop)
        if self.front:
            self.front.start()

    def _servers(self, roles, port, stack):
        several = roles.count("web") > 1
        made = []
        for number, role in enumerate(roles, 1):
            own = servers.held_port(stack) if several and role == "web" else port
            name = f"{role}{number}"
            made.append(servers.Server(name, role, own, folder=self.stage.folder, environment=self.stage.environment))
        return made

    def serve(self):
        """Start all of ours, and wait until they are ready."""
        for server in self.servers:
            if not server.is_running:
                server.start()
        for server in self.servers:
            server.wait()

    def restart(self, server, *, after=0.0):
        """Start a killed one again, once so many seconds are over."""
        time.sleep(after)
        server.start()

    def begin_deeds(self, pause=0.25):
        """Let people do things, about so many seconds apart, until `end_deeds`."""

        def work():
            while not self.stop_deeds.is_set():
                try:
                    self.crowd.act()
                except Exception as error:  # noqa: BLE001 - shown with the result: the phase proved nothing then
                    self.trouble.append(f"the crowd: {type(error).__name__}: {error}")
                    return
                self.stop_deeds.wait(pause * self.crowd.chance.uniform(0.5, 1.5))

        self._deeds = threading.Thread(target=work, name="crowd", daemon=True)
        self._deeds.start()

    def end_deeds(self):
        """No contributor begins anything more."""
        self.stop_deeds.set()
        if self._deeds is not None:
            self._deeds.join(timeout=60)

    def sweep(self):
        """What the operator may ask for, and the worker does by itself every ten minutes."""
        ran = self._command("sweep")
        if ran.exit_code:
            raise RuntimeError(f"sweep: {ran.output}")

    def hasten(self):
        """Have due at once what was put off, as if its time had passed: a worker finds it at its next look."""
        jobs = f"{'dbos.' if self.kind == 'postgres' else ''}workflow_status"
        engine = db.open_engine(self.database.url)
        with engine.begin() as connection:
            connection.execute(text(f"UPDATE {jobs} SET delay_until_epoch_ms = 0 WHERE status = 'DELAYED'"))
        engine.dispose()

    def converge(self, *, within=CONVERGES_WITHIN, hastened=False):
        """Seconds until all is as it has to be, and what is not after so long; `hastened` waits for no moment."""
        begun = time.monotonic()
        steady = None
        while True:
            found = self.findings()
            now = time.monotonic()
            if found.all or self.world.hooks._queue.unfinished_tasks:
                steady = None
            elif steady is None:
                steady = now
            elif now - steady >= STEADY:
                return steady - begun, found
            if now - begun > within + STEADY:
                return None, found
            if hastened and found.all:
                self.hasten()
            if found.all:  # a replica may end by itself a moment after its database went away
                for server in self.servers:
                    if not server.is_running:
                        server.start()
            time.sleep(0.2)

    def findings(self):
        """What is not as it has to be at this moment."""
        found = self.oracle.github()
        if not found.all:
            with suppress(Exception):  # the database may be away just now: then it is asked once more
                return self.oracle.records(self.database.rows)
            return Findings(lost=["the database does not answer"])
        return found

    def left(self):
        """What our tables say of work that is left, for the person who looks for the cause."""
        asked = (
            f"SELECT * FROM {'dbos.' if self.kind == 'postgres' else ''}workflow_status WHERE status NOT IN ('SUCCESS', 'CANCELLED')",
            "SELECT * FROM pull WHERE evaluated < latest OR queued > 0 OR lease_by IS NOT NULL OR due_at IS NOT NULL",
            "SELECT * FROM delivery WHERE state <> 'done'",
            "SELECT * FROM merge_group",
            "SELECT * FROM executor",
        )
        with suppress(Exception):
            return "\n".join(str(row)[:600] for query in asked for row in self.database.rows(query))
        return "the database does not answer"

    def verify(self):
        """What `countersign ledger verify` says of the log; None when all is as it was written."""
        # It compares moments: by clocks that were so far apart, an earlier verdict can seem later than a withdrawal.
        with patch.object(log_verification, "MAX_DELAY", log_verification.MAX_DELAY + self.clocks_apart):
            ran = self._command("ledger", "verify")
        return None if ran.exit_code == 0 else f"ledger verify: {ran.output}".strip()

    def _command(self, *words):
        """A command of ours, run in this process: to start another one takes longer than all that it does."""
        return TerminalRunner().invoke(cli.root, words, env=self.stage.environment)

    def _stop(self):
        self.crowd.close()
        self.end_deeds()
        for server in [*self.servers, *([self.front] if self.front else [])]:
            server.kill()


@contextmanager
def opened(kind, seed, **options):
    """A place in a folder that is gone afterwards."""
    roles = options.pop("roles", None)
    with (
        tempfile.TemporaryDirectory(prefix="countersign-chaos-", ignore_cleanup_errors=True) as folder,
        ExitStack() as stack,
    ):
        place = Place(kind, Path(folder), random.Random(seed), **options)
        place.open(stack, roles=roles)
        yield place


def concluded(place, result, *, began, within=CONVERGES_WITHIN, swept=True, hastened=False):
    """Fill in the result, once the phase's faults are over."""
    place.end_deeds()
    if not place.crowd.settle(within=90):
        place.trouble += place.crowd.failures
    if swept:
        place.sweep()
    result.converged, found = place.converge(within=within, hastened=hastened)
    if wrong := place.verify():
        found.wrong.append(wrong)
    if place.world.refused:
        found.wrong.append(f"unknown calls: {sorted(set(place.world.refused))}")
    log = list(place.world.hooks.log)
    result.lost, result.wrong, result.twice = len(found.lost), len(found.wrong), len(found.twice)
    result.findings = [*found.all, *place.trouble]
    result.deeds = sum(place.crowd.deeds.values())
    result.pulls = sum(len(repo.pulls) for repo in place.crowd.repositories)
    result.heads = len({(run.repository.id, run.head_sha) for run in place.world.check_runs.values()})
    result.signatures = len(place.crowd.receipts)
    result.deliveries = len(log)
    result.failed_deliveries = sum(bool(delivery.attempts) and not delivery.attempts[0].is_success for delivery in log)
    result.redelivered = len(place.world.hooks.redelivered)
    result.seconds = time.monotonic() - began
    if result.findings:
        result.figures["logs"] = {server.name: server.log_end(30) for server in place.servers} | {"left": place.left()}
    return result
