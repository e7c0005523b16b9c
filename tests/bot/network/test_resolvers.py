"""DNS servers are addresses, and there are two at least."""

import pytest

from bot.network.resolvers import USUAL, Server, parse


def test_addresses_of_servers_are_read_with_and_without_ports():
    assert parse("192.0.2.1, 192.0.2.2:5353,, [2001:db8:0::1]:54 ,2001:db8::2") == (
        Server("192.0.2.1", 53),
        Server("192.0.2.2", 5353),
        Server("2001:db8::1", 54),
        Server("2001:db8::2", 53),
    )
    assert len(set(USUAL)) == 2


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("192.0.2.1", "two to five"),
        ("192.0.2.1, 192.0.2.1:53", "two to five"),
        (",".join(f"192.0.2.{n}" for n in range(6)), "two to five"),
        ("dns.example.org, 192.0.2.1", "no IP address"),
        ("192.0.2.1:0, 192.0.2.2", "no port"),
        ("192.0.2.1:x, 192.0.2.2", "no port"),
        ("192.0.2.1:99999, 192.0.2.2", "no port"),
        ("[192.0.2.1:53, 192.0.2.2", "no IP address"),
    ],
)
def test_a_wrong_part_of_the_list_is_named(text, says):
    with pytest.raises(ValueError, match=says):
        parse(text)
