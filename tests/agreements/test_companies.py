"""What one company's entries say of one account."""

from datetime import UTC, datetime

import pytest

from agreements.companies import Match, Register, candidate, excludes, match
from agreements.facts import Company, Entry

NOW = datetime(2026, 11, 21, tzinfo=UTC)
ADA = candidate(11, linked=frozenset({"ada@huawei.com"}), proven=frozenset({"ada@home.org"}))


def company(*covers, domains=None, excluded=()):
    return Company(
        name="H", agreement="ccla", version="2.0", signed_at=NOW, domains=domains, covers=covers, excludes=excluded
    )


@pytest.mark.parametrize(("entry", "mode", "expected"), [
    (Entry(account_id=11), "enrolled", Match("cla/company-account", "", ended=False)), (Entry(account_id=12), "linked", None), (Entry(), "linked", None),
    (Entry(email="ada@huawei.com"), "linked", Match("cla/company-email", "a…a@huawei.com", ended=False)), (Entry(email="ada@huawei.com"), "enrolled", None),
    (Entry(domain="HUAWEI.com"), "linked", Match("cla/company-domain", "huawei.com", ended=False)), (Entry(domain="home.org"), "enrolled", Match("cla/company-domain", "home.org", ended=False)),
    (Entry(account_id=11, until=NOW), "linked", Match("cla/company-account", "", ended=True)),
])  # fmt: skip
def test_one_entry(entry, mode, expected):
    """An entry names by its own key and counts the addresses of the mode."""
    assert match(company(entry), ADA, mode, NOW) == expected


@pytest.mark.parametrize(("entry", "subdomains", "address", "expected"), [
    ("huawei.com", True, "a@huawei.com", True), ("huawei.com", True, "A@HUAWEI.COM.", True),
    ("Huawei.com.", True, "a@rd.huawei.com", True), ("huawei.com", True, "a@x.rd.huawei.com", True),
    ("huawei.com", False, "a@huawei.com", True), ("huawei.com", False, "a@rd.huawei.com", False),
    ("huawei.com", True, "a@huawei.com.cn", False), ("huawei.com", True, "a@evilhuawei.com", False),
    ("huawei.com", True, "a@huawei.com.evil.org", False), ("huawei.com", True, "a@huaweiXcom", False),
    ("huawei.com", True, "a@www.huawei.com", False), ("huawei.com", True, "a@x.www.huawei.com", False),
    ("www.huawei.com", True, "a@www.huawei.com", False), ("huawei.com", True, "a@hu\u0430wei.com", False),
    ("华为.com", True, "a@xn--siqq7j.com", True), ("*.huawei.com", True, "a@rd.huawei.com", False),
    ("com", True, "a@huawei.com", False), ("", True, "a@huawei.com", False), ("huawei.com", True, "", False),
    ("huawei.com", True, "a@b@huawei.com", False), ("huawei.com", True, "huawei.com", False),
    ("rd.huawei.com", True, "a@huawei.com", False), ("huawei.com", True, "a@-.huawei.com", False),
    ("x.www.huawei.com", True, "a@x.www.huawei.com", True), ("www.huawei.com", True, "a@x.www.huawei.com", False),
    ("www.com", True, "a@www.com", True), ("huawei.com", True, "a@a.x.www.b.huawei.com", False),
    ("github.com", True, "11+ada@users.noreply.github.com", False), ("github.com", True, "a@noreply.github.com", False),
    ("users.noreply.github.com", True, "11+ada@users.noreply.github.com", False), ("GITHUB.com.", True, "a@Users.NoReply.github.com.", False),
    ("github.com", True, "a@github.com", True), ("notnoreply.github.com", True, "a@notnoreply.github.com", True),
])  # fmt: skip
def test_label_boundary(entry, subdomains, address, expected):
    """A domain entry takes in the domain and, if it may, what is below it; nothing else."""
    who = candidate(11, linked=frozenset({address}), proven=frozenset())
    named = company(Entry(account_id=11), excluded=(Entry(domain=entry, subdomains=subdomains),))
    (found,) = Register([named]).about(who)
    assert excludes(found, who, NOW) is expected


@pytest.mark.parametrize(("entry", "address", "named"), [
    ("amazonaws.com", "a@amazonaws.com", True), ("amazonaws.com", "a@mail.amazonaws.com", True), ("amazonaws.com", "a@ec2-1.compute-1.amazonaws.com", False),
    ("amazonaws.com", "a@x.s3.amazonaws.com", False), ("huawei.com", "a@x.rd.huawei.com", True), ("rd.huawei.com", "a@rd.huawei.com", True),
    ("me.github.io", "a@x.me.github.io", True), ("x.compute-1.amazonaws.com", "a@x.compute-1.amazonaws.com", False),
    ("corp.internal", "a@rd.corp.internal", True),
])  # fmt: skip
def test_rented_names(entry, address, named):
    """A public suffix below a company's domain ends it: who rents a name there is another registrable domain."""
    who = candidate(11, linked=frozenset({address}), proven=frozenset())
    assert (match(company(Entry(domain=entry)), who, "linked", NOW) is not None) is named
    both = candidate(11, linked=frozenset({address, f"b@{entry}"}), proven=frozenset())
    assert (match(company(Entry(domain=entry)), both, "linked", NOW) is None) is (entry.startswith("x."))


def test_the_best_entry():
    """An entry in force beats an ended one; an account beats an address beats a domain."""
    entries = (Entry(domain="huawei.com"), Entry(email="ada@huawei.com"), Entry(account_id=11, until=NOW))
    assert match(company(*entries), ADA, "linked", NOW).code == "cla/company-email"


@pytest.mark.parametrize(
    ("own", "rulebook", "counts"),
    [
        (None, "linked", True),
        ("linked", "linked", True),
        ("enrolled", "linked", False),
        ("linked", "enrolled", False),
        (None, "enrolled", False),
    ],
)
def test_the_stricter_mode(own, rulebook, counts):
    """The company chooses, the rulebook sets the least."""
    assert (match(company(Entry(domain="huawei.com"), domains=own), ADA, rulebook, NOW) is not None) is counts


@pytest.mark.parametrize(("entry", "expected"), [
    (Entry(account_id=11), True), (Entry(account_id=12), False), (Entry(email="ADA@home.org"), True), (Entry(email="eve@home.org"), False),
    (Entry(), False), (Entry(domain="home.org"), True), (Entry(account_id=11, until=NOW), False), (Entry(account_id=11, since=NOW), True),
])  # fmt: skip
def test_exclusion(entry, expected):
    """An exclusion names an account or any of its addresses, for its time."""
    assert excludes(company(excluded=(entry,)), ADA, NOW) is expected


@pytest.mark.parametrize(("entries", "expected"), [
    ([Entry(account_id=11), Entry(account_id=12), Entry(email="ADA@home.org")], [0, 2]),
    ([Entry(domain="org"), Entry(domain="home.org"), Entry(domain="evilhome.org"), Entry(domain="Huawei.com.")], [1, 3]),
    ([Entry(), Entry(domain=""), Entry(email="")], []), ([Entry(email="ada@huawei.com"), Entry(domain="huawei.com"), Entry(account_id=11)], [0, 1, 2]),
])  # fmt: skip
def test_the_register(entries, expected):
    """A person finds the companies that name them, each with those entries alone and in their order."""
    firm, other = company(*entries, excluded=entries), company(Entry(account_id=99))
    found = list(Register([other, firm, other, firm]).about(ADA))
    wanted = tuple(entries[place] for place in expected)
    assert [(one.covers, one.excludes) for one in found] == ([(wanted, wanted)] * 2 if expected else [])
