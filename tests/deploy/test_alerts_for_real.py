"""Three alerts for real: the workers are killed, the disk is filled, deliveries stop; real processes, scraped by a real Prometheus.

The rules are those of deploy/monitoring with nothing changed but `for`, so that no test waits for minutes.
"""

import json
import subprocess
import sys
import time
import urllib.request
from contextlib import ExitStack
from functools import partial

import pytest
import yaml

from bot.demo.servers import DemoServers
from bot.settings import for_child
from tests.chaos.databases import filled, small_disk
from tests.chaos.servers import Lacking, Process, Server, held_port
from tests.conftest import free_port, missing
from tests.deploy.test_monitoring import FOLDER
from tests.deploy.tools import tool

pytestmark = pytest.mark.nightly

DISK = "300m"
"""Enough not to be scarce as long as the database alone is on it."""
NO_WORKER = "no worker is running, so every pull request waits: start `countersign serve`, role worker or all"


def at_once(rules):
    """The same rules, each of which fires when it holds for a second; what each looks for is untouched."""
    found = yaml.safe_load(rules)
    expressions = [rule["expr"] for group in found["groups"] for rule in group["rules"]]
    for group in found["groups"]:
        for rule in group["rules"]:
            rule["for"] = "1s"
    assert [rule["expr"] for group in found["groups"] for rule in group["rules"]] == expressions
    return yaml.safe_dump(found)


class Prometheus:
    """One of Debian's, for these addresses alone, on loopback."""

    def __init__(self, stack, folder, ports):
        folder.mkdir()
        self.url = f"http://127.0.0.1:{(port := free_port())}"
        (folder / "rules.yaml").write_text(at_once((FOLDER / "rules.yaml").read_text()))
        job = {"job_name": "countersign", "static_configs": [{"targets": [f"127.0.0.1:{port}" for port in ports]}]}
        settings = {
            "global": {"scrape_interval": "1s", "evaluation_interval": "1s"},
            "rule_files": ["rules.yaml"],
            "scrape_configs": [job],
        }
        (folder / "prometheus.yaml").write_text(yaml.safe_dump(settings))
        command = [
            tool("prometheus"),
            f"--config.file={folder / 'prometheus.yaml'}",
            f"--storage.tsdb.path={folder / 'data'}",
            f"--web.listen-address=127.0.0.1:{port}",
        ]
        self.process = Process("prometheus", command, folder=folder, environment={})
        self.process.start()
        stack.callback(self.process.kill)

    def ask(self, path):
        """The data of an answer of its API; None while it does not answer."""
        try:
            with urllib.request.urlopen(f"{self.url}/api/v1/{path}", timeout=5) as answer:
                return json.load(answer)["data"]
        except OSError:
            return None

    def value(self, metric):
        """The largest value of a metric that was scraped; None where there is none yet."""
        found = self.ask(f"query?query=max({metric})")
        return float(found["result"][0]["value"][1]) if found and found["result"] else None

    def firing(self):
        """Each alert that fires, with its summary."""
        found = self.ask("alerts") or {"alerts": []}
        alerts = [alert for alert in found["alerts"] if alert["state"] == "firing"]
        return {alert["labels"]["alertname"]: alert["annotations"]["summary"] for alert in alerts}


def until(condition, what, within=120.0):
    """Wait until it holds; what it gave."""
    deadline = time.monotonic() + within
    while not (found := condition()):
        assert time.monotonic() < deadline, what
        time.sleep(0.2)
    return found


def ready(port):
    """What /readyz says, with 200."""
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/readyz", timeout=5) as answer:
        assert answer.status == 200
        return json.load(answer)


@pytest.fixture(name="stack")
def _stack():
    """Ends what a test began, the last first."""
    with ExitStack() as stack:
        yield stack


@pytest.fixture(name="disk")
def _disk(tmp_path, stack):
    """A disk that may be filled; a file system of its own, which root alone can mount."""
    try:
        stack.enter_context(small_disk(tmp_path / "disk", DISK))
    except Lacking as error:
        missing("small-disk", str(error))
    return tmp_path / "disk"


def staged(stack, folder, **settings):
    """The small GitHub, in which there is the organisation that we serve."""
    stage = stack.enter_context(DemoServers(folder, port=free_port(), github_port=free_port(), settings=settings))
    stage.world.organization("cann", admins=[stage.world.user("boss")])
    return stage


def test_killed_workers_fire_the_alert_and_the_web_server_stays_ready(tmp_path, stack, postgres_url):
    stage = staged(stack, tmp_path / "stage")
    environment = {**stage.environment, "COUNTERSIGN_DATABASE_URL": postgres_url}
    worker = Server("worker", "worker", 0, folder=tmp_path, environment=environment)
    web = Server("web", "web", held_port(stack), folder=tmp_path, environment=environment)
    prometheus = Prometheus(stack, tmp_path / "prometheus", [web.port])
    for server in (worker, web):  # one after the other: the web server's first look finds the worker
        stack.callback(server.kill)
        server.start()
        server.wait()
    until(lambda: prometheus.value("countersign_workers_alive") == 1, "the worker is not counted")
    # The rule may have looked before the web server's first look at the database: it counts no worker until then.
    until(lambda: "CountersignNoWorker" not in prometheus.firing(), "the alert fires beside a worker")
    assert NO_WORKER not in ready(web.port).get("warnings", [])

    worker.kill()

    said = until(lambda: prometheus.firing().get("CountersignNoWorker"), "the alert does not fire")
    assert said == "No process takes jobs, so every pull request waits."
    until(lambda: NO_WORKER in ready(web.port).get("warnings", []), "no warning at /readyz")
    lines = [json.loads(line) for line in (tmp_path / "web.log").read_text().splitlines()]
    assert [line["why"] for line in lines if line["event"] == "operation.warning"] == [NO_WORKER]


def test_stopped_deliveries_and_a_full_disk_fire_their_alerts(tmp_path, stack, disk):
    stage = staged(stack, tmp_path / "stage", COUNTERSIGN_DATABASE_URL=f"sqlite:///{disk / 'countersign.db'}")
    world, cann = stage.world, stage.world.account("cann")
    prometheus = Prometheus(stack, tmp_path / "prometheus", [stage.port])
    stage.serve()
    world.install(stage.app, cann, world.account("boss"))
    world.hooks.drain()
    assert world.hooks.log[-1].attempts[-1].is_success
    until(partial(prometheus.value, "countersign_database_disk_free_bytes"), "the disk is not seen")
    ours = {"CountersignDeliveriesLost", "CountersignDiskScarce", "CountersignDiskNearlyFull"}
    assert ours.isdisjoint(prometheus.firing())

    stage.app.hook_url = f"http://127.0.0.1:{free_port()}/webhook"
    world.repository(cann, "second")
    world.hooks.drain()
    lost = {delivery.guid for delivery in world.hooks.log if not delivery.attempts[-1].is_success}
    sweep = [sys.executable, "-m", "bot", "sweep"]
    subprocess.run(sweep, cwd=tmp_path, env=for_child(stage.environment), check=True, capture_output=True)
    said = until(lambda: prometheus.firing().get("CountersignDeliveriesLost"), "the alert on deliveries does not fire")
    assert said == f"Deliveries that GitHub sends do not arrive, also when they are sent again: {len(lost)} by now."

    with filled(disk):
        said = until(
            lambda: prometheus.firing().get("CountersignDiskNearlyFull"), "the alert on the disk does not fire"
        )
        assert said.startswith("The disk of the database has 0B left")
        assert "CountersignDiskScarce" in prometheus.firing()
        assert any(
            warning.startswith("the disk of the database has 0 MB left") for warning in ready(stage.port)["warnings"]
        )
    assert "CountersignNoWorker" not in prometheus.firing()
    assert prometheus.value("countersign_last_delivery_timestamp_seconds") > 0
