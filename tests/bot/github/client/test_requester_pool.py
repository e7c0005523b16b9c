"""Many threads, one hub: each request is sent once, by whom it is of, and whoever asks gets the answer to it."""

import json
import ssl
import sys
import threading
import time
from collections import Counter
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_address

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from agreements.github_server import GITHUB_COM
from bot import clock
from bot.github.client.pygithub import connect
from bot.github.client.pygithub_wire import PyGithubTransport
from bot.github.client.requester_pool import RequesterPool
from bot.github.ports import RepositoryPlace, Unreachable
from tests.bot.github.conftest import HERE

THREADS, COMMENTS = 12, 120


class _Comments(BaseHTTPRequestHandler):
    """Gives every comment the number that its text says, and takes any token but those that were revoked."""

    protocol_version = "HTTP/1.1"
    wbufsize = -1

    def do_POST(self):
        said = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.path.endswith("/access_tokens"):
            self.server.minted.append(f"ghs_{len(self.server.minted)}")
            self._answer(201, {"token": self.server.minted[-1], "expires_at": "2099-01-01T00:00:00Z"})
        elif self.headers["Authorization"].removeprefix("Bearer ") in self.server.revoked:
            self.server.together.wait()
            self._answer(401, {"message": "Bad credentials"})
        else:
            self.server.heard.append((self.path, said["body"]))
            self._answer(201, {"id": int(said["body"])})

    def do_GET(self):
        self.server.asked.append((self.path, dict(self.headers), self.client_address[1]))
        self._answer(200, {"ok": 1})

    def _answer(self, status, answer):
        data = json.dumps(answer).encode()
        self.send_response_only(status)
        self.send_header("Content-Length", str(len(data)))
        self.send_header("Set-Cookie", "whose=the first caller's; Path=/")
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_):
        """Silence."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def __init__(self):
        super().__init__(("127.0.0.1", 0), _Comments)
        self.heard, self.asked, self.minted, self.revoked = [], [], [], set()
        self.connections, self.ended = 0, []

    def verify_request(self, request, client_address):
        """Count the connection."""
        self.connections += 1
        return True

    def shutdown_request(self, request):
        """Count its end."""
        self.ended.append(request)
        super().shutdown_request(request)


@pytest.fixture(name="server")
def _server():
    made = _Server()
    thread = threading.Thread(target=made.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    yield made
    made.shutdown()
    made.server_close()
    thread.join()


@pytest.fixture(name="hub")
def _hub(server, key):
    made = connect(
        app_id=7, server=GITHUB_COM, private_key=key, api_url=f"http://127.0.0.1:{server.server_port}", pause=0
    )
    yield made
    made.close()


@pytest.fixture(name="hasty")
def _hasty():
    """Threads take turns fifty times as often as usual."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(0.0001)
    yield
    sys.setswitchinterval(before)


def by_threads(work, count):
    """`work(number)` by so many threads at the same time; what each gave, in order of their numbers."""
    given = {}
    threads = [
        threading.Thread(target=lambda number=number: given.update({number: work(number)})) for number in range(count)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return [given.get(number) for number in range(count)]


@pytest.mark.usefixtures("hasty")
def test_twelve_threads_never_send_each_other_s_comments(server, hub):
    """Every comment arrives once, on its own issue, and each thread is told the number of its own; one token does for all."""

    def comment(thread):
        mine = range(thread * COMMENTS, (thread + 1) * COMMENTS)
        return [(number, hub.create_comment(HERE, number, str(number))) for number in mine]

    told = [one for mine in by_threads(comment, THREADS) for one in mine]

    every = range(THREADS * COMMENTS)
    assert [(number, given) for number, given in told if number != given] == []
    sent = Counter(server.heard)
    assert {(f"/repos/cann/ops/issues/{number}/comments", str(number)) for number in every} - sent.keys() == set()
    assert set(sent.values()) == {1}
    assert len(server.minted) == 1
    assert server.connections <= THREADS


def test_eight_threads_with_a_revoked_token_mint_one_more(server, hub):
    """All are refused at the same moment: the first mints a token, the others use it."""
    hub.create_comment(HERE, 1, "1")
    server.revoked, server.together = set(server.minted), threading.Barrier(8, timeout=10)

    assert by_threads(lambda number: hub.create_comment(HERE, number, str(number)), 8) == list(range(8))
    assert server.minted == ["ghs_0", "ghs_1"]


def test_one_after_the_other_needs_one_connection(server, hub):
    """The App's own calls and those of all installations."""
    for installation in (77, 78, 79):
        hub.create_comment(RepositoryPlace(installation, "cann", "ops", 900), 1, "1")

    assert len(server.minted) == 3
    assert server.connections == 1


def test_what_is_in_use_while_the_pool_closes_is_closed_after(server):
    """Nobody's answer is cut off, and no connection outlives its pool."""
    pool = RequesterPool(f"http://127.0.0.1:{server.server_port}", patience=0, pause=0)
    with pool.requester() as mine:
        mine.requestJson("GET", "/x")
        with pool.requester() as other:
            assert other is not mine
            other.requestJson("GET", "/y")
        pool.close()
        mine.requestJson("GET", "/z")

    assert server.connections == 2
    deadline = time.monotonic() + 10
    while len(server.ended) < 2:
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_the_environment_is_read_once(server, monkeypatch, tmp_path):
    """The proxy set when the connection is made is the one to the end; no netrc gives credentials, no cookie is kept."""
    netrc = tmp_path / "netrc"
    netrc.write_text("default login ada password secret\n")
    netrc.chmod(0o600)
    monkeypatch.setenv("NETRC", str(netrc))
    monkeypatch.setenv("HTTP_PROXY", f"http://127.0.0.1:{server.server_port}")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    behind = RequesterPool("http://github.example/api/v3", patience=0, pause=0)
    direct = RequesterPool(f"http://127.0.0.1:{server.server_port}", patience=0, pause=0)
    PyGithubTransport(behind).read("/x")
    PyGithubTransport(direct).read("/x")
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.delenv("NO_PROXY")
    PyGithubTransport(behind).read("/y")
    PyGithubTransport(direct).read("/y")
    behind.close()
    direct.close()

    away = "http://github.example:80/api/v3"
    assert [path for path, _, _ in server.asked] == [f"{away}/x", "/x", f"{away}/y", "/y"]
    assert not any({"Authorization", "Cookie"} & headers.keys() for _, headers, _ in server.asked)


def test_a_certificate_authority_of_the_environment(server, monkeypatch, tmp_path):
    """As requests reads it: whoever it vouches for is spoken to, and without it nobody is."""
    bundle, own = tmp_path / "bundle.pem", tmp_path / "own.pem"
    certificate(bundle, own)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(own)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    address = f"https://127.0.0.1:{server.server_port}"
    monkeypatch.delenv("REQUESTS_CA_BUNDLE", raising=False)
    stranger = RequesterPool(address, patience=0, pause=0)
    with pytest.raises(Unreachable, match="SSLError"):
        PyGithubTransport(stranger).read("/x")
    stranger.close()

    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(bundle))
    pool = RequesterPool(address, patience=0, pause=0)
    assert PyGithubTransport(pool).read("/x") == {"ok": 1}
    monkeypatch.delenv("REQUESTS_CA_BUNDLE")
    assert PyGithubTransport(pool).read("/x") == {"ok": 1}
    pool.close()


def certificate(bundle, own):
    """One for loopback that vouches for itself: alone in the bundle, with its key in the server's own file."""
    key = rsa.generate_private_key(65537, 2048)
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "loopback")])
    made = (
        x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
        .serial_number(1).not_valid_before(clock.now() - timedelta(days=1))
        .not_valid_after(clock.now() + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), critical=False)
        .sign(key, SHA256()).public_bytes(Encoding.PEM)
    )  # fmt: skip
    bundle.write_bytes(made)
    own.write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()) + made)
