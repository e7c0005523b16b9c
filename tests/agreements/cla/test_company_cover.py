"""The entries by which a company covers or excludes an account."""

from datetime import UTC, datetime

import pytest
from email_validator import validate_email
from hypothesis import given, settings
from hypothesis import strategies as st
from publicsuffixlist import PublicSuffixList

from agreements.cla.company_cover import CompanyIndex, CompanyMatch, candidate, excludes, match
from agreements.facts import Company, Entry
from agreements.github_server import GITHUB_COM

NOW = datetime(2026, 11, 21, tzinfo=UTC)
ADA = candidate(11, linked=frozenset({"ada@huawei.com"}), proven=frozenset({"ada@home.org"}), server=GITHUB_COM)


def company(*covers, domains=None, excluded=()):
    return Company(
        name="H", agreement="ccla", version="2.0", signed_at=NOW, domains=domains, covers=covers, excludes=excluded
    )


@pytest.mark.parametrize(("entry", "mode", "expected"), [
    (Entry(account_id=11), "enrolled", CompanyMatch("cla/company-account", "", ended=False)), (Entry(account_id=12), "linked", None), (Entry(), "linked", None),
    (Entry(email="ada@huawei.com"), "linked", CompanyMatch("cla/company-email", "a…a@huawei.com", ended=False)), (Entry(email="ada@huawei.com"), "enrolled", None),
    (Entry(domain="HUAWEI.com"), "linked", CompanyMatch("cla/company-domain", "huawei.com", ended=False)), (Entry(domain="home.org"), "enrolled", CompanyMatch("cla/company-domain", "home.org", ended=False)),
    (Entry(account_id=11, until=NOW), "linked", CompanyMatch("cla/company-account", "", ended=True)),
])  # fmt: skip
def test_an_entry_matches_by_its_own_key_and_the_addresses_that_its_mode_counts(entry, mode, expected):
    assert match(company(entry), ADA, mode, NOW) == expected


LABELS = {
    "itself": ("huawei.com", True, "a@huawei.com", True), "in capitals": ("huawei.com", True, "A@HUAWEI.COM.", True), "both in capitals": ("HUAWEI.com", True, "a@hUAWEI.com", True), "below": ("Huawei.com.", True, "a@rd.huawei.com", True),
    "further below": ("huawei.com", True, "a@x.rd.huawei.com", True), "itself alone": ("huawei.com", False, "a@huawei.com", True), "below, not asked for": ("huawei.com", False, "a@rd.huawei.com", False),
    "suffix behind": ("huawei.com", True, "a@huawei.com.cn", False), "letters before": ("huawei.com", True, "a@evilhuawei.com", False), "hyphen before": ("huawei.com", True, "a@evil-huawei.com", False), "domain behind": ("huawei.com", True, "a@huawei.com.evil.org", False),
    "any letter for the dot": ("huawei.com", True, "a@huaweiXcom", False), "any letter for an inner dot": ("huawei.com.cn", True, "a@huawei-com.cn", False), "www": ("huawei.com", True, "a@www.huawei.com", False), "below www": ("huawei.com", True, "a@x.www.huawei.com", False),
    "www for itself": ("www.huawei.com", True, "a@www.huawei.com", False), "Cyrillic": ("huawei.com", True, "a@hu\u0430wei.com", False), "Cyrillic, below": ("huawei.com", True, "a@rd.hu\u0430wei.com", False), "Cyrillic entry": ("hu\u0430wei.com", True, "a@huawei.com", False),
    "zero-width space": ("huawei.com", True, "a@hua\u200bwei.com", False), "soft hyphen": ("huawei.com", True, "a@hua\u00adwei.com", False), "variation selector": ("huawei.com", True, "é@hua\ufe0fwei.com", False), "line feed": ("huawei.com", True, "a@huawei.com\n", False),
    "wide letters": ("huawei.com", True, "a@ｈｕａｗｅｉ.com", True), "wide entry": ("ｈｕａｗｅｉ。com", True, "a@huawei.com", True), "A-label": ("华为.com", True, "a@xn--siqq7j.com", True), "entry as A-label": ("xn--siqq7j.com", True, "a@rd.华为.com", True),
    "Chinese local part": ("华为.com", True, "华@rd.华为.com", True), "sharp s": ("fass.de", True, "a@faß.de", False), "wildcard": ("*.huawei.com", True, "a@rd.huawei.com", False), "wildcard alone": ("*", True, "a@huawei.com", False), "wildcard, itself": ("*.huawei.com", True, "a@huawei.com", False), "leading dot": (".huawei.com", True, "a@rd.huawei.com", False), "a dot alone": (".", True, "a@huawei.com", False), "below a company's suffix": ("corp.com.cn", True, "a@evil.com.cn", False), "at": ("@huawei.com", True, "a@huawei.com", False),
    "regular expression": (".*", True, "a@huawei.com", False), "one of two": ("huawei.com|evil.org", True, "a@evil.org", False), "any two letters": ("h??wei.com", True, "a@huawei.com", False), "a class of letters": ("[a-z]+.com", True, "a@huawei.com", False), "suffix": ("com", True, "a@huawei.com", False), "nothing": ("", True, "a@huawei.com", False), "no address": ("huawei.com", True, "", False), "two at": ("huawei.com", True, "a@b@huawei.com", False),
    "quoted at": ("huawei.com", True, '"a@huawei.com"@evil.org', False), "name and address": ("huawei.com", True, "A <a@huawei.com>", False), "no local part": ("huawei.com", True, "@huawei.com", False), "no at": ("huawei.com", True, "huawei.com", False), "local part alone": ("huawei.com", True, "huawei.com@evil.org", False),
    "above": ("rd.huawei.com", True, "a@huawei.com", False), "beside": ("rd.huawei.com", True, "a@hr.huawei.com", False), "no label": ("huawei.com", True, "a@-.huawei.com", False), "IP address": ("127.0.0.1", True, "a@127.0.0.1", False), "single label": ("localhost", True, "a@localhost", False), "below www for itself": ("x.www.huawei.com", True, "a@x.www.huawei.com", True),
    "www for what is below": ("www.huawei.com", True, "a@x.www.huawei.com", False), "www as a name": ("www.com", True, "a@www.com", True), "www further up": ("huawei.com", True, "a@a.x.www.b.huawei.com", False),
    "noreply": ("github.com", True, "11+ada@users.noreply.github.com", False), "noreply's domain": ("github.com", True, "a@noreply.github.com", False), "noreply for itself": ("users.noreply.github.com", True, "11+ada@users.noreply.github.com", False),
    "noreply in capitals": ("GITHUB.com.", True, "a@Users.NoReply.github.com.", False), "GitHub's people": ("github.com", True, "a@github.com", True), "no noreply": ("notnoreply.github.com", True, "a@notnoreply.github.com", True),
}  # fmt: skip


@pytest.mark.parametrize(("entry", "subdomains", "address", "expected"), LABELS.values(), ids=LABELS)
def test_a_domain_entry_matches_its_domain_and_subdomains_only_if_allowed(entry, subdomains, address, expected):
    who = candidate(11, linked=frozenset({address}), proven=frozenset(), server=GITHUB_COM)
    named = company(Entry(account_id=11), excluded=(Entry(domain=entry, subdomains=subdomains),))
    (found,) = CompanyIndex([named]).about(who)
    assert excludes(found, who, NOW) is expected


RENTED = {
    "itself": ("amazonaws.com", "a@amazonaws.com", True), "below": ("amazonaws.com", "a@mail.amazonaws.com", True), "a tenant": ("amazonaws.com", "a@ec2-1.compute-1.amazonaws.com", False), "another tenant": ("amazonaws.com", "a@x.s3.amazonaws.com", False),
    "no tenants": ("huawei.com", "a@x.rd.huawei.com", True), "a department": ("rd.huawei.com", "a@rd.huawei.com", True), "the tenant's own": ("me.github.io", "a@x.me.github.io", True), "a tenant for itself": ("x.compute-1.amazonaws.com", "a@x.compute-1.amazonaws.com", False),
    "suffix of no list": ("corp.internal", "a@rd.corp.internal", True),
}  # fmt: skip


@pytest.mark.parametrize(("entry", "address", "named"), RENTED.values(), ids=RENTED)
def test_a_company_domain_does_not_cover_names_rented_below_a_public_suffix(entry, address, named):
    """The tenant of a name below a public suffix owns another registrable domain."""
    who = candidate(11, linked=frozenset({address}), proven=frozenset(), server=GITHUB_COM)
    assert (match(company(Entry(domain=entry)), who, "linked", NOW) is not None) is named
    both = candidate(11, linked=frozenset({address, f"b@{entry}"}), proven=frozenset(), server=GITHUB_COM)
    assert (match(company(Entry(domain=entry)), both, "linked", NOW) is None) is (entry.startswith("x."))


def test_an_active_entry_beats_an_ended_one_and_an_account_beats_an_address_beats_a_domain():
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
def test_the_stricter_of_the_modes_of_company_and_rulebook_decides(own, rulebook, counts):
    assert (match(company(Entry(domain="huawei.com"), domains=own), ADA, rulebook, NOW) is not None) is counts


@pytest.mark.parametrize(("entry", "expected"), [
    (Entry(account_id=11), True), (Entry(account_id=12), False), (Entry(email="ADA@home.org"), True), (Entry(email="eve@home.org"), False),
    (Entry(), False), (Entry(domain="home.org"), True), (Entry(account_id=11, until=NOW), False), (Entry(account_id=11, since=NOW), True),
])  # fmt: skip
def test_an_exclusion_names_an_account_or_any_of_its_addresses_for_its_time(entry, expected):
    assert excludes(company(excluded=(entry,)), ADA, NOW) is expected


@pytest.mark.parametrize(("entries", "expected"), [
    ([Entry(account_id=11), Entry(account_id=12), Entry(email="ADA@home.org")], [0, 2]),
    ([Entry(domain="org"), Entry(domain="home.org"), Entry(domain="evilhome.org"), Entry(domain="Huawei.com.")], [1, 3]),
    ([Entry(), Entry(domain=""), Entry(email="")], []), ([Entry(email="ada@huawei.com"), Entry(domain="huawei.com"), Entry(account_id=11)], [0, 1, 2]),
])  # fmt: skip
def test_the_register_finds_the_companies_that_name_a_person_with_those_entries_in_order(entries, expected):
    firm, other = company(*entries, excluded=entries), company(Entry(account_id=99))
    found = list(CompanyIndex([other, firm, other, firm]).about(ADA))
    wanted = tuple(entries[place] for place in expected)
    assert [(record.covers, record.excludes) for record in found] == ([(wanted, wanted)] * 2 if expected else [])


REGISTRABLE = PublicSuffixList(accept_unknown=True).privatesuffix
PIECES = st.sampled_from(["huawei", "evilhuawei", "ｈｕａｗｅｉ", "hu\u0430wei", "华为", "xn--siqq7j", "HUAWEI", "www", "rd", "x", "s3", "compute-1", "amazonaws", "github", "noreply", "me",
                          "com", "cn", "co", "uk", "io", "net", "ck", "公司", "中国", "\u200b", "\u0430", "é", "-", "1", ""])  # fmt: skip
HOSTS = st.one_of(
    st.lists(PIECES, min_size=1, max_size=5).map(".".join),
    st.tuples(PIECES, st.sampled_from(["", ".", "。", "．", "-"]), st.sampled_from(["huawei.com", "华为.com", "amazonaws.com", "x.co.uk", "me.github.io", "HUAWEI.com."])).map("".join),
)  # fmt: skip


BEFORE = st.one_of(st.just(""), PIECES.map("{}.".format), PIECES, st.text(max_size=4))
STARTS = st.sampled_from(["a@", "é@", "A.b@", "a@x.", "a@b@", '"a@', "@", "a＠"])


@pytest.mark.slow
@settings(deadline=None)
@given(HOSTS, BEFORE, STARTS, HOSTS, st.booleans())
def test_an_entry_never_covers_an_address_of_another_registrable_domain(entry, before, start, host, own):
    address = f"{start}{before}{entry if own else host}"
    who = candidate(11, linked=frozenset({address}), proven=frozenset(), server=GITHUB_COM)
    if match(company(Entry(domain=entry)), who, "linked", NOW) is None:
        return
    there, here = (
        validate_email(mail.removesuffix("."), check_deliverability=False, globally_deliverable=False).ascii_domain
        for mail in (address, f"a@{entry}")
    )
    assert REGISTRABLE(there.lower()) == REGISTRABLE(here.lower()) is not None
    assert f".{there}".lower().endswith(f".{here}".lower())
