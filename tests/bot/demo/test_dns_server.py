"""The demo's DNS answers as the ordinary ones do, so that the ordinary check of a domain can ask it."""

import socket

import pytest

from bot.demo.dns_server import DnsServers
from bot.network import dns, resolvers
from bot.network.dns import Hosts


@pytest.fixture(name="zone")
def _zone():
    return {}


@pytest.fixture(name="servers")
def _servers(zone):
    """The servers, as the setting names them."""
    names = DnsServers(zone)
    names.start()
    yield resolvers.parse(names.addresses)
    names.close()


def test_a_record_is_shown_by_every_server_once_it_is_there(zone, servers):
    name, text = dns.record("example.com", "t0ken")
    assert dns.shows("example.com", "t0ken", servers) == "absent"
    zone[name] = ['a "quoted" \\ text', *("x" * 200 for _ in range(2)), text]
    assert dns.shows("example.com", "t0ken", servers) == "shown"
    assert dns.shows("example.org", "t0ken", servers) == "absent"
    zone[name] = ["cla-verify=other"]
    assert dns.shows("example.com", "t0ken", servers) == "absent"


def test_a_mail_host_query_is_answered_without_hosts(zone, servers):
    zone["example.com"] = ["x"]
    assert dns.mail_hosts("example.com", "example.org", servers) == Hosts((), ())


def test_a_garbled_question_gets_no_answer_and_the_next_one_does(zone, servers):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asking:
        for wire in (b"", b"\0" * 7, b"\0" * 2 + b"\x80" + b"\0" * 9):
            asking.sendto(wire, (servers[0].address, servers[0].port))
    assert dns.shows("example.com", "t0ken", servers) == "absent"
