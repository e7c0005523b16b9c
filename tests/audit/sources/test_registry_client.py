"""One request to a registry: bounded, polite, and never redirected elsewhere."""

import socket
import threading
import time
from contextlib import contextmanager, suppress
from datetime import UTC, datetime

import pytest

from audit.sources import registry_client
from audit.sources.answers import MAX_ANSWER_BYTES, GarbledAnswer
from audit.sources.registry_client import RegistryBusy, RegistryConnection, RegistryFailed, RequestTimeouts

NOW = datetime(2026, 11, 22, 12, 0, 0, tzinfo=UTC)


def line(address, **limits):
    """A line with little patience."""
    return RegistryConnection(
        address, now=lambda: NOW, limits=RequestTimeouts(**{"connect": 1, "piece": 1, "whole": 1, **limits})
    )


def test_an_answer_is_unpacked_and_the_request_names_only_the_program(registry):
    registry.says["/x/1"] = {"license": "MIT" * 1000}
    client = line(registry.address)

    assert client.fetch(client.url(("x", "1"))) == b'{"license": "' + b"MIT" * 1000 + b'"}'
    (sent,) = registry.headers
    assert sent["User-Agent"].startswith("countersign-license-audit (+https://")
    assert set(sent) == {"Host", "User-Agent", "Accept-Encoding", "Accept", "Connection"}


def test_parts_of_an_address_are_escaped(registry):
    assert line(f"{registry.address}/mirror/").url(("@a/b", "1+x?y#z%")) == (
        f"{registry.address}/mirror/%40a%2Fb/1%2Bx%3Fy%23z%25"
    )


@pytest.mark.parametrize("status", [400, 404, 410])
def test_a_missing_package_is_no_answer(registry, status):
    registry.says["/x"] = status
    assert line(registry.address).fetch(f"{registry.address}/x") is None


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (401, RegistryFailed),
        (403, RegistryFailed),
        (204, RegistryFailed),
        (429, RegistryBusy),
        (500, RegistryBusy),
        (503, RegistryBusy),
    ],
)
def test_a_status_that_may_get_better_can_be_asked_again(registry, status, kind):
    registry.says["/x"] = status
    with pytest.raises(kind, match=f"answered {status}"):
        line(registry.address).fetch(f"{registry.address}/x")


@pytest.mark.parametrize(
    ("said", "seconds"),
    [("7", 7.0), ("Sun, 22 Nov 2026 12:00:30 GMT", 30.0), ("Sun, 22 Nov 2026 11:00:00 GMT", 0.0), ("soon", None), ("", None),
     ("-1", None), ("9" * 400, 999999999.0)],
)  # fmt: skip
def test_the_retry_time_is_read_as_seconds_or_a_date(registry, said, seconds):
    registry.says["/x"] = lambda handler: handler.send(429, 429, Retry_After=said)
    with pytest.raises(RegistryBusy) as busy:
        line(registry.address).fetch(f"{registry.address}/x")
    assert busy.value.after == seconds


def test_redirects_are_followed_three_times_on_the_same_host(registry):
    to = {"": ""}
    registry.says["/x"] = lambda handler: handler.send(301, 301, Location=to[""])
    registry.says["/y"] = {"there": True}
    client = line(registry.address)

    to[""] = "/y"
    assert client.fetch(f"{registry.address}/x") == b'{"there": true}'
    for elsewhere in (
        "http://127.0.0.1:1/y",
        "https://pypi.org/y",
        "//x.example/y",
        "file:///etc/passwd",
        "http://u@127.0.0.1/",
        "http://[",
        "",
    ):
        to[""] = elsewhere
        with pytest.raises(RegistryFailed, match="leads to"):
            client.fetch(f"{registry.address}/x")
    to[""] = "/x"
    with pytest.raises(RegistryFailed, match="from address to address"):
        client.fetch(f"{registry.address}/x")


def test_a_too_long_answer_is_refused_however_it_is_packed(registry):
    registry.says["/x"] = b" " * (MAX_ANSWER_BYTES + 1)
    with pytest.raises(GarbledAnswer, match="more than"):
        line(registry.address, piece=5, whole=20).fetch(f"{registry.address}/x")


def drip(handler):
    """One byte after the other, each in good time."""
    handler.send_response(200)
    handler.end_headers()
    for _ in range(100):
        handler.wfile.write(b" ")
        handler.wfile.flush()
        time.sleep(0.05)


def test_a_too_slow_answer_is_cut_off_as_a_whole(registry):
    registry.says["/x"] = drip
    begun = time.monotonic()
    with pytest.raises(RegistryBusy, match="too slowly"):
        line(registry.address, whole=0.3).fetch(f"{registry.address}/x")
    assert time.monotonic() - begun < 3


@contextmanager
def broken(bytes_sent):
    """The address of a server that says just that and goes away."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve():
            with suppress(OSError):
                while True:
                    connection, _ = server.accept()
                    with connection:
                        connection.recv(65536)
                        connection.sendall(bytes_sent)

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.getsockname()[1]}"
        finally:
            # Closing does not end a waiting accept(): when the system restarts it, it would take the connections of
            # another server that has the same file number by then.
            server.shutdown(socket.SHUT_RDWR)
            thread.join()


@pytest.mark.parametrize(
    "sent",
    [b"", b"nonsense\r\n\r\n", b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{", b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\nno gzip",
     b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", b"HTTP/1.1 301 X\r\nLocation: \xff\xfe\r\n\r\n"],
)  # fmt: skip
def test_a_broken_answer_raises_only_failed_or_busy(sent):
    with broken(sent) as address, pytest.raises((RegistryBusy, RegistryFailed)):
        line(address).fetch(f"{address}/x")


def test_an_unreachable_registry_is_told_without_its_address():
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    with pytest.raises(RegistryBusy, match=r"^could not be reached \(ConnectionError\)$"):
        line(f"http://127.0.0.1:{port}").fetch(f"http://127.0.0.1:{port}/x")


def test_a_password_is_sent_to_the_registry_and_never_shown(registry):
    client = line(registry.address.replace("//", "//ada:secret@"))
    client.fetch(client.url(("x",)))

    assert registry.headers[0]["Authorization"].startswith("Basic ")
    assert "secret" not in client.url(("x",)) + client.host


def test_no_password_is_read_from_a_netrc(registry, tmp_path, monkeypatch):
    (tmp_path / ".netrc").write_text("machine 127.0.0.1 login ada password secret\n")
    monkeypatch.setenv("NETRC", str(tmp_path / ".netrc"))
    line(registry.address).fetch(f"{registry.address}/x")

    assert "Authorization" not in registry.headers[0]
    assert registry_client.AGENT == registry.headers[0]["User-Agent"]


@pytest.mark.parametrize(
    ("base", "address", "allowed"),
    [
        ("https://pypi.org", "https://files.pythonhosted.org/packages/a.whl.metadata", True),
        ("https://pypi.org", "http://files.pythonhosted.org/a", False),
        ("https://pypi.org", "https://files.pythonhosted.org:8443/a", False),
        ("https://ada:secret@pypi.org", "https://files.pythonhosted.org/a", False),
        ("https://pypi.org", "https://evil.example/a", False),
        ("https://pypi.org", "//evil.example/a", False),
        ("https://pypi.org", "https://files.pythonhosted.org@evil.example/a", False),
        ("https://pypi.org", "https://x@files.pythonhosted.org/a", False),
        ("https://pypi.corp.example/root", "../../packages/a.whl", True),
        ("https://pypi.corp.example/root", "https://files.pythonhosted.org/a", False),
        ("https://pypi.corp.example/root", "http://pypi.corp.example/a", False),
        ("https://pypi.corp.example/root", "file:///etc/passwd", False),
        ("https://pypi.corp.example/root", "https://[", False),
    ],
)
def test_files_are_fetched_from_the_registry_s_own_host_or_pypi_s_host_for_files(base, address, allowed):
    found = line(base).file(
        "https://pypi.corp.example/root/simple/a/" if "corp" in base else f"{base}/simple/a/", address
    )

    assert (found is not None) is allowed
