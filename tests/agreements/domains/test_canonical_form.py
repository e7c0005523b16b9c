"""Domains and addresses: one spelling, whole strings, no look-alike."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agreements.domains import canonical_form
from agreements.github_server import GITHUB_COM

L63, L61 = "a" * 63, "a" * 61
D253 = f"{L63}.{L63}.{L63}.{L61}"
ONE_SPELLING = {
    "as it is": ("huawei.com", "huawei.com"), "capitals": ("HuaWei.COM", "huawei.com"), "one final dot": ("huawei.com.", "huawei.com"),
    "wide letters": ("ｈｕａｗｅｉ.com", "huawei.com"), "ideographic full stop": ("huawei。com", "huawei.com"), "wide full stop": ("huawei．com", "huawei.com"),
    "half-wide full stop": ("huawei｡com", "huawei.com"), "wide final label": ("huawei.ｃｏｍ", "huawei.com"), "mathematical letters": ("𝐡𝐮𝐚𝐰𝐞𝐢.com", "huawei.com"),
    "letters in circles": ("ⓗⓤⓐⓦⓔⓘ.com", "huawei.com"), "Kelvin sign": ("\u212aernel.org", "kernel.org"), "ligature": ("o\ufb03ce.com", "office.com"),
    "long s": ("\u017fuse.com", "suse.com"), "raised figure": ("h²o.com", "h2o.com"), "Chinese": ("华为.com", "xn--siqq7j.com"), "Chinese, with a final dot": ("华为.com.", "xn--siqq7j.com"),
    "Chinese suffix": ("华为.中国", "xn--siqq7j.xn--fiqs8s"), "A-label": ("xn--siqq7j.com", "xn--siqq7j.com"), "A-label in capitals": ("XN--SIQQ7J.com", "xn--siqq7j.com"),
    "A-label beside letters": ("华为.xn--fiqs8s", "xn--siqq7j.xn--fiqs8s"), "composed": ("b\u00fccher.de", "xn--bcher-kva.de"), "decomposed": ("bu\u0308cher.de", "xn--bcher-kva.de"),
    "accent in capitals": ("BÜCHER.de", "xn--bcher-kva.de"), "sharp s is no ss": ("faß.de", "xn--fa-hia.de"), "final sigma is no sigma": ("βόλος.gr", "xn--nxasmm1c.gr"),
    "Japanese": ("例え.jp", "xn--r8jz45g.jp"), "Korean": ("한국.kr", "xn--3e0b707e.kr"), "Hebrew": ("אבג.com", "xn--4dbcd.com"), "Arabic": ("مثال.com", "xn--mgbh0fb.com"),
    "many labels": ("a.b.c.d.example", "a.b.c.d.example"), "figures first": ("360.cn", "360.cn"), "figures in the last label": ("a.b1", "a.b1"), "figures but in the last": ("1.2.3.com", "1.2.3.com"),
    "inner hyphens": ("a-b--c.de", "a-b--c.de"), "hyphens in places two and three": ("a--b.de", "a--b.de"), "longest label": (f"{L63}.de", f"{L63}.de"), "longest name": (D253, D253),
    "longest name and a dot": (f"{D253}.", D253), "longest name that has to be folded": (f"华为.{L63}.{L63}.{L63}.{'a' * 50}", f"xn--siqq7j.{L63}.{L63}.{L63}.{'a' * 50}"),
}  # fmt: skip


@pytest.mark.parametrize(("text", "canonical"), ONE_SPELLING.values(), ids=ONE_SPELLING)
def test_a_domain_has_one_canonical_form(text, canonical):
    assert canonical_form.canonical_domain(text) == canonical
    assert canonical_form.canonical_domain(canonical) == canonical


NO_DOMAIN = {
    "empty": "", "a dot": ".", "single label": "com", "single label and a dot": "com.", "two final dots": "huawei.com..", "wide dot at the end": "huawei.com。", "empty label": "huawei..com",
    "leading dot": ".huawei.com", "leading hyphen": "-a.com", "trailing hyphen": "a-.com", "hyphen before the last dot": "a.com-", "IPv4": "1.2.3.4", "wide IPv4": "１.2.3.4", "IPv4 in brackets": "[1.2.3.4]",
    "IPv6": "2001:db8::1", "last label of figures": "a.123", "three labels, the last of figures": "a.b.123", "space": "a b.com", "leading space": " huawei.com", "wide space": "a\u3000b.com", "no-break space": "a\xa0b.com",
    "line feed": "huawei.com\n", "tab": "huawei.com\t", "NUL": "huawei.com\x00", "zero-width space": "hua\u200bwei.com", "zero-width joiner": "hua\u200dwei.com", "soft hyphen": "hua\u00adwei.com",
    "byte order mark": "\ufeffhuawei.com", "right to left": "hua\u202ewei.com", "variation selector": "hua\ufe0fwei.com", "later variation selector": "hua\U000e0100wei.com", "Hangul filler": "hua\u3164wei.com",
    "grapheme joiner": "hua\u034fwei.com", "half a surrogate pair": "\ud800.com", "wildcard": "*.huawei.com", "underscore": "a_b.com", "underscore beside another alphabet": "a_b.华为.com",
    "underscore in another alphabet": "华_为.com", "wide underscore": "a＿b.com", "not equal to": "a≠b.com", "at": "a@b.com", "slash": "huawei.com/x", "account of": "a℀b.com", "port": "huawei.com:25", "URL": "https://huawei.com",
    "per cent": "hua%77ei.com", "emoji": "💩.com", "only the mark of an A-label": "xn--.com", "A-label of nothing": "xn--zzzzzzzz.com", "A-label of letters alone": "xn--huawei-.com", "A-label of what folds": "xn--HUAWEI-5ve.com.xn--a",
    "hyphens in places three and four": "ab--cd.com", "both directions": "אa.com", "mark first": "\u0301a.com", "label too long": f"{L63}a.com", "folded label too long": "华" * 60 + ".com",
    "name too long": f"{D253}a", "name too long by a label": f"a.{D253}", "folded name too long": f"华为.{L63}.{L63}.{L63}.{'a' * 51}", "very many labels": "a." * 130 + "com", "very long": "a" * 100_000,
    "very long, in another alphabet": "华" * 100_000,
}  # fmt: skip


@pytest.mark.parametrize("text", NO_DOMAIN.values(), ids=NO_DOMAIN)
def test_a_text_that_is_not_a_domain_of_two_proper_labels_has_no_canonical_form(text):
    assert canonical_form.canonical_domain(text) is None
    assert canonical_form.canonical_address(f"a@{text}") is None
    assert canonical_form.canonical_address(f"é@{text}") is None


LOOK_ALIKES = {
    "Cyrillic a": "hu\u0430wei.com", "Greek alpha": "hu\u03b1wei.com", "Latin alpha": "hu\u0251wei.com", "Cyrillic all through": "\u04bb\u0446\u0430\u0461\u0435\u0456.com", "Turkish i": "huawe\u0131.com",
    "accent": "huáwei.com", "dot below": "huaw\u1eb9i.com", "figure one": "huawe1.com", "capital I for l": "huaweI1.com", "two v": "huavvei.com", "Cyrillic suffix": "huawei.\u0441om", "hyphen": "hua-wei.com",
    "Cyrillic A-label": "xn--huwei-5ve.com", "another suffix": "huawei.co", "suffix behind": "huawei.com.co", "letter before": "xhuawei.com", "letter behind": "huaweix.com",
}  # fmt: skip


@pytest.mark.parametrize("text", LOOK_ALIKES.values(), ids=LOOK_ALIKES)
def test_a_look_alike_domain_is_another_domain(text):
    assert canonical_form.canonical_domain(text) not in ("huawei.com", None)
    assert "huawei.com" not in canonical_form.domains_over(f"a@{text}", GITHUB_COM)


FULL = "b" * 64
ADDRESSES = {
    "capitals": ("Ada@Huawei.com", "ada@huawei.com"), "one final dot": ("ada@huawei.com.", "ada@huawei.com"), "tag": ("a+tag@x.org", "a+tag@x.org"), "star": ("a*@x.org", "a*@x.org"),
    "all signs of an atom": ("!#$%&'*+/=?^_`{|}~-@x.org", "!#$%&'*+/=?^_`{|}~-@x.org"), "inner dots": ("a.b.c@x.org", "a.b.c@x.org"), "figures": ("1@163.org", "1@163.org"), "hyphen first": ("-a-@x.org", "-a-@x.org"),
    "noreply": ("11+Ada@users.noreply.github.com", "11+ada@users.noreply.github.com"), "wide domain": ("ada@ｈｕａｗｅｉ。com", "ada@huawei.com"), "Chinese domain": ("a@华为.com", "a@xn--siqq7j.com"),
    "Chinese on both sides": ("华@华为.com", "华@xn--siqq7j.com"), "A-label": ("华@XN--siqq7j.com", "华@xn--siqq7j.com"), "accent": ("é@x.org", "é@x.org"), "accent, decomposed": ("E\u0301@x.org", "é@x.org"),
    "Turkish capital": ("İ@x.org", "i\u0307@x.org"), "Kelvin sign": ("\u212aa@x.org", "ka@x.org"), "final dot and accent": ("é@x.org.", "é@x.org"), "last label ends in a figure": ("é@x.a1", "é@x.a1"),
    "longest local part": (f"{FULL}@x.org", f"{FULL}@x.org"), "longest local part in octets": ("é" * 32 + "@x.org", "é" * 32 + "@x.org"), "longest": (f"{'c' * 62}@{D253[62:]}", f"{'c' * 62}@{D253[62:]}"),
}  # fmt: skip


@pytest.mark.parametrize(("text", "canonical"), ADDRESSES.values(), ids=ADDRESSES)
def test_a_valid_address_has_a_lower_case_canonical_form(text, canonical):
    assert canonical_form.canonical_address(text) == canonical
    assert canonical_form.canonical_address(canonical) == canonical
    assert canonical_form.domain_of(text) == canonical.partition("@")[2]


NO_ADDRESS = {
    "empty": "", "no at": "a", "nothing before": "@x.org", "nothing behind": "a@", "at alone": "@", "two": "a@b@x.org", "two in a row": "a@@x.org", "two, accent": "é@@x.org", "two domains": "a@x.org,b@x.org", "wide at": "a＠x.org",
    "quoted": '"a"@x.org', "quoted space": '"a b"@x.org', "quoted at": '"a@b"@x.org', "quoted accent": '"é"@x.org', "escaped": "a\\@b@x.org", "comment": "a(b)@x.org", "angle brackets": "<a@x.org>", "name and address": "A <a@x.org>",
    "mailto": "mailto:a@x.org", "single label": "a@x", "single label, accent": "é@x", "literal": "a@[1.2.3.4]", "literal, accent": "é@[1.2.3.4]", "IPv4": "a@1.2.3.4", "IPv4, accent": "é@1.2.3.4", "empty label": "a@x..org",
    "two final dots": "a@x.org..", "two final dots, accent": "é@x.org..", "wide final dot": "a@x.org。", "leading dot": ".a@x.org", "trailing dot": "a.@x.org", "double dot": "a..b@x.org", "leading dot, accent": ".é@x.org",
    "leading space": " a@x.org", "trailing space": "a@x.org ", "inner space": "a b@x.org", "line feed": "a@x.org\n", "line feed within": "a\n@x.org", "NUL": "a\x00@x.org", "NUL, accent": "é\x00@x.org",
    "zero-width space": "a\u200b@x.org", "zero-width space, accent": "é\u200b@x.org", "no-break space": "é\xa0@x.org", "variation selector": "é\ufe0f@x.org", "right to left": "a\u202e@x.org", "half a surrogate pair": "é\ud800@x.org",
    "a bot's": "49699333+dependabot[bot]@users.noreply.github.com", "local part too long": f"{FULL}b@x.org", "octets too many": "é" * 33 + "@x.org", "too long": f"{'c' * 63}@{D253[62:]}",
    "too long, accent": f"é{'c' * 61}@{D253[62:]}", "domain too long": "a@" + "b." * 130 + "org", "very long": "a" * 100_000 + "@x.org", "very long, accent": "é" * 100_000 + "@x.org",
}  # fmt: skip


@pytest.mark.parametrize("text", NO_ADDRESS.values(), ids=NO_ADDRESS)
def test_an_invalid_address_has_no_form_no_domain_and_no_entry_above_it(text):
    assert canonical_form.canonical_address(text) is None
    assert canonical_form.domain_of(text) is None
    assert canonical_form.domains_over(text, GITHUB_COM) == ()


OVER = {
    "itself": ("a@huawei.com", ("huawei.com",)), "those above": ("A@X.Rd.huawei.com.", ("x.rd.huawei.com", "rd.huawei.com", "huawei.com")), "www": ("a@www.huawei.com", ()), "below www": ("a@x.www.huawei.com", ("x.www.huawei.com",)),
    "www further up": ("a@a.b.www.c.huawei.com", ("a.b.www.c.huawei.com", "b.www.c.huawei.com")), "www as a name": ("a@www.com", ("www.com",)), "below www as a name": ("a@x.www.com", ("x.www.com", "www.com")), "no label but www": ("a@wwwx.huawei.com", ("wwwx.huawei.com", "huawei.com")),
    "noreply": ("1+a@users.noreply.github.com", ()), "its domain": ("a@noreply.github.com", ()), "no noreply": ("a@xnoreply.github.com", ("xnoreply.github.com", "github.com")), "another alphabet": ("a@研究.华为.com", ("xn--w8yu4c.xn--siqq7j.com", "xn--siqq7j.com")),
}  # fmt: skip


@pytest.mark.parametrize(("address", "over"), OVER.values(), ids=OVER)
def test_the_domains_over_an_address_end_at_label_boundaries_before_the_suffix(address, over):
    assert canonical_form.domains_over(address, GITHUB_COM) == over


REFUSED = {
    "ip-address": {"IPv4": "1.2.3.4", "IPv4 and a dot": "1.2.3.4.", "IPv4 in brackets": "[1.2.3.4]", "IPv6": "::1", "IPv6 in brackets": "[IPv6:::1]"},
    "single-label": {"host": "localhost", "host and a dot": "localhost.", "suffix": "com", "Chinese": "华为", "suffix of a company": "google"},
    "invalid": {"empty": "", "space": "a b.com", "wildcard": "*.huawei.com", "empty label": "huawei..com", "address": "a@huawei.com", "URL": "https://huawei.com", "figures": "a.123", "letter before an IP": "X1.2.3.4",
                "invisible": "hua\u200bwei.com", "dots": "..", "half an A-label": "xn--.com"},
    "www": {"www": "www.huawei.com", "www in capitals": "WWW.huawei.com."},
    "unknown-suffix": {"invalid": "corp.invalid", "internal": "corp.internal", "local": "corp.local", "made up": "huawei.con"},
    "public-suffix": {"com.cn": "com.cn", "co.uk": "CO.UK.", "ac.cn": "ac.cn", "province": "gd.cn", "github.io": "github.io", "gitlab.io": "gitlab.io", "cloudfront.net": "cloudfront.net", "blogspot": "blogspot.com", "amazon": "s3.amazonaws.com",
                      "wildcard rule": "x.ck", "wide": "ｃｏｍ.cn", "Chinese": "公司.cn", "Chinese A-label": "xn--55qx5d.cn", "Japanese city": "chiyoda.tokyo.jp", "vercel.app": "vercel.app"},
    "free-mail": {"gmail": "gmail.com", "QQ": "QQ.com", "QQ, below": "vip.qq.com", "163": "163.com", "126": "126.com", "yeah": "yeah.net", "188": "188.com", "foxmail": "foxmail.com", "139": "139.com", "189": "189.cn", "wo": "wo.cn", "aliyun": "aliyun.com",
                  "sina": "vip.sina.com", "sohu": "sohu.com", "outlook": "outlook.com", "wide": "ｇｍａｉｌ.com", "GMX": "gmx.de", "hey": "hey.com", "tuta": "tuta.com", "mailbox": "mailbox.org", "proton": "proton.me", "IEEE": "ieee.org",
                  "alumni": "alumni.stanford.edu", "below alumni": "cs.alumni.tsinghua.edu.cn", "alum": "alum.mit.edu", "noreply": "users.noreply.github.com"},
    "disposable": {"mailinator": "mailinator.com", "below it": "x.mailinator.com", "ten minutes": "10minutemail.com", "guerrilla": "guerrillamail.com"},
    "code-host": {"GitHub": "github.com", "GitLab": "GitLab.com.", "SourceForge": "users.sourceforge.net", "Gitee": "gitee.com"},
}  # fmt: skip
REASONS = {f"{reason}, {what}": (domain, reason) for reason, found in REFUSED.items() for what, domain in found.items()}


@pytest.mark.parametrize(("domain", "reason"), REASONS.values(), ids=REASONS)
def test_public_suffixes_free_mail_addresses_and_single_labels_belong_to_no_company(domain, reason):
    assert canonical_form.approvable(domain) == reason


COMPANIES = [
    "huawei.com", "huawei.com.cn", "rd.huawei.com", "h-partners.com", "hisilicon.com", "华为.com", "csdn.net", "tencent.com", "alibaba-inc.com",
    "alibaba.com", "linux.alibaba.com", "bytedance.com", "baidu.com", "jd.com", "meituan.com", "xiaomi.com", "oppo.com", "vivo.com", "zte.com.cn",
    "lenovo.com", "inspur.com", "kylinos.cn", "uniontech.com", "loongson.cn", "phytium.com.cn", "cambricon.com", "iflytek.com", "360.cn",
    "sohu-inc.com", "corp.netease.com", "chinamobile.com", "chinaunicom.cn", "chinatelecom.cn", "icbc.com.cn", "ict.ac.cn", "iscas.ac.cn",
    "tsinghua.edu.cn", "mails.tsinghua.edu.cn", "pku.edu.cn", "redhat.com", "suse.com", "suse.de", "siemens.com", "de.bosch.com", "sap.com",
    "intel.com", "amd.com", "nvidia.com", "arm.com", "us.ibm.com", "google.com", "linux.microsoft.com", "oss.qualcomm.com", "samsung.com",
    "navercorp.com", "kakaocorp.com", "linaro.org", "canonical.com", "yandex-team.ru", "zohocorp.com", "att.com", "verizon.com", "comcast.com",
    "cern.ch", "mit.edu", "nus.edu.sg", "cam.ac.uk", "fraunhofer.de", "toshiba.co.jp",
]  # fmt: skip


@pytest.mark.parametrize("domain", COMPANIES)
def test_real_companies_whose_names_contain_a_provider_s_may_hold_their_domains(domain):
    assert canonical_form.approvable(domain) is None


LETTERS = st.one_of(
    st.sampled_from("aAzZ09ß华为éÉ.@-_+ \"'\u200b\u0301\u0307İıſKςσ。．ｈｘ①ⅳ\u0430\u03b1אمक्ษ\u200d한\ufe0f\u034f"),
    st.characters(),
)
NAMES = st.lists(
    st.one_of(
        st.text(LETTERS, max_size=8),
        st.sampled_from(["xn--siqq7j", "xn--", "XN--Fa-hia", "huawei", "www", "com", "cn"]),
    ),
    max_size=5,
).map(".".join)


@settings(deadline=None)
@given(NAMES, st.text(LETTERS, max_size=8))
def test_a_canonical_form_is_its_own_canonical_form_for_any_input(name, local):
    for text, canonical in (
        (name, canonical_form.canonical_domain),
        (local, canonical_form.canonical_domain),
        (local, canonical_form.canonical_address),
        (f"{local}@{name}", canonical_form.canonical_address),
    ):
        once = canonical(text)
        assert once is None or canonical(once) == once
        assert once is None or once.rpartition("@")[2].isascii()
    over = canonical_form.domains_over(f"{local}@{name}", GITHUB_COM)
    assert all(longer.endswith(f".{shorter}") for longer, shorter in pairwise(over))
    canonical_form.approvable(name)


@settings(deadline=None)
@given(st.text(alphabet=st.sampled_from("aZ9.-+_*'\"@ (),"), max_size=20))
def test_ascii_addresses_that_are_accepted_parse_to_the_same_domain_by_a_real_parser(text):
    from email_validator import validate_email

    if (once := canonical_form.canonical_address(text)) is not None:
        parsed = validate_email(once, check_deliverability=False, globally_deliverable=False)
        assert f"{parsed.local_part}@{parsed.ascii_domain}" == once


@settings(deadline=None)
@given(st.text(alphabet=st.sampled_from("abxXnN09.-_"), max_size=12))
def test_the_fast_path_for_ascii_equals_uts_46_folding(text):
    if (once := canonical_form.canonical_domain(text)) is not None:
        assert canonical_form._folded(text.removesuffix(".")) == once


def test_parent_domains_end_before_the_last_label():
    assert canonical_form.with_parents("a.b.huawei.org") == ["a.b.huawei.org", "b.huawei.org", "huawei.org"]
    assert canonical_form.with_parents("huawei.org") == ["huawei.org"]
