"""The look of a domain: letters beside A-labels, scripts that don't belong together, the registered part."""

import pytest

from agreements.domains.canonical_form import canonical_domain
from agreements.domains.confusables import inspect_domain, mixed_words, skeleton


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
def test_a_look_alike_letter_is_a_warning_and_a_usual_mix_of_scripts_is_none(text, letters, mixed):
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
def test_the_registered_part_is_one_label_below_the_public_suffix(domain, suffix, registered):
    found = inspect_domain(domain)

    assert (found.suffix, found.registered) == (suffix, registered)


def test_an_invalid_a_label_stays_as_it_is():
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
def test_each_word_of_a_company_name_is_checked_for_mixed_scripts_by_itself(name, mixed):
    assert mixed_words(name) == mixed


@pytest.mark.parametrize(
    ("name", "other", "same"),
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
def test_names_that_look_the_same_are_found_in_any_script_case_and_punctuation(name, other, same):
    assert (skeleton(name) == skeleton(other)) is same


def test_a_name_without_letters_looks_like_no_other():
    assert skeleton(" - ") == ""
