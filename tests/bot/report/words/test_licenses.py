"""The check of licences speaks both languages about everything that can come up."""

import csv
import re
import string
from pathlib import Path

import pytest

from audit.facts import Delivery, Judgement, LicenseVerdict, Usage
from audit.licenses import osadl
from audit.rules.expression_compatibility import judge
from audit.verdict.advice import BY_RULE
from bot.report.words.licenses import advice, book, finding, phrase, reason, word

ROOT = Path(__file__).parents[4]
DOCS = ROOT / "docs" / "reference"


def column(table, name):
    """That column of a table of the reference."""
    with (DOCS / table).open(encoding="utf-8", newline="") as lines:
        return [row[name] for row in csv.DictReader(lines)]


RULES = column("license-rules.csv", "rule")
FINDINGS = column("findings.csv", "code")


def values(template):
    """The names that a template asks for."""
    return {name for _, name, _, _ in string.Formatter().parse(template) if name}


def judged(rule, verdict=LicenseVerdict.INCOMPATIBLE):
    """A judgement by that rule."""
    return Judgement(verdict=verdict, rule=rule, basis="osadl", reason="so it is", data_version="2024-11-04")


def test_both_languages_say_the_same_things():
    english, chinese = book("en"), book("zh")
    for section in ("page", "night", "verdict", "usage"):
        assert {key: values(said) for key, said in english[section].items()} == {
            key: values(said) for key, said in chinese[section].items()
        }


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_verdict_and_usage_has_its_word(language):
    assert set(book(language)["verdict"]) == set(LicenseVerdict)
    assert set(book(language)["usage"]) == set(Usage)
    assert word(language, "verdict", LicenseVerdict.REVIEW).startswith("🔍")


def test_every_rule_has_a_sentence_in_chinese():
    assert len(RULES) > 20
    assert set(book("zh")["reason"]) == set(RULES)
    assert set(book("zh")["advice"]) == set(BY_RULE)


def test_every_finding_has_a_sentence_in_chinese():
    assert len(FINDINGS) > 15
    assert set(book("zh")["finding"]) == set(FINDINGS)
    assert finding("zh", "file/missing") == "文件引用了不存在的文件"
    assert (finding("en", "file/missing"), finding("zh", "new/code")) == ("", "")


def test_english_reasons_are_the_audits_and_chinese_ones_name_both_licences():
    judgement = judged("osadl/incompatible")
    assert reason("en", judgement, "`A`", "`B`", own="so it is") == "so it is"
    assert reason("zh", judgement, "`A`", "`B`", own="so it is") == "`A` 不能以这种方式用于 `B` 的项目"


@pytest.mark.parametrize(
    "pair",
    [("GPL-2.0-or-later", "Apache-2.0", "GPL-3.0-or-later"), ("GPL-2.0-or-later", "CC-BY-SA-4.0", "GPL-3.0-only")],
)
def test_the_chinese_reason_names_the_other_licence_of_the_advice(pair):
    outbound, inbound, other = pair
    found = judge(outbound, inbound, Usage.SOURCE_MERGED, Delivery.BINARY, osadl.shipped())
    assert found.rule == "copyleft/upgrade"
    assert f"`{other}`" in reason("zh", found, f"`{inbound}`", f"`{outbound}`", own=found.reason)


def test_every_conversion_from_lgpl_to_gpl_is_named():
    data, seen = osadl.shipped(), 0
    for outbound in data.names:
        for inbound in ("LGPL-2.0-only", "LGPL-2.1-only", "LGPL-2.1-or-later"):
            found = judge(outbound, inbound, Usage.BUNDLED, Delivery.BINARY, data)
            if found.rule == "copyleft/conversion":
                seen += 1
                assert re.search(r"可并入的 `GPL-[\w.-]+`", reason("zh", found, "`a`", "`b`", own=found.reason))
    assert seen


def test_a_verdict_that_fits_has_no_advice():
    assert advice("en", judged("osadl/incompatible")).startswith("Replace it")
    assert advice("zh", judged("osadl/incompatible")).startswith("更换该依赖")
    assert advice("zh", judged("usage/tool", LicenseVerdict.NOT_APPLICABLE)) == ""
    assert advice("zh", judged("another/rule")) == "Ask a lawyer."


def test_a_phrase_is_filled_with_its_values():
    assert phrase("en", "problems", count="2") == "2 problems"


@pytest.mark.parametrize("english", book("zh")["failure"])
def test_each_failure_is_one_that_the_code_stores(english):
    """Else its Chinese would never be shown."""
    code = "".join(
        path.read_text(encoding="utf-8") for name in ("flows", "github") for path in (ROOT / "bot" / name).rglob("*.py")
    )
    assert re.split(r"\{\w+\}", english)[0] in code
