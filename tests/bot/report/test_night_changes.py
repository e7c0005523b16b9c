"""What changed in a night reads as a list, in English and in Chinese."""

import json
from dataclasses import replace

import pytest

from audit.facts import ChangeCause, Delivery, Usage
from audit.output.audit_run import build
from audit.output.json_reports import report
from audit.output.nightly_changes import changes
from bot.report.night_changes import markdown
from bot.report.words.licenses import book
from tests.audit.runs import AT, audited, used


def night(*audits):
    """A parsed report.json."""
    return json.loads(report(build(audits, AT)))


def lines(before, after, language):
    """What the night between these two tells."""
    return markdown(changes(night(before), night(after)), language).splitlines()


MIT, GPL = (used("c", name, Usage.VENDORED) for name in ("MIT", "GPL-2.0-only"))


@pytest.mark.parametrize(
    ("before", "after", "english", "chinese"),
    [
        (
            audited(MIT),
            audited(GPL),
            "new violation: org/work: **c** (licence MIT → GPL-2.0-only) because of the licence: compatible → incompatible (",
            "新违规：org/work：**c**（许可证：MIT → GPL-2.0-only）因许可证有变化，由“兼容”变为“不兼容”（`GPL-2.0-only` 不能",
        ),
        (
            audited(GPL),
            audited(used("c", "GPL-2.0-only", Usage.BUILD_TOOL)),
            "mended: org/work: **c** (usage vendored → build-tool) because of the way it is used: incompatible → ",
            "已解决：org/work：**c**（使用方式：随源码附带 → 构建工具）因使用方式有变化，由“不兼容”变为“不适用”（只作为工具",
        ),
        (audited(), audited(MIT), "org/work: **c** 1.2.0 is new: compat", "org/work：**c** 1.2.0 为新增依赖：“兼容”（"),
        (audited(MIT), audited(), "org/work: **c** 1.2.0 is no longer used", "org/work：**c** 1.2.0 已不再使用"),
        (
            audited(MIT),
            audited(MIT, license_id=None),
            "new violation: org/work: **its own licence** the licence of the work itself is not known",
            "新违规：org/work：**自身的许可证**未知：`the licence of the work itself is not known",
        ),
        (
            audited(MIT, license_id=None),
            audited(MIT),
            "mended: org/work: **its own licence** is known",
            "已解决：org/work：**自身的许可证**现已明确",
        ),
    ],
)
def test_a_change_is_told_in_both_languages(before, after, english, chinese):
    assert lines(before, after, "en")[0].startswith(f"- {english}")
    assert lines(before, after, "zh")[0].startswith(f"- {chinese}")


def test_a_long_list_is_cut_and_an_empty_one_is_empty():
    found = changes(night(audited()), night(audited(MIT, replace(GPL, name="d"), replace(GPL, name="e"))))

    assert markdown(found, "en", 1).splitlines()[-1] == "- and 2 more, see report.json"
    assert markdown(found, "zh", 1).splitlines()[-1] == "- 另有 2 项，请查看 report.json"
    assert markdown((), "zh") == ""


def test_every_cause_and_delivery_has_its_words():
    words = set(book("zh")["night"])

    assert {f"cause-{cause}" for cause in ChangeCause} | {f"delivery-{delivery}" for delivery in Delivery} <= words
