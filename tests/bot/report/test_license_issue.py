"""The issue for violations says the same for the same ones, in the languages asked for, and never acts by strangers' words."""

from dataclasses import replace

import pytest

from audit.facts import Cell, Learned, LicenseVerdict, Source, Unknown, Usage
from bot.report.license_issue import MARKER, issue
from tests.audit.runs import MYSTERY, READLINE, UPX, audited, used

WORK = audited(READLINE, MYSTERY, UPX)
FAILING = tuple(
    cell
    for cell in WORK.cells
    if cell.judgement.verdict in (LicenseVerdict.INCOMPATIBLE, LicenseVerdict.UNKNOWN_LICENSE)
)
ROW_IN_CHINESE = (
    "| ⛔ 不兼容 | `readline` | `1.2.0` | `GPL-3.0-or-later` | 静态链接 | `GPL-3.0-or-later` 不能以这种方式用于 `Apache-2.0` 的项目。"
    "规则 `osadl/incompatible`，数据日期 `2024-11-04`。 | 更换该依赖，或作为独立程序使用；或为本项目选择允许它的许可证（`countersign license "
    "outbound` 可列出）；或请其作者另行授权。 | `package-lock.json:10` |"
)


def test_the_issue_holds_each_violation_with_licence_reason_and_place():
    found = issue(WORK, FAILING, "en")
    assert found.wanted
    assert found.title == "Licence violations"
    for word in (
        "**2 uses",
        "`readline`",
        "`GPL-3.0-or-later`",
        "statically linked",
        "`mystery`",
        "`package-lock.json:10`",
        "`Apache-2.0`",
    ):
        assert word in found.body
    assert "UPX" not in found.body
    assert found.body.endswith(MARKER)


def test_the_issue_changes_only_with_its_violations():
    found = issue(WORK, FAILING, "en").digest
    later = replace(WORK, repository=replace(WORK.repository, head="f" * 40))
    assert issue(later, FAILING, "en").digest == found
    assert len({found, issue(WORK, FAILING[:1], "en").digest, issue(WORK, (), "en").digest}) == 3


def test_an_issue_without_violations_is_to_be_closed():
    found = issue(WORK, (), "both")
    assert not found.wanted
    assert "any more" in found.body
    assert "已没有" in found.body
    assert MARKER in found.body


def test_the_issue_is_in_one_language_or_both():
    both, chinese = issue(WORK, FAILING, "both"), issue(WORK, FAILING, "zh")
    assert both.title == "Licence violations / 许可证违规"
    assert chinese.title == "许可证违规"
    (row,) = [line for line in chinese.body.splitlines() if "`readline`" in line]
    assert row == ROW_IN_CHINESE
    assert "break" not in chinese.body


@pytest.mark.parametrize(
    ("language", "more"),
    [
        ("en", "more that are not shown here."),
        ("zh", "项未在此显示。"),
        ("both", "more that are not shown here."),
    ],
)
def test_thousands_of_violations_are_cut_and_counted(language, more):
    cell = FAILING[0]
    many = tuple(Cell(replace(cell.dependency, name=f"name-{number}" * 8), cell.judgement) for number in range(3_000))
    found = issue(WORK, many, language)
    assert 59_000 < len(found.body) <= 60_000
    assert "3,000" in found.body
    assert more in found.body


def test_a_foreign_name_in_the_issue_makes_no_markup():
    words = "@ada <!-- countersign:licenses --> [x](http://evil.example) #1"
    evil = replace(used(words, None, Usage.BUNDLED), version=f"{words} |v|")
    found = issue(audited(evil), audited(evil).cells, "en")
    row = next(line for line in found.body.splitlines() if "evil.example" in line)
    assert f"| `{words}` | `{words} \\|v\\|` |" in row


@pytest.mark.parametrize(
    ("language", "own", "waiting"),
    [("en", "is not known", "Not looked up: 2"), ("zh", "请在清单文件中注明许可证", "未查询：2 项")],
)
def test_an_unknown_own_licence_and_missing_look_ups_are_one_line_each(language, own, waiting):
    unasked = [
        replace(used(name, None, Usage.STATIC_LINK), license=Learned(None, Source.UNSTATED, None, Unknown.OFFLINE))
        for name in "ab"
    ]
    head = audited(*unasked, used("c", "Apache-2.0", Usage.VENDORED), license_id=None)
    fail_on = (LicenseVerdict.UNKNOWN_LICENSE,)
    failing = tuple(cell for cell in head.cells if cell.fails(fail_on))
    found = issue(head, failing, language, head.own_license_violation(fail_on))

    assert found.wanted
    assert own in found.body
    assert waiting in found.body
    assert "| --- |" not in found.body
    assert issue(head, failing, language).wanted
