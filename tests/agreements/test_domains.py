"""Domains and addresses: one spelling, whole strings, no look-alike."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agreements import domains


@pytest.mark.parametrize(("text", "canonical"), [
    ("huawei.com", "huawei.com"), ("HuaWei.COM", "huawei.com"), ("huawei.com.", "huawei.com"),
    ("ｈｕａｗｅｉ.com", "huawei.com"), ("huawei。com", "huawei.com"), ("华为.com", "xn--siqq7j.com"),
    ("faß.de", "xn--fa-hia.de"), ("xn--siqq7j.com", "xn--siqq7j.com"), ("XN--SIQQ7J.com", "xn--siqq7j.com"),
    ("bu\u0308cher.de", "xn--bcher-kva.de"), ("a.b.c.d.example", "a.b.c.d.example"),
])  # fmt: skip
def test_one_spelling(text, canonical):
    """NFC, UTS 46, lower case, one final dot off: the same domain has one canonical form."""
    assert domains.canonical_domain(text) == canonical


@pytest.mark.parametrize("text", [
    "", ".", "com", "huawei.com..", "huawei..com", ".huawei.com", "-a.com", "a-.com", "1.2.3.4", "a.123", "a b.com", " huawei.com",
    "huawei.com\n", "hua\u200bwei.com", "hua\u00adwei.com", "huawei.com\x00", "*.huawei.com", "a_b.com", "a@b.com", "xn--.com",
    "xn--zzzzzzzz.com", "ab--cd.com", "a" * 64 + ".com", "a." * 130 + "com", "\ud800.com", "huawei.com。", "[1.2.3.4]",
])  # fmt: skip
def test_no_domain(text):
    """What is not a domain of two or more proper labels has no canonical form."""
    assert domains.canonical_domain(text) is None


def test_a_look_alike_stays_another():
    """A Cyrillic letter makes another domain."""
    assert domains.canonical_domain("hu\u0430wei.com") == "xn--huwei-5ve.com"


@pytest.mark.parametrize(("text", "canonical"), [
    ("Ada@Huawei.com", "ada@huawei.com"), ("ada@huawei.com.", "ada@huawei.com"), ("a+tag@x.org", "a+tag@x.org"),
    ("11+ada@users.noreply.github.com", "11+ada@users.noreply.github.com"), ("华@华为.com", "华@xn--siqq7j.com"),
    ("49699333+dependabot[bot]@users.noreply.github.com", None), ("a*@x.org", "a*@x.org"),
    ("", None), ("a", None), ("@x.org", None), ("a@b@x.org", None), ('"a b"@x.org', None), ('"a"@x.org', None), ("a@", None),
    ("a@x", None), ("a@[1.2.3.4]", None), ("a@x..org", None), ("a@x.org..", None), (".a@x.org", None), ("a.@x.org", None),
    ("a..b@x.org", None), (" a@x.org", None), ("a@x.org ", None), ("a@x.org\n", None), ("a\x00@x.org", None),
    ("a\u200b@x.org", None), ("<a@x.org>", None), ("a" * 65 + "@x.org", None), ("a@" + "b." * 130 + "org", None),
    ("é\ud800@x.org", None), ("é@x.org", "é@x.org"), ("E\u0301@x.org", "é@x.org"), ("é@@x.org", None), ('"é"@x.org', None),
])  # fmt: skip
def test_addresses(text, canonical):
    """A valid address has both parts lower-cased; any other counts for nothing."""
    assert domains.canonical_address(text) == canonical


@given(st.text(alphabet=st.sampled_from('aAzß华é.@-_+ "\u200b\u0301İ。ｈx1'), max_size=24))
def test_canonical_is_final(text):
    """Canonicalising never raises and never changes what it made itself."""
    for canonical in (domains.canonical_domain, domains.canonical_address):
        once = canonical(text)
        assert once is None or canonical(once) == once


@given(st.text(max_size=40))
def test_anything_may_come(text):
    """No text makes these raise."""
    once = domains.canonical_address(text)
    assert once is None or domains.canonical_address(once) == once
    domains.approvable(text)
    assert "@" not in text or len(text) < 2 or domains.masked_text(text) is not None


@given(st.text(alphabet=st.sampled_from("aZ9.-+_*'\"@ (),"), max_size=20))
def test_ascii_rules_are_the_parser_s(text):
    """The quick way for ASCII admits no address that a real address parser refuses."""
    from email_validator import validate_email

    if (once := domains.canonical_address(text)) is not None:
        validate_email(once, check_deliverability=False, globally_deliverable=False)


@pytest.mark.parametrize(("domain", "reason"), [
    ("huawei.com", None), ("huawei.com.cn", None), ("华为.com", None), ("rd.huawei.com", None), ("csdn.net", None),
    ("com.cn", "public-suffix"), ("co.uk", "public-suffix"), ("github.io", "public-suffix"), ("cloudfront.net", "public-suffix"),
    ("gmail.com", "free-mail"), ("QQ.com", "free-mail"), ("vip.qq.com", "free-mail"), ("163.com", "free-mail"), ("wo.cn", "free-mail"),
    ("hey.com", "free-mail"), ("ieee.org", "free-mail"), ("alumni.stanford.edu", "free-mail"), ("cs.alumni.tsinghua.edu.cn", "free-mail"),
    ("users.noreply.github.com", "free-mail"), ("github.com", "code-host"), ("GitLab.com.", "code-host"), ("users.sourceforge.net", "code-host"), ("mailinator.com", "disposable"), ("x.mailinator.com", "disposable"),
    ("1.2.3.4", "ip-address"), ("[1.2.3.4]", "ip-address"), ("::1", "ip-address"), ("[IPv6:::1]", "ip-address"),
    ("localhost", "single-label"), ("com", "single-label"), ("www.huawei.com", "www"), ("corp.invalid", "unknown-suffix"),
    ("", "invalid"), ("a b.com", "invalid"), ("*.huawei.com", "invalid"), ("huawei..com", "invalid"),
])  # fmt: skip
def test_what_a_company_may_hold(domain, reason):
    """Public suffixes, mail for everybody, addresses and single labels are nobody's."""
    assert domains.approvable(domain) == reason


@pytest.mark.parametrize(("address", "shown"), [
    ("alice@huawei.com", "a…e@huawei.com"), ("bo@x.org", "b…@x.org"), ("b@x.org", "b…@x.org"), ("", ""), ("@x.org", "…@x.org"),
    ("nobody", "n…y"), ("a@b@x.org", "a…b@x.org"), ("ad\u200b@x.org", "a…\\u200b@x.org"), ("ada@x\n.org", "a…a@x\\n.org"),
    ("ada＠x.org", "a…a@x.org"), ("ada﹫x.org", "a…a@x.org"),
])  # fmt: skip
def test_masked(address, shown):
    """First and last character around an ellipsis; only the first of two or one."""
    assert domains.masked(address) == shown


def test_masked_text():
    """Every address in free text is masked, also inside brackets and names, and masking again changes nothing."""
    text = "Signed-off-by:ada@x.org <ada@x.org>,bo@y.org 张三＠x.org"
    shown = "Signed-off-by:a…a@x.org <a…a@x.org>,b…@y.org 张…@x.org"
    assert domains.masked_text(text) == domains.masked_text(shown) == shown


@pytest.mark.parametrize(("text", "expected"), [
    ("ada@x.org", True), ("fix-for-ada@x.org/2", True), ("a;ada@x.org;b", True), ("ada＠x.org", True), ("v@1@x.org.", True), ("Ada@X.ORG", True),
    ("main", False), ("release@2.0", False), ("v1@main", False), ("@", False), ("", False), ("x.org", False), ("pkg@1.2.3-rc.1", False),
])  # fmt: skip
def test_names_mailbox(text, expected):
    """What names a mailbox is told from a version behind an at sign."""
    assert domains.names_mailbox(text) is expected


@pytest.mark.parametrize(("text", "shown"), [
    ("Ada Löf", "Ada Löf"), ("张三", "张三"), ("A\u200bda", "A\\u200bda"), ("A\xa0b", "A\\xa0b"), ("a\u202eb", "a\\u202eb"),
    ("\u3164", "\\u3164"), ("a\ufe0fb", "a\\ufe0fb"), ("\U000e0041", "\\U000e0041"), ("tab\t", "tab\\t"), ("\ud800", "\\ud800"),
])  # fmt: skip
def test_visible(text, shown):
    """What shows nothing is written as an escape; letters of any script stay."""
    assert domains.visible(text) == shown
