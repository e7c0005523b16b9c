"""Where a server is to listen: whether it can, before anything else is begun."""

import errno
import socket


class CannotListen(Exception):  # noqa: N818 - reads as what happened
    """Nobody can listen there; the message is one line that names the option to change."""


def address(host: str, port: int) -> str:
    """The numeric address behind `host`, free to listen on at that port just now. Raises `CannotListen`."""
    try:
        family, kind, _, _, place = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
    except (socket.gaierror, UnicodeError):
        raise CannotListen(f"host {host} is not known: choose another with --host") from None
    with socket.socket(family, kind) as probe:
        # A server that ended a moment ago is no hindrance; one that listens is.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(place)
            probe.listen()
        except OSError as error:
            raise CannotListen(_why(error, host, port)) from None
    return str(place[0])


def _why(error: OSError, host: str, port: int) -> str:
    if error.errno == errno.EADDRINUSE:
        return f"port {port} is in use: choose another with --port"
    if error.errno == errno.EADDRNOTAVAIL:
        return f"host {host} is no address of this machine: choose another with --host"
    return f"port {port} cannot be used ({error.strerror}): choose another with --port"
