"""The look of a domain: letters beside A-labels, scripts that don't belong together, the registered part."""

import pytest

from agreements.domains.confusables import inspect_domain, mixed_words, skeleton
from agreements.domains.domains import canonical_domain


@pytest.mark.parametrize(
    ("text", "letters", "mixed"),
    [
        ("huawei.com", "huawei.com", ()),
        ("huаwei.com", "huаwei.com", ("huаwei",)),  # a Cyrillic а
        ("华为.com", "华为.com", ()),
        ("华为cloud.cn", "华为cloud.cn", ()),
        ("bücher.example.de", "bücher.example.de", ()),
        ("ηuawei.com", "ηuawei.com", ("ηuawei",)),  # a Greek eta
        ("яндекс.рф", "яндекс.рф", ()),
        ("日本語ひらカナa.jp", "日本語ひらカナa.jp", ()),
        ("ソニー.jp", "ソニー.jp", ()),
        ("x1-2.org", "x1-2.org", ()),
    ],
)
def test_letters_and_scripts(text, letters, mixed):
    """A word in one script, or in scripts that one language mixes, is no warning; a look-alike letter is."""
    found = inspect_domain(canonical_domain(text))

    assert (found.letters, found.mixed) == (letters, mixed)
    assert found.domain.isascii()


@pytest.mark.parametrize(
    ("domain", "suffix", "registered"),
    [
        ("huawei.com", "com", "huawei.com"),
        ("rd.cloud.huawei.com", "com", "huawei.com"),
        ("dev.example.co.uk", "co.uk", "example.co.uk"),
        ("a.b.github.io", "github.io", "b.github.io"),
        ("co.uk", "co.uk", "co.uk"),
        ("a.nosuchsuffix", "", "a.nosuchsuffix"),
    ],
)
def test_the_registered_part(domain, suffix, registered):
    """One label below the public suffix."""
    found = inspect_domain(domain)

    assert (found.suffix, found.registered) == (suffix, registered)


def test_what_is_no_a_label_stays_as_it_is():
    """It cannot be read in letters."""
    assert inspect_domain("xn--zz-----------.com").letters == "xn--zz-----------.com"


@pytest.mark.parametrize(
    ("name", "mixed"),
    [
        ("Huawei", ()),
        ("Huаwei Technologies", ("Huаwei",)),  # a Cyrillic а
        ("Huawei Τechnologies", ("Τechnologies",)),  # a Greek capital tau
        ("华为技术有限公司", ()),
        ("华为Huawei技术", ()),
        ("Яндекс", ()),
        ("キヤノンITソリューションズ", ()),
        ("佐々木工業", ()),
        ("Hawaiʻi Corp", ()),
        ("Müller & Söhne GmbH", ()),
        ("Société L’Oréal", ()),
        ("삼성전자 SDS", ()),
        ("Softwareー", ()),  # any Japanese word may have Latin letters
        ("Яー", ("Яー",)),
        ("Yandex Яндекс", ()),  # two words, each in its own script
        ("ｆｕｌｌ Width", ()),
        ("3M & Co., 2026", ()),
        ("", ()),
    ],
)
def test_the_words_of_a_name(name, mixed):
    """Each word by itself: a look-alike letter inside is named, Chinese with Latin letters is not."""
    assert mixed_words(name) == mixed


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("Huawei", "Huаwei", True),  # a Cyrillic а
        ("Huawei", "HUAWEI", True),
        ("Huawei", "Hua-wei", True),
        ("Huawei", "Hua\u200bwei", True),
        ("Huawei", "Ηuawei", True),  # a Greek capital eta
        ("Intel", "lntel", True),  # a small L
        ("Google", "G00gle", True),
        ("SAP", "ЅАР", True),  # Cyrillic throughout
        ("Huawei", "Ｈｕａｗｅｉ", True),
        ("Huawei", "Huawai", False),
        ("华为", "华力", False),
        ("Acme", "Acme Labs", False),
    ],
)
def test_names_that_look_the_same(one, other, same):
    """By their letters, whatever the script, the case and what stands between them."""
    assert (skeleton(one) == skeleton(other)) is same


def test_a_name_without_letters_looks_like_nothing():
    """So it is no look-alike of another one."""
    assert skeleton(" - ") == ""
