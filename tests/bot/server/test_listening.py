"""Before a server starts it is known whether it can listen; otherwise one line names the option to change."""

import errno
import socket

import pytest

from bot.server.listening import CannotListen, _why, listener
from tests.conftest import free_port


@pytest.mark.parametrize(("host", "numeric"), [("127.0.0.1", {"127.0.0.1"}), ("localhost", {"127.0.0.1", "::1"})])
def test_a_free_port_is_listened_on_alone(host, numeric):
    port = free_port()
    with listener(host, port) as made:
        assert made.getsockname()[0] in numeric
        with socket.create_connection((host, port), timeout=5):
            pass
        with pytest.raises(CannotListen, match="is in use"):
            listener(host, port)


def test_a_port_that_was_used_a_moment_ago_is_free(tmp_path):
    with socket.socket() as server:
        server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        server.bind(("127.0.0.1", 0))
        server.listen()
        port = server.getsockname()[1]
        with socket.create_connection(("127.0.0.1", port)):
            server.accept()[0].close()

    listener("127.0.0.1", port).close()


def test_a_port_in_use_is_told_with_the_option_to_change():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(CannotListen, match=f"^port {port} is in use: choose another with --port$"):
            listener("127.0.0.1", port)


@pytest.mark.parametrize(
    ("host", "words"),
    [
        ("nowhere.invalid", r"^host nowhere\.invalid is not known: choose another with --host$"),
        ("a" * 70 + ".example", r"^host a+\.example is not known: choose another with --host$"),
        ("203.0.113.9", r"^host 203\.0\.113\.9 is not an address of this machine: choose another with --host$"),
    ],
)
def test_a_host_that_is_not_of_this_machine_is_told(host, words):
    with pytest.raises(CannotListen, match=words):
        listener(host, free_port())


def test_a_refusal_by_the_system_is_told_in_its_words():
    line = _why(OSError(errno.EACCES, "Permission denied"), "127.0.0.1", 80)

    assert line == "port 80 cannot be used (Permission denied): choose another with --port"
