"""What tests share: real databases, and the rule that a missing part of the machine skips loudly."""

import atexit
import gc
import itertools
import logging
import os
import pwd
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
import structlog
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_pem_private_key,
)
from hypothesis import settings

from agreements.vault import KeyRing, Vault
from bot import db
from bot.server import processes

sys.path.insert(0, str(Path(__file__).parent.parent))  # tests may say `from tests.contract.gate import Gate`
pytest_plugins = [
    "tests.bytecode",
    "tests.clones",
    "tests.fork_server",
    "tests.contract.plugin",
    "tests.loopback",
    "tests.mail_server",
    "tests.registries",
    "tests.compiled",
]
"""Fixtures `home`, `project`, `desk`; `contract`, `gate`; `smtp` and its like, `registry`."""

# The same examples every time, however slow the machine: what fails here fails on every machine.
settings.register_profile("repeatable", derandomize=True, deadline=None, print_blob=True)
settings.load_profile("repeatable")


class _Loggers(dict):
    """All loggers, by name: pytest goes through them before each test, and a thread may make one meanwhile."""

    def values(self):
        return list(super().values())


logging.Logger.manager.loggerDict = _Loggers(logging.Logger.manager.loggerDict)

REQUIRED = {word for word in os.environ.get("REQUIRE", "").split(",") if word}  # noqa: TID251 - the test run's own switch
STORES = ("tests/agreements/store/", "tests/audit/store/", "tests/bot/store/")
"""Where SQL is written: each test there runs on PostgreSQL at least once in every run."""

LEFT_OUT = pytest.StashKey[int]()
"""How many tests marked slow or nightly this run leaves out."""


def missing(part: str, why: str) -> None:
    """Skip for want of a part of the machine, unless REQUIRE names the part: then fail."""
    if part in REQUIRED:
        pytest.fail(f"{part} is required here but missing: {why}")
    pytest.skip(f"{part} missing: {why}")


LONG = (
    "tests/bot/portal/test_look.py",
    "tests/deploy/test_alerts_for_real.py",
    "tests/attacks/",
    "tests/stories/",
    "tests/chaos/",
    "tests/bot/jobs/",
    "tests/bot/cli/test_demo.py",
    "tests/bot/cli/test_serve.py",
    "tests/bot/test_serving.py",
    "tests/test_wheel.py",
    "tests/test_previous_release.py",
    "tests/hostile/",
    "tests/workflows/",
    "tests/bot/demo/",
    "tests/bot/flows/",
    "tests/test_migrations.py",
    "tests/tampering/",
    "tests/audit/ecosystems/test_slow_files.py",
    "tests/bot/portal/test_statements.py",
    "tests/test_layout.py",
    "tests/test_laws.py",
    "tests/test_rulebook_schema.py",
)
"""Where tests take long. They go first, so that no process is left alone with one of them at the end."""


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """Thousands of tests stay until the end: looking for garbage among them would take a tenth of the time.

    Nor is it looked for as often as Python does: a test leaves little, and a fifth of the time went into looking.
    """
    with processes.loading():
        found = yield
    gc.set_threshold(50_000, 20, 100)
    return found


def pytest_collection_modifyitems(config, items):
    """The long ones first, else as they were found; those marked slow only with SLOW=1, nightly only with SLOW=nightly."""
    _mark_second_database(items)
    asked = os.environ.get("SLOW", "")  # noqa: TID251 - the test run's own switch
    if asked not in (marks := {"": ("slow", "nightly"), "1": ("nightly",), "nightly": ()}):
        raise pytest.UsageError(f"SLOW={asked}: leave it out, or set it to 1 or nightly")
    left_out = marks[asked]
    wanted = [item for item in items if not any(item.get_closest_marker(mark) for mark in left_out)]
    config.stash[LEFT_OUT] = len(items) - len(wanted)
    items[:] = wanted
    places = {
        item: next((place for place, path in enumerate(LONG) if item.nodeid.startswith(path)), len(LONG))
        for item in items
    }
    items.sort(key=places.__getitem__)


def _mark_second_database(items):
    """What repeats a test on PostgreSQL is slow, but for the first case of a store's test, as SQL is written there.

    What is marked `sqlite_nightly` runs the other way round: on PostgreSQL, and on SQLite at night.
    """
    seen = set()
    for item in items:
        if item.get_closest_marker("sqlite_nightly") and "sqlite" in item.callspec.id.split("-"):
            item.add_marker(pytest.mark.nightly)
        if getattr(item, "callspec", None) and item.callspec.params.get("database_url") == "postgres":
            name = item.nodeid.partition("[")[0]
            if name in seen or not name.startswith(STORES):
                item.add_marker(pytest.mark.slow)
            seen.add(name)


def pytest_sessionfinish(session):
    """A process that shares the run with others tells the one that prints the summary what it left out."""
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["left out"] = session.config.stash.get(LEFT_OUT, 0)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node):
    """Each process collects all tests: each leaves out the same."""
    node.config.stash[LEFT_OUT] = getattr(node, "workeroutput", {}).get("left out", 0)


def pytest_terminal_summary(terminalreporter):
    """The last lines say which tests were left out, and which parts of the machine were missing."""
    if left_out := terminalreporter.config.stash.get(LEFT_OUT, 0):
        terminalreporter.write_line(f"left out: {left_out} tests; `make slow` and `make nightly` run them")
    reasons = {report.longrepr[2].removeprefix("Skipped: ") for report in terminalreporter.stats.get("skipped", [])}
    if missing_parts := sorted(reason for reason in reasons if " missing: " in reason):
        terminalreporter.write_line("skipped for want of: " + "; ".join(missing_parts))


QUICK = [
    word
    for setting in (
        "max_connections=200", "fsync=off", "full_page_writes=off", "synchronous_commit=off", "autovacuum=off",
        "wal_level=minimal", "max_wal_senders=0", "shared_buffers=16MB",
    )
    for word in ("-c", setting)
]  # fmt: skip
"""A server whose databases live for a test: the machine stays up after each kill, and a database is dropped quickly."""


def _block() -> socket.socket:
    """Holds the first port of a block of a thousand; the block is this process's until it ends.

    All are below the ports that the system hands out itself: no outgoing call takes a port between its choice and its
    use. Nor does another process of tests, of this run or of a run beside it.
    """
    for lowest in range(12_000, 32_000, 1_000):
        held = socket.socket()
        try:
            held.bind(("127.0.0.1", lowest))
        except OSError:
            held.close()
        else:
            return held
    raise RuntimeError("twenty processes of tests run on this machine already: wait for one of them")


_BLOCK = _block()
atexit.register(_BLOCK.close)


def _ports() -> Iterator[int]:
    """The other ports of the block, over and over."""
    lowest = _BLOCK.getsockname()[1]
    return itertools.cycle(range(lowest + 1, lowest + 1_000))


_OURS = _ports()


def _free(port: int) -> bool:
    with socket.socket() as probe:
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
        return True


def free_port() -> int:
    """A loopback port that no process uses at the moment."""
    return next(port for port in _OURS if _free(port))


def two_free_ports() -> int:
    """A port whose next one is free as well, as the demo needs them."""
    while True:
        port = free_port()
        if _free(port + 1) and next(_OURS) == port + 1:
            return port


def _postgres_programs() -> Path | None:
    for candidate in [
        *sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True),
        *Path("/opt/homebrew/bin").glob("initdb"),
    ]:
        if (candidate / "initdb").exists():
            return candidate
    found = shutil.which("initdb")
    return Path(found).parent if found else None


def _without_root() -> list[str]:
    """PostgreSQL refuses to run as root: it then runs as the account of its package, or as the account `nobody`."""
    if os.geteuid() != 0:
        return []
    names = {entry.pw_name for entry in pwd.getpwall()}
    return [
        "setpriv",
        f"--reuid={'postgres' if 'postgres' in names else 'nobody'}",
        "--regid=nogroup",
        "--clear-groups",
    ]


@pytest.fixture(autouse=True)
def _logs_as_before():
    """What a command or a server of a test does to the log ends with the test: the next one may look at warnings."""
    yield
    if structlog.is_configured():
        structlog.reset_defaults()


@pytest.fixture(scope="session", name="postgres_server")
def _postgres_server() -> Iterator[str]:
    """A PostgreSQL of our own on a free loopback port, gone afterwards; gives the URL without a database name."""
    programs = _postgres_programs()
    if programs is None:
        missing("postgres", "initdb not found")
    prefix = _without_root()
    folder = Path(tempfile.mkdtemp(prefix="countersign-pg-"))
    if prefix:
        folder.chmod(0o777)
    data = folder / "data"
    subprocess.run(
        [*prefix, programs / "initdb", "-D", data, "-U", "countersign", "-A", "trust", "-E", "UTF8", "--locale=C"],
        check=True,
        capture_output=True,
        cwd="/",
    )
    port = free_port()
    server = subprocess.Popen(
        [
            *prefix,
            programs / "postgres",
            "-D",
            data,
            "-p",
            str(port),
            "-c",
            "listen_addresses=127.0.0.1",
            "-c",
            f"unix_socket_directories={folder}",
            *QUICK,
        ],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd="/",
    )
    try:
        for _ in range(100):
            ready = subprocess.run(
                [programs / "pg_isready", "-h", "127.0.0.1", "-p", str(port)], capture_output=True, check=False
            )
            if ready.returncode == 0:
                break
            server.poll()
            time.sleep(0.1)
        yield f"postgresql://countersign@127.0.0.1:{port}"
    finally:
        server.send_signal(signal.SIGINT)  # it ends the connections that are still open
        server.wait(timeout=20)
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(name="postgres_url")
def _postgres_url(request, postgres_server) -> Iterator[str]:
    """The URL of a fresh PostgreSQL database in the newest schema, or as a test's mark says."""
    from tests.ready import on_postgres

    with on_postgres(postgres_server, _step(request)) as url:
        yield url


def _step(request) -> str | None:
    """Where the database of a test begins: `from_nothing`, `from_step("0008")`, else in the newest schema."""
    from tests.ready import NEWEST, NOTHING

    if request.node.get_closest_marker("from_nothing"):
        return NOTHING
    mark = request.node.get_closest_marker("from_step")
    return mark.args[0] if mark else NEWEST


@pytest.hookimpl(tryfirst=True)
def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """A test marked `sqlite_alone` runs on SQLite only."""
    if "database_url" in metafunc.fixturenames and metafunc.definition.get_closest_marker("sqlite_alone"):
        metafunc.definition.add_marker(pytest.mark.parametrize("database_url", ["sqlite"], indirect=True))


@pytest.fixture(name="database_url", params=["sqlite", "postgres"])
def _database_url(request, tmp_path) -> str:
    """The URL of a fresh database, once on each of the two kinds: SQLite's file is there with a mark `from_step` only."""
    if request.param == "postgres":
        return request.getfixturevalue("postgres_url")
    url = f"sqlite:///{tmp_path / 'test.db'}"
    if request.node.get_closest_marker("from_step"):
        from tests.ready import copy

        copy(url, _step(request))
    return url


@pytest.fixture(name="engine")
def _engine(database_url):
    """An open engine on a fresh database brought to the newest schema, on each of the two kinds."""
    from tests.ready import upgraded

    engine = upgraded(database_url)
    yield engine
    engine.dispose()


@pytest.fixture(name="sessions")
def _sessions(engine):
    """A maker of sessions on that engine."""
    return db.sessions(engine)


@pytest.fixture(scope="session", name="chromium")
def _chromium():
    """The machine's own Chromium, driven by Playwright."""
    path = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if path is None:
        missing("chromium", "no chromium on the path")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        browser = driver.chromium.launch(
            executable_path=path,
            args=[
                "--no-sandbox",
                "--disable-gpu",
                "--disable-quic",
                "--no-first-run",
                "--disable-background-networking",
                "--disable-component-update",
                "--disable-sync",
            ],
        )
        yield browser
        browser.close()


@pytest.fixture(scope="session", name="typesetter")
def _typesetter():
    """What PDFs are made with: the library, Pango below it, and fonts with rare Chinese and with Arabic letters."""
    from bot.pdf import typesetter

    try:
        typesetter.make("<!doctype html><html lang=zh><title>t</title><p>䶮 𠮷 عَلِيّ Σ Ё Đ</p></html>", "{}", "t.json")
    except typesetter.NoPDF as error:
        missing("pango", str(error))


@pytest.fixture(scope="session", name="pades")
def _pades():
    """What signs PDFs: the optional extra."""
    from bot.pdf import pdf_signature

    if not pdf_signature.possible():
        missing("pyhanko", "install the extra `pades`: make .venv/ready")


@pytest.fixture(name="other_url")
def _other_url(database_url, tmp_path, request) -> Iterator[str]:
    """The URL of another, empty database of the same kind."""
    if database_url.startswith("sqlite"):
        yield f"sqlite:///{tmp_path / 'other.db'}"
        return
    from tests.ready import NOTHING, on_postgres

    with on_postgres(request.getfixturevalue("postgres_server"), NOTHING) as url:
        yield url


@pytest.fixture(name="vault")
def _vault() -> Vault:
    """A vault with one new key."""
    return Vault(KeyRing.parse(KeyRing.generate("k1")))


@cache
def private_key(text: str) -> rsa.RSAPrivateKey:
    """Of PEM; to read one takes as long as many a test, as its numbers are checked."""
    key = load_pem_private_key(text.encode(), None)
    assert isinstance(key, rsa.RSAPrivateKey)
    return key


def public_half(text: str) -> str:
    """Of a private key, both in PEM form."""
    return private_key(text).public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode()


@pytest.fixture(scope="session", name="key")
def _key() -> str:
    """A private key in PEM form."""
    made = rsa.generate_private_key(65537, 2048)
    return made.private_bytes(Encoding.PEM, PrivateFormat.TraditionalOpenSSL, NoEncryption()).decode()
