"""The DCO bots' grammar of addresses."""

import pytest

from agreements.mailbox import well_formed


@pytest.mark.parametrize("address", [
    "a@x.org", "a@localhost", "a.b+c@x.org", "张@例子.cn", '"a b"@x.org', '"a\\"b"@x.org', "a@[1.2.3.4]", "a@[IPv6:::1]", "a_b@x_y.org",
    "49699333+dependabot[bot]@users.noreply.github.com", "x y[bot]@users.noreply.github.com", "a" * 64 + "@x", '"a@b"@x.org',
    "a@[]", '"a\tb"@x.org', '"é"@x.org', '"\\\\"@x.org', "é" * 32 + "@x",
])  # fmt: skip
def test_well_formed(address):
    """One label is enough, letters of any script and quoted strings are taken."""
    assert well_formed(address)


@pytest.mark.parametrize("address", [
    "", "a", "@x.org", "a@", "a b@x.org", "a@x.org.", "a@.x.org", "a@x..org", ".a@x.org", "a.@x.org", "a..b@x.org", "a@b@x.org", '""@x.org', '"@x.org', '"a\\ b"@x.org',
    '"\\é"@x.org', '"a\x7fb"@x.org', "a@[é]", "a@[\x7f]", "a@[", "a@]", "a@[x", "a@[[]", "a\x7fb@x.org",
    "a@[1 2]", '"a"b"@x.org', '"a\\"@x.org', '"a\nb"@x.org', "<a@x.org>", "a" * 65 + "@x", "é" * 33 + "@x", "a@x y", "none",
])  # fmt: skip
def test_not_well_formed(address):
    """What mail would never take is not an address here either."""
    assert not well_formed(address)
