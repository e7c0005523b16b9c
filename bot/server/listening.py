"""Opens the socket first, so that a port that is in use is reported before anything else starts."""

import errno
import socket
from typing import Final

LISTEN_BACKLOG: Final = 1024
"""Connections that the system accepts for us before we do."""
UNREAD_SECONDS: Final = 30
"""A client that takes nothing of its answer for so long is cut off by the system, and the answer forgotten."""


class CannotListen(Exception):
    """No socket can listen there; the message is one line that names the option to change."""


def listener(host: str, port: int) -> socket.socket:
    """A socket that listens there. Raises `CannotListen`."""
    try:
        family, kind, _, _, place = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
    except (socket.gaierror, UnicodeError):
        raise CannotListen(f"host {host} is not known: choose another with --host") from None
    made = socket.socket(family, kind)
    # A server that ended a moment ago is no hindrance; one that listens is.
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    if hasattr(socket, "TCP_USER_TIMEOUT"):  # Linux; connections inherit it
        made.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, UNREAD_SECONDS * 1000)
    try:
        made.bind(place)
        made.listen(LISTEN_BACKLOG)
    except OSError as error:
        made.close()
        raise CannotListen(_why(error, host, port)) from None
    return made


def _why(error: OSError, host: str, port: int) -> str:
    if error.errno == errno.EADDRINUSE:
        return f"port {port} is in use: choose another with --port"
    if error.errno == errno.EADDRNOTAVAIL:
        return f"host {host} is not an address of this machine: choose another with --host"
    return f"port {port} cannot be used ({error.strerror}): choose another with --port"
