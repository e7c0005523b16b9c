"""The DCO bots' grammar of addresses."""

import pytest

from agreements.dco.address_grammar import well_formed, well_formed_in_dco2
from agreements.github_server import GITHUB_COM


@pytest.mark.parametrize("address", [
    "a@x.org", "a@localhost", "a.b+c@x.org", "张@例子.cn", '"a b"@x.org', '"a\\"b"@x.org', "a@[1.2.3.4]", "a@[IPv6:::1]", "a_b@x_y.org",
    "49699333+dependabot[bot]@users.noreply.github.com", "x y[bot]@users.noreply.github.com", "a" * 64 + "@x", '"a@b"@x.org',
    "a@[]", '"a\tb"@x.org', '"é"@x.org', '"\\\\"@x.org', "é" * 32 + "@x",
])  # fmt: skip
def test_well_formed(address):
    """One label is enough, letters of any script and quoted strings are taken."""
    assert well_formed(address, GITHUB_COM)


@pytest.mark.parametrize("address", [
    "", "a", "@x.org", "a@", "a b@x.org", "a@x.org.", "a@.x.org", "a@x..org", ".a@x.org", "a.@x.org", "a..b@x.org", "a@b@x.org", '""@x.org', '"@x.org', '"a\\ b"@x.org',
    '"\\é"@x.org', '"a\x7fb"@x.org', "a@[é]", "a@[\x7f]", "a@[", "a@]", "a@[x", "a@[[]", "a\x7fb@x.org",
    "a@[1 2]", '"a"b"@x.org', '"a\\"@x.org', '"a\nb"@x.org', "<a@x.org>", "a" * 65 + "@x", "é" * 33 + "@x", "a@x y", "none",
])  # fmt: skip
def test_not_well_formed(address):
    """What mail would never take is not an address here either."""
    assert not well_formed(address, GITHUB_COM)


@pytest.mark.parametrize(("address", "wide", "dco2"), [
    ("ada@x.org", True, True), ("x[bot]@users.noreply.github.com", True, True), ("a@b@c", False, False), ("", False, False), ("a@-x.org", True, False), ("a" * 65 + "@x", False, False),
    ("a\u200b@x.org", True, False), ("a@" + "b" * 64, True, False), ("Ada <ada@x.org>", False, True), ("a@[é]", False, False), ('"é"@x.org', True, False), ("ren\udce9@x.org", True, False),
])  # fmt: skip
def test_where_the_grammars_part(address, wide, dco2):
    """dco2's is narrower but for a name before the address; tests/promises/test_addresses.py has it row by row."""
    assert (well_formed(address, GITHUB_COM), well_formed_in_dco2(address)) == (wide, dco2)
