"""A registry on loopback that says what a test told it to: real sockets, real HTTP, and everything asked is written down."""

import gzip
import json
import threading
import time

import pytest

from bot.registries import PUBLIC
from tests.http_server import LoopbackServer, QuietHandler


class _Server(LoopbackServer):
    """Says nothing of connections that broke off."""

    def handle_error(self, *_):
        """Nothing to tell."""


class Registry:
    """One server for all registries; `says` holds what it answers by path, `asked` the paths in the order of asking.

    An answer is a JSON value, raw bytes, a status, or a function that is given the request's handler. What isn't told
    is a 404. `delay` is waited before each answer; `answered` counts answers that were sent whole.
    """

    def __init__(self):
        self.says, self.asked, self.headers = {}, [], []
        self.delay = 0.0
        self.answered = []
        self.under_way = self.most = 0
        self.moments = []
        self._lock = threading.Lock()
        self.server = _Server(_handler(self))
        self.address = self.server.url

    def setting(self):
        """COUNTERSIGN_REGISTRIES that leads here alone."""
        return ",".join(f"{name}={self.address}" for name in PUBLIC)


def _handler(registry):
    """What serves one connection."""

    class Handler(QuietHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self):
            with registry._lock:
                registry.asked.append(self.path)
                registry.headers.append(dict(self.headers))
                registry.moments.append(time.monotonic())
                registry.under_way += 1
                registry.most = max(registry.most, registry.under_way)
            time.sleep(registry.delay)
            with registry._lock:
                registry.under_way -= 1
            try:
                answer = registry.says.get(self.path, 404)
                if isinstance(answer, list):
                    answer = answer.pop(0) if len(answer) > 1 else answer[0]
                if callable(answer):
                    answer(self)
                else:
                    self.send(answer)
                    registry.answered.append(self.path)
            except (BrokenPipeError, ConnectionResetError):
                pass

        def send(self, answer, status=200, **headers):
            body = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
            if isinstance(answer, int):
                status, body = answer, b"{}"
            if "gzip" in self.headers.get("Accept-Encoding", ""):
                body = gzip.compress(body)
                headers["Content_Encoding"] = "gzip"
            self.answer(status, body, {name.replace("_", "-"): value for name, value in headers.items()})

    return Handler


@pytest.fixture(scope="session", autouse=True, name="no_registry_is_asked")
def _no_registry_is_asked(tmp_path_factory):
    """No test asks a real registry, nor finds or leaves an answer in the cache of the person who runs the tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COUNTERSIGN_REGISTRIES", "none")
        patch.setenv("COUNTERSIGN_LICENSE_CACHE", str(tmp_path_factory.mktemp("cache") / "licenses.db"))
        yield


@pytest.fixture(name="registry")
def _registry():
    """A registry on loopback."""
    registry = Registry()
    with registry.server.running():
        yield registry
