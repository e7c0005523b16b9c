"""The DNS servers that are asked about companies' domains: addresses, never names, since they resolve the names."""

import ipaddress
from dataclasses import dataclass

DNS_PORT = 53
MIN_SERVERS, MAX_SERVERS = 2, 5  # All must agree; each more makes a look take longer.


@dataclass(frozen=True, slots=True)
class Server:
    """A recursive DNS server, by the IP `address` and `port`."""

    address: str
    port: int = DNS_PORT


USUAL = (Server("1.1.1.1"), Server("8.8.8.8"))
"""Two public servers of different operators."""


def parse(text: str) -> tuple[Server, ...]:
    """Read addresses separated by commas, each with or without a port: `192.0.2.1, 192.0.2.2:5353, [2001:db8::1]:53`.

    The usual ones for an empty text. Raises ValueError with one line unless there are two to five different ones.
    """
    if not text:
        return USUAL
    servers = tuple(_server(word.strip()) for word in text.split(",") if word.strip())
    if not MIN_SERVERS <= len(set(servers)) == len(servers) <= MAX_SERVERS:
        raise ValueError("must name two to five different servers, separated by commas")
    return servers


def _server(word: str) -> Server:
    try:
        return Server(str(ipaddress.ip_address(word)))
    except ValueError:
        address, _, port = word.rpartition(":")
    try:
        found = str(ipaddress.ip_address(address[1:-1] if address.startswith("[") else address))
    except ValueError:
        raise ValueError(f"{word!r} is no IP address, with or without :port") from None
    if not (port.isascii() and port.isdecimal() and 0 < int(port) < 65536):
        raise ValueError(f"{word!r} has no port from 1 to 65535")
    return Server(found, int(port))
