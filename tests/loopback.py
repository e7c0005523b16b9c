"""Tests stay on this machine: for the test process any other address is as if there were no network."""

import errno
import ipaddress
import socket
import sys

HERE = {"localhost", "", None}


def is_here(host) -> bool:
    """Whether it is an address of loopback, or a name of this machine."""
    if isinstance(host, bytes):
        host = host.decode(errors="replace")
    if host in HERE or host == socket.gethostname():
        return True
    try:
        address = ipaddress.ip_address(str(host).partition("%")[0])
    except ValueError:
        return False
    return address.is_loopback or address.is_unspecified


def _watch(event, arguments):
    """Refuse to look a foreign name up, and to connect or send to a foreign address."""
    if event == "socket.getaddrinfo" and not is_here(arguments[0]):
        try:
            ipaddress.ip_address(arguments[0])  # an address is no question to a name server
        except ValueError:
            raise socket.gaierror(socket.EAI_NONAME, "tests look up no names") from None
    if event in ("socket.connect", "socket.sendto", "socket.sendmsg"):
        address = arguments[1]
        if isinstance(address, tuple) and not is_here(address[0]):
            raise OSError(errno.ENETUNREACH, "tests stay on loopback")


sys.addaudithook(_watch)
