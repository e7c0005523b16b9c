"""The reverse proxies of deploy/proxy: a real nginx and Caddy do what they say."""

import contextlib
import hashlib
import hmac
import http.client
import json
import re
import shutil
import socket
import ssl
import subprocess
import time
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

import pytest

from bot.demo.servers import DemoServers
from bot.portal import site
from bot.webhook.endpoint import MAX_PAYLOAD_BYTES
from tests.conftest import free_port, missing
from tests.http_server import LoopbackServer, QuietHandler

ROOT = Path(__file__).parents[2]
FILES = {"nginx": ROOT / "deploy/proxy/nginx.conf", "caddy": ROOT / "deploy/proxy/Caddyfile"}
NAME = "cla.example.org"
SERVER_IDLE_SECONDS = 30
"""After so long Countersign ends an idle connection; a proxy that keeps one longer gets 502 on its next POST."""

LINGERS = re.compile(r"^\s*keepalive(?:_timeout)? (\d+)s;?$", re.MULTILINE)


@pytest.mark.parametrize("kind", FILES)
def test_the_proxys_idle_connections_end_before_ours(kind):
    text = FILES[kind].read_text(encoding="utf-8")
    to_us = text.partition("upstream countersign {")[2].partition("}")[0] if kind == "nginx" else text
    found = LINGERS.findall(to_us)

    assert len(found) == 1
    assert int(found[0]) <= SERVER_IDLE_SECONDS - 5


PLACES = {
    "admin_texts.preview": "/admin/texts/preview", "admin_texts.release": "/admin/texts", "desk.check_list": "/company/c/people/list",
    "desk.add_list": "/company/c/people/list/add", "desk.download_refused": "/company/c/people/list/refused",
    "staff.check_invitations": "/company/c/invitations/check", "staff.send_invitations": "/company/c/invitations/send",
    "admin.record_paper": "/admin/papers", "admin.attach_file": "/admin/companies/c/files", "public.check_receipt": "/receipts/verify",
}  # fmt: skip
"""Paths of the forms that may be larger than others, by their endpoints."""
BYTES = {"k": 2**10, "KiB": 2**10, "m": 2**20, "MiB": 2**20}


def in_bytes(size):
    """As nginx and Caddy write sizes."""
    number, unit = re.fullmatch(r"(\d+)(\w+)", size).groups()
    return int(number) * BYTES[unit]


def nginx_limit(path):
    """By nginx's order: an exact location, the first pattern, the longest prefix."""
    text = FILES["nginx"].read_text(encoding="utf-8").partition("client_max_body_size")[2]
    blocks = re.findall(r"location (=|~|) ?(\S+) \{([^}]*)\}", text)
    exact = [body for kind, place, body in blocks if kind == "=" and place == path]
    pattern = [body for kind, place, body in blocks if kind == "~" and re.search(place, path)]
    prefix = [body for kind, place, body in blocks if not kind and path.startswith(place)]
    found = re.search(r"client_max_body_size (\w+);", (exact or pattern or prefix)[0])
    return in_bytes(found[1] if found else text.partition(";")[0].strip())


def caddy_limit(path):
    """By the matcher that fits; the last is of all other paths."""
    text = FILES["caddy"].read_text(encoding="utf-8")
    sizes = dict(re.findall(r"request_body @(\w+) \{\s+max_size (\w+)", text))
    places = {name: paths.split() for name, paths in re.findall(r"@(\w+) path ([^\n]+)", text) if name in sizes}
    fitting = [name for name, paths in places.items() if any(fnmatchcase(path, pattern) for pattern in paths)]
    excluded = re.search(r"@others not path ([^\n]+)", text)[1].split()
    assert bool(fitting) is any(fnmatchcase(path, pattern) for pattern in excluded)
    return in_bytes(sizes[(fitting or ["others"])[0]])


@pytest.mark.parametrize("limit", [nginx_limit, caddy_limit])
def test_the_proxies_let_pass_what_the_server_takes(limit):
    sizes = {**site.LARGE_TEXT_FORMS, **site.LARGE_FILE_FORMS}
    assert PLACES.keys() == sizes.keys()
    refused = [path for endpoint, path in PLACES.items() if limit(path) < sizes[endpoint]]
    assert refused == []
    assert limit("/webhook") >= MAX_PAYLOAD_BYTES
    assert limit("/me/emails") >= site.MAX_FORM_BYTES


@dataclass
class Proxy:
    """A running proxy: where it listens for https and for http, and the folder with all that it writes."""

    tls: int
    plain: int
    folder: Path

    def connected(self, *, secure=True, most=ssl.TLSVersion.MAXIMUM_SUPPORTED, words=""):
        """A connection as a browser has one, with TLS up to a version and, of the older one, with some suites alone."""
        raw = socket.create_connection(("127.0.0.1", self.tls if secure else self.plain), timeout=20)
        if not secure:
            return raw
        trusting = ssl.create_default_context()
        trusting.check_hostname, trusting.verify_mode, trusting.maximum_version = False, ssl.CERT_NONE, most
        if words:
            trusting.set_ciphers(words)
        return trusting.wrap_socket(raw, server_hostname=NAME)

    def ask(self, method, path, *, body=b"", headers=(), secure=True):
        """Status, headers in lower case, and body of the answer."""
        asked = http.client.HTTPConnection(NAME)
        asked.sock = self.connected(secure=secure)
        try:
            asked.putrequest(method, path)
            for name, value in (*headers, *((("Content-Length", str(len(body))),) if body else ())):
                asked.putheader(name, value)
            with contextlib.suppress(OSError):  # a refusal may come before all is sent
                asked.endheaders()
                asked.send(body)
            answer = asked.getresponse()
            return answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read()
        finally:
            asked.close()

    def ended_after(self, start):
        """Seconds until the proxy ends a connection on which only the start of a request came."""
        with self.connected() as slow:
            slow.sendall(start)
            began = time.monotonic()
            with contextlib.suppress(OSError):
                while slow.recv(1000):
                    pass
            return time.monotonic() - began


class Echo(QuietHandler):
    """Stands in Countersign's place and answers with what reached it."""

    protocol_version = "HTTP/1.1"

    def do_POST(self):
        """Tell the request's version, and its headers as they came."""
        self.body()
        self.answer(200, json.dumps({"version": self.request_version, "headers": self.headers.items()}).encode())


@contextlib.contextmanager
def run(kind, folder, port, *, patience=None):
    """The proxy of that kind before the server at that port; `patience` takes the place of time-outs of ten seconds and more."""
    command = shutil.which(kind) or shutil.which(kind, path="/usr/sbin")
    if command is None:
        missing(kind, f"no command {kind}")
    proxy = Proxy(free_port(), free_port(), folder)
    text = FILES[kind].read_text(encoding="utf-8").replace("127.0.0.1:8080", f"127.0.0.1:{port}")
    if patience is not None:
        text = re.sub(r"((?:client_\w+_timeout|read_header|read_body) )[12]0s", rf"\g<1>{patience}s", text)
    words = (_nginx if kind == "nginx" else _caddy)(proxy, text)
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen([command, *words], env={"HOME": str(folder)}, stdout=log, stderr=log)
    try:
        for _ in range(200):
            assert process.poll() is None, (folder / "log").read_text(encoding="utf-8")
            with contextlib.suppress(OSError), proxy.connected():
                break
            time.sleep(0.05)
        yield proxy
    finally:
        process.terminate()
        process.wait(timeout=20)


def _nginx(proxy, text):
    folder = proxy.folder
    made = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", f"/CN={NAME}"]
    made += ["-keyout", str(folder / "privkey.pem"), "-out", str(folder / "fullchain.pem")]
    subprocess.run(made, check=True, capture_output=True)
    text = re.sub(r"^ *listen \[::\].*\n", "", text, flags=re.MULTILINE)
    text = text.replace("listen 80;", f"listen 127.0.0.1:{proxy.plain};")
    text = text.replace("listen 443 ssl;", f"listen 127.0.0.1:{proxy.tls} ssl;")
    text = text.replace(f"/etc/letsencrypt/live/{NAME}", str(folder)).replace("/var/log/nginx", str(folder))
    (folder / "site.conf").write_text(text, encoding="utf-8")
    spools = "".join(
        f"{spool}_temp_path {folder}/spool-{spool};" for spool in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    (folder / "nginx.conf").write_text(
        f"daemon off; master_process off; pid {folder}/pid; error_log stderr warn; events {{}}\n"
        f"http {{ access_log off; {spools} include {folder}/site.conf; }}\n",
        encoding="utf-8",
    )
    return ["-p", str(folder), "-e", "stderr", "-c", str(folder / "nginx.conf")]


def _caddy(proxy, text):
    own = f"admin off\nhttp_port {proxy.plain}\nhttps_port {proxy.tls}\nlocal_certs\nskip_install_trust\n"
    own += f"storage file_system {proxy.folder}/kept\n"
    (proxy.folder / "Caddyfile").write_text(text.replace("{\n\tservers", f"{{\n{own}\tservers", 1), encoding="utf-8")
    return ["run", "--config", str(proxy.folder / "Caddyfile"), "--adapter", "caddyfile"]


@pytest.fixture(name="echoed", params=FILES, scope="module")
def _echoed(request, tmp_path_factory):
    """Each of the proxies before a server that answers with what it got."""
    with LoopbackServer(Echo).running() as server:
        folder = tmp_path_factory.mktemp(request.param)
        # Caddy counts a TLS handshake among it, which takes more than a second where others have the processors.
        with run(request.param, folder, server.server_port, patience=3) as proxy:
            yield proxy


def test_no_visitor_chooses_their_address(echoed):
    forged = ("X-Forwarded-For", "X_Forwarded_For", "x_forwarded_for", "X-Forwarded-Host")
    status, _, body = echoed.ask("POST", "/me", body=b"a=b", headers=[(name, "203.0.113.9") for name in forged])
    told = json.loads(body)
    headers = [(name.lower(), value) for name, value in told["headers"]]

    assert (status, told["version"]) == (200, "HTTP/1.1")
    assert [value for name, value in headers if name == "x-forwarded-for"] == ["127.0.0.1"]
    assert [value for name, value in headers if name in ("host", "x-forwarded-host")] == [NAME] * 2
    assert [name for name, _ in headers if "_" in name] == []
    assert "203.0.113.9" not in body.decode()
    assert ("connection", "close") not in headers


def test_only_browsers_are_led_to_https(echoed):
    """A secret that was sent in the clear is refused."""
    moved, headers, _ = echoed.ask("GET", "/me?lang=zh", secure=False)

    assert (moved, headers["location"]) == (301, f"https://{NAME}/me?lang=zh")
    assert [echoed.ask("POST", path, body=b"{}", secure=False)[0] for path in ("/webhook", "/api/v1/covered/1")] == [
        403
    ] * 2


def test_probes_stay_inside(echoed):
    assert [echoed.ask("GET", path)[0] for path in ("/livez", "/readyz", "/metrics")] == [404] * 3


def test_only_strong_tls_is_spoken(echoed):
    with echoed.connected() as newest, echoed.connected(most=ssl.TLSVersion.TLSv1_2) as older:
        versions, (name, *_) = (newest.version(), older.version()), older.cipher()

    assert versions == ("TLSv1.3", "TLSv1.2")
    assert re.fullmatch(r"ECDHE-(RSA|ECDSA)-(AES(128|256)-GCM-SHA(256|384)|CHACHA20-POLY1305)", name)
    with pytest.raises(ssl.SSLError), echoed.connected(most=ssl.TLSVersion.TLSv1_2, words="AES256-SHA256:AES128-SHA"):
        pass


@pytest.mark.parametrize(
    "start",
    [
        b"",
        b"GET / HTTP/1.1\r\nHost: cla",
        b"POST /logout HTTP/1.1\r\nHost: cla.example.org\r\nContent-Length: 9\r\n\r\n",
    ],
    ids=["silent", "half a header", "half a form"],
)
def test_slow_clients_are_disconnected_by_the_proxy(echoed, start):
    assert echoed.ended_after(start) < 9


@pytest.fixture(name="served", params=FILES, scope="module")
def _served(request, tmp_path_factory):
    """Each of the proxies before `countersign serve`: the proxy, and the stage that the server is on."""
    folder = tmp_path_factory.mktemp(f"{request.param}-served")
    settings = {"COUNTERSIGN_URL": f"https://{NAME}", "COUNTERSIGN_PROXIES": "1"}
    with DemoServers(folder / "stage", port=free_port(), github_port=free_port(), settings=settings) as stage:
        stage.world.organization("cann", admins=[stage.world.user("boss")])
        with run(request.param, folder, stage.port) as proxy:
            stage.serve()
            yield proxy, stage


def delivered(proxy, stage, size):
    """The status of a signed delivery with so many bytes."""
    body = b'{"zen": "%s"}' % (b"x" * (size - 11))
    assert len(body) == size
    mac = hmac.new(stage.app.webhook_secret.encode(), body, hashlib.sha256).hexdigest()
    headers = [("X-GitHub-Event", "ping"), ("X-GitHub-Delivery", str(size)), ("X-Hub-Signature-256", f"sha256={mac}")]
    return proxy.ask("POST", "/webhook", body=body, headers=[("Content-Type", "application/json"), *headers])[0]


@pytest.mark.slow
def test_pages_and_deliveries_up_to_the_limit_pass_to_the_server(served):
    proxy, stage = served
    status, headers, body = proxy.ask("GET", "/")

    assert (status, headers["content-type"]) == (200, "text/html; charset=utf-8")
    assert "max-age=63072000" in headers["strict-transport-security"]
    assert "alt-svc" not in headers
    assert b"<h1" in body
    assert delivered(proxy, stage, 100) == 202
    assert delivered(proxy, stage, 25 * 1024 * 1024) == 202
    # 502 where a proxy still sends while Countersign refuses by the head of the request (docs/how-to/proxy.md).
    assert delivered(proxy, stage, 25 * 1024 * 1024 + 1) in (413, 502)
    assert "temporary file" not in (proxy.folder / "log").read_text(encoding="utf-8")
