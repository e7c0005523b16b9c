"""Downloads from another host are bounded, in time, and without credentials."""

import pytest

from bot.github.client.external_download import fetched
from bot.github.ports import Refused, Unreachable
from tests.http_server import LoopbackServer, QuietHandler


class _Host(QuietHandler):
    def do_GET(self):
        self.server.heard.append(dict(self.headers))
        if self.path == "/hangs-up":
            self.close_connection = True
            return
        self.send_response(302 if self.path == "/further" else 200)
        self.send_header("Location", "/there")
        self.end_headers()
        self.wfile.write(b"x" * 1000)


@pytest.fixture(name="host")
def _host():
    with LoopbackServer(_Host).running() as server:
        server.heard = []
        yield server


def test_a_download_ends_at_its_bound(host):
    assert fetched(f"{host.url}/there", 1000, timeout=60, plain=True) == b"x" * 1000
    with pytest.raises(Refused, match="999"):
        fetched(f"{host.url}/there", 999, timeout=60, plain=True)


def test_no_credentials_go_along(host, tmp_path, monkeypatch):
    netrc = tmp_path / "netrc"
    netrc.write_text("machine 127.0.0.1 login ada password secret\n")
    netrc.chmod(0o600)
    monkeypatch.setenv("NETRC", str(netrc))

    fetched(f"{host.url}/there", 1000, timeout=60, plain=True)

    assert "Authorization" not in host.heard[0]


@pytest.mark.parametrize("path", ["/further", "/hangs-up"])
def test_redirects_and_silent_hosts_are_worth_another_try(host, path):
    with pytest.raises(
        Unreachable, match=r"^GitHub's download address at 127\.0\.0\.1 (answered 302|could not be read: \w+)$"
    ):
        fetched(host.url + path, 1000, timeout=60, plain=True)


@pytest.mark.parametrize(
    ("url", "plain"), [("http://127.0.0.1:9/", False), ("ftp://x/", True), ("nonsense", True), ("", True)]
)
def test_only_https_is_fetched_unless_github_itself_is_plain(url, plain):
    with pytest.raises(Refused):
        fetched(url, 10, timeout=1, plain=plain)
