"""Web addresses that an operator writes down: their parts, and from where their host can be reached."""

from ipaddress import IPv6Address, ip_address
from typing import Final
from urllib.parse import SplitResult, urlsplit

_NOT_PUBLIC: Final = (
    ".localhost", ".local", ".internal", ".test", ".invalid", ".home.arpa", ".lan", ".home", ".corp", ".intranet", ".private",
)  # fmt: skip
"""Ends of names that the public DNS does not have: IANA's special-use names, and what is usual inside a network."""


def address_parts(text: str) -> SplitResult:
    """The parts of an address; none of a text that cannot be one."""
    try:
        parts = urlsplit(text)
        is_one = parts.port != 0 and not any(map(str.isspace, parts.hostname or ""))
    except ValueError:  # Its message repeats the address, which may hold a password.
        is_one = False
    return parts if is_one else urlsplit("")


def is_loopback(host: str) -> bool:
    """Whether a host is this very machine by its name or IP address."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"


def is_public(host: str) -> bool:
    """Whether a host can be one that is reached from the internet, as far as its name or IP address shows."""
    try:
        address = ip_address(host)
    except ValueError:
        name = host.lower().removesuffix(".")
        last = name.rpartition(".")[2]
        is_name = "." in name and not last[:1].isdigit()  # 127.1 is an IP address, too
        return is_name and not f".{name}".endswith(_NOT_PUBLIC)
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None  # `::ffff:10.0.0.1` is private, too.
    return (mapped or address).is_global
