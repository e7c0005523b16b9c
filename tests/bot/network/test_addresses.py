"""From where a host can be reached, as far as its name shows."""

import pytest

from bot.network.addresses import address_parts, is_loopback, is_public


@pytest.mark.parametrize(
    "host",
    ["cla.example.org", "CLA.EXAMPLE.ORG.", "8.8.8.8", "2606:4700:4700::1111", "x.trycloudflare.com", "internal.example.org"],
)  # fmt: skip
def test_names_with_a_dot_and_global_addresses_are_public(host):
    assert is_public(host)


@pytest.mark.parametrize(
    "host",
    [
        "", "cla", "localhost", "cla.localhost", "printer.local", "cla.internal", "cla.corp", "box.home.arpa", "127.0.0.1",
        "127.1", "10.0.0.1", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1", "0.0.0.0", "::1", "fe80::1",
        "fd12::1", "::ffff:10.0.0.1", "2130706433",
    ],
)  # fmt: skip
def test_names_without_a_dot_and_private_addresses_are_not_public(host):
    assert not is_public(host)


def test_a_loopback_address_is_this_machine():
    assert [host for host in ("localhost", "LOCALHOST", "127.0.0.9", "::1") if not is_loopback(host)] == []
    assert [host for host in ("", "10.0.0.1", "cla.example.org", "8.8.8.8") if is_loopback(host)] == []


def test_a_text_that_is_no_address_has_no_parts():
    """Python's error would repeat the text."""
    assert {address_parts(address).hostname for address in ("https://[", "https://x:0", "https://x y")} == {None}
    assert address_parts("https://cla.example.org:8443").port == 8443
