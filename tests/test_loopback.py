"""No test reaches the Internet: it is as if this machine had no network."""

import socket
from datetime import UTC, datetime

import pytest

from audit.sources.questions import PUBLIC
from audit.sources.registry_client import RegistryBusy, RegistryConnection


@pytest.mark.parametrize("host", ["pypi.org", "192.0.2.1", "2001:db8::1"])
def test_no_connection_leaves_the_machine(host):
    with pytest.raises(OSError, match=r"tests (look up no names|stay on loopback)"):
        socket.create_connection((host, 443), 1)


def test_no_datagram_leaves_the_machine():
    with (
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe,
        pytest.raises(OSError, match="tests stay on loopback"),
    ):
        probe.sendto(b"x", ("192.0.2.1", 53))


@pytest.mark.parametrize("address", PUBLIC.values())
def test_no_registry_is_reached(address):
    with pytest.raises(RegistryBusy, match="could not be reached"):
        RegistryConnection(address, now=lambda: datetime(2026, 11, 22, tzinfo=UTC)).fetch(f"{address}/x")
