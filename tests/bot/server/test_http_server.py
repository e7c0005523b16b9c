"""The web server at its socket: what HTTP could be misread is refused, what is cut looks cut, who is silent is ended."""

import asyncio
import socket
import time
from contextlib import contextmanager, suppress

import pytest

from bot.server import listening
from bot.server.asgi import AsgiApplication
from bot.server.exchange import Rejected
from bot.server.wsgi_bridge import WsgiBridge
from tests.bot.server.served import serving
from tests.conftest import free_port


async def answers(exchange):
    """Answers every request with its path."""
    await exchange.answer(200, {"path": exchange.path})


async def breaks(exchange):
    """Begins, and fails."""
    await exchange.begin(200, [])
    await exchange.send(b"half", more=True)
    raise ValueError


async def refuses(exchange):
    """By the head alone."""
    raise Rejected(413, "too long")


def page(environ, start_response):
    """Refuses, too, and reads nothing."""
    start_response("413 Content Too Large", [("Content-Length", "0")])
    return [b""]


async def waits(exchange):
    """Takes its time."""
    await asyncio.sleep(0.5)
    await exchange.answer(200, {})


@pytest.fixture(name="port")
def _port():
    """The port of a server, in a thread of this process; it ends silent connections after a second."""
    with served() as (port, _):
        yield port


@contextmanager
def served():
    """A server; gives its port and what stops it."""
    application = AsgiApplication(
        {"/breaks": breaks, "/refuses": refuses, "/waits": waits, "/page": WsgiBridge(page)}, answers
    )
    with serving(application) as server:
        yield server


def told(port, text):
    """All that comes until the server ends the connection."""
    with socket.create_connection(("127.0.0.1", port), timeout=10) as line:
        line.sendall(text.encode())
        answer = b""
        while piece := line.recv(65536):
            answer += piece
    return answer


@pytest.mark.parametrize(
    "lines",
    [
        "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n",
        "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "Content-Length: 5\r\nContent-Length: 6\r\n\r\nabcde",
        "Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n",
        "Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n",
        "Host: b\r\n\r\n",
    ],
)
def test_a_request_that_two_servers_could_read_differently_is_refused(port, lines):
    answer = told(port, f"POST / HTTP/1.1\r\nHost: a\r\n{lines}GET /second HTTP/1.1\r\nHost: a\r\n\r\n")

    assert answer.startswith(b"HTTP/1.1 400"), answer
    assert b"second" not in answer


@pytest.mark.parametrize("path", ["/refuses", "/page"])
def test_a_client_that_still_sends_gets_the_refusal(port, path):
    head = f"POST {path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 2000000\r\n\r\n"
    with socket.create_connection(("127.0.0.1", port), timeout=10) as line:
        line.sendall(head.encode())
        for _ in range(4):
            time.sleep(0.1)
            line.sendall(b"x" * 500_000)
        answer = b"".join(iter(lambda: line.recv(65536), b""))

    assert answer.startswith(b"HTTP/1.1 413"), answer


def test_a_client_that_expects_100_continue_is_refused_at_once(port):
    head = "POST /refuses HTTP/1.1\r\nHost: a\r\nContent-Length: 20000000\r\nExpect: 100-continue\r\n\r\n"
    begun = time.monotonic()

    assert told(port, head).startswith(b"HTTP/1.1 413")
    assert time.monotonic() - begun < 1


def test_a_cut_answer_has_no_last_chunk(port):
    """No client then takes the answer for whole."""
    answer = told(port, "GET /breaks HTTP/1.1\r\nHost: a\r\n\r\n")

    assert b"half" in answer
    assert not answer.endswith(b"0\r\n\r\n")


@pytest.mark.parametrize("text", ["", "GET / HT", "GET / HTTP/1.1\r\nHost: a\r\n", "GET / HTTP/1.1\r\nHost: a\r\n\r\n"])
def test_a_silent_client_is_disconnected(port, text):
    begun = time.monotonic()
    told(port, text)

    assert 0.5 < time.monotonic() - begun < 5


def test_a_head_that_is_too_long_is_refused(port):
    head = "GET /long HTTP/1.1\r\nHost: a\r\nConnection: close\r\nX: {}\r\n\r\n"

    assert b" 431 " in told(port, head.format("x" * 70_000))
    assert b" 200 " in told(port, head.format("x" * 14_000))


def lets_in(port):
    """Whether a new client can connect."""
    with suppress(ConnectionError), socket.create_connection(("127.0.0.1", port), timeout=10):
        return True
    return False


def test_a_request_under_way_at_the_stop_is_answered_and_a_later_client_is_not_let_in():
    with served() as (port, stop), socket.create_connection(("127.0.0.1", port), timeout=10) as line:
        line.sendall(b"GET /waits HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        time.sleep(0.2)
        stop()
        assert not all(lets_in(port) for _ in range(500))  # the loop has a moment to close the door
        assert line.recv(100).startswith(b"HTTP/1.1 200")


def test_a_client_that_takes_nothing_is_cut_off_by_the_system():
    with listening.listener("127.0.0.1", free_port()) as listener, socket.create_connection(listener.getsockname()):
        connection, _ = listener.accept()
        with connection:
            unread = connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT)

    assert unread == listening.UNREAD_SECONDS * 1000
