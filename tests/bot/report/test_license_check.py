"""The check of licences shows first things first, hostile names as themselves, and never more than GitHub takes."""

import re
from dataclasses import replace
from datetime import date

import pytest
from markdown_it import MarkdownIt

from audit.facts import Finding, Learned, LicenseVerdict, Place, Source, Unknown, Usage, Waiver
from audit.headers.header_rule import HeaderRule
from audit.verdict.allow_deny import AllowDenyEntry, AllowDenyLists
from audit.verdict.policy import Policy
from audit.verdict.pull_request import LicenseConclusion, proposed
from bot.report import license_check
from bot.report.check_run import CHECK_LIMIT
from bot.report.license_check import PullOutcome, check_run, conclusion
from bot.rulebook.effective import RulebookProblem
from tests.audit.runs import audited, text, used

STATIC = Usage.STATIC_LINK
GPL = used("readline", "GPL-3.0-or-later", STATIC)
OLD = used("old", "GPL-3.0-or-later", STATIC)
MIT = used("left-pad", "MIT", Usage.BUNDLED)
BROKEN = Finding("file/broken", Place("Cargo.lock", 3), "no TOML")


def asked(before=(), after=(), *, number=7, policy=None, findings=(), **more):
    """A pull request whose change leads from these uses to those."""
    rules = policy or Policy()
    head = audited(*after, findings=tuple(findings), policy=rules, **more)
    return PullOutcome(number, "main", proposed(audited(*before, policy=rules), head, rules))


def shown(*pulls, language="en"):
    """Title, summary and text of the run."""
    said = check_run(pulls, language)
    return said.title, said.summary, said.text


@pytest.mark.parametrize(
    ("language", "fix"),
    [
        ("en", "- `a.c`: `lacks it`. To add it, run `countersign license headers . --fix`.\n\nThis check runs again"),
        (
            "zh",
            "- `a.c`：源文件缺少规则文件要求的许可证声明头：`lacks it`。如需添加，请运行 `countersign license headers . --fix`。\n\n推送后",
        ),
    ],
)
def test_a_new_file_without_its_licence_header_fails_and_cannot_be_waived(language, fix):
    missing = Finding("header/missing", Place("a.c"), "lacks it")
    title, summary, _ = shown(
        asked([MIT], [MIT], findings=[missing], policy=Policy(headers=HeaderRule(spdx="MIT"))), language=language
    )
    assert title == ("1 problem with licences" if language == "en" else "1 个许可证问题")
    assert fix in summary


def test_a_missing_header_that_is_only_told_lets_the_check_pass():
    other = Finding("header/other", Place("a.c", 3), "its header says ISC")
    outcome = asked([MIT], [MIT], findings=[other], policy=Policy(headers=HeaderRule(spdx="MIT", fails=False)))
    assert outcome.conclusion is LicenseConclusion.SUCCESS
    assert "| `header/other` | `a.c:3` | `its header says ISC` |" in shown(outcome)[2]


def test_licences_refused_by_the_rulebooks_lists_are_told_as_their_choice():
    lists = Policy(lists=(AllowDenyLists(deny=(AllowDenyEntry(license="MIT", reason="use ours"),)),))
    for language, why, todo in (
        (
            "en",
            "the rulebook denies MIT: use ours.",
            "Replace it, or ask the maintainers of the rulebook for an exception.",
        ),
        (
            "zh",
            "规则文件禁用该依赖或其许可证 `MIT`：the rulebook denies MIT: use ours。",
            "更换该依赖，或请规则文件的维护者为其设置例外。",
        ),
    ):
        title, summary, tables = shown(asked([], [MIT], policy=lists), language=language)
        assert "1" in title
        assert why in summary
        assert todo in summary
        assert "`policy/denied`" in tables


def test_a_failure_says_its_reason_its_place_and_the_way_out():
    title, summary, tables = shown(asked([OLD, MIT], [GPL, OLD, MIT]))

    assert title == "1 problem with licences"
    assert summary == (
        "❌ **This change adds something that is not allowed.**\n\n"
        "Added: 1, already not allowed: 1. 1 unchanged.\n\n"
        "The licence of this project is `Apache-2.0`.\n\n"
        "### How to fix\n\n"
        "- **`readline`** `1.2.0` (`GPL-3.0-or-later`, statically linked): GPL-3.0-or-later cannot be statically linked into work"
        " under Apache-2.0. Replace it, use it as a separate program, or ask its authors for another licence."
        " Or choose a licence for the project that allows it: `countersign license outbound` lists them."
        " Found in `package-lock.json:10`.\n\n"
        "If someone takes responsibility for it, a maintainer can add a waiver to the rulebook,"
        " with a reason, a name and an expiry date.\n\n"
        "This check runs again automatically when you push and when the rulebook changes."
    )
    assert "| ❌ ⛔ incompatible (new) | `readline` | `1.2.0` | `GPL-3.0-or-later` | statically linked |" in tables
    assert "Rule `osadl/incompatible`, data of `2024-11-04`." in tables
    assert tables.index("What this change adds") < tables.index("`readline`")
    assert tables.index("Already not allowed") < tables.index("`old`")
    assert "These were already there. This change did not cause them" in tables
    assert "left-pad" not in tables


@pytest.mark.parametrize(("language", "said", "alone"), [
    ("en", "1 problem with licences; not looked up: 2", "Licences not looked up: 2"),
    ("zh", "1 个许可证问题；未查询：2 项", "未查询许可证：2 项"),
])  # fmt: skip
def test_what_was_not_looked_up_is_counted_apart_and_has_no_mark_of_a_violation(language, said, alone):
    waiting = Learned(None, Source.UNSTATED, None, Unknown.OFFLINE)
    new = [replace(used(name, None, STATIC), license=waiting) for name in ("x", "y")]
    title, _, tables = shown(asked([], [GPL, *new]), language=language)
    assert title == said
    assert tables.count("❌") == 1
    assert shown(asked([], new), language=language)[0] == alone


def test_a_pass_says_its_reason_too():
    package = used("dual", "GPL-2.0-only OR MIT", STATIC)
    title, summary, tables = shown(asked([], [package, replace(GPL, usage=Usage.TEST_ONLY)]))

    assert (title, "How to fix" in summary) == ("Licences are compatible", False)
    assert "MIT may be included in work under Apache-2.0; keep its notices. Chosen: `MIT`." in tables
    assert "| – does not apply (new) | `readline` |" in tables
    assert "GPL-3.0-or-later does not affect the work: it is used only as a test dependency" in tables


NESTED = Finding("license/nested", Place("packages/x/LICENSE"), "a folder under AGPL-3.0-only")


@pytest.mark.parametrize(
    ("after", "found"),
    [
        ((used("db", "GFDL-1.3-only", STATIC),), ()),
        ((used("art", "CC-BY-NC-4.0", Usage.DATA_OR_DOC),), ()),
        ((), (NESTED,)),
    ],
)
def test_a_pass_without_compatibility_is_not_called_compatible(after, found):
    change = asked([], [MIT, *after], findings=found)
    assert conclusion([change]) == "success"
    title, summary, _ = shown(change)
    assert title == "Allowed, but not everything is known to be compatible"
    assert summary.startswith("⚠️ **Nothing this change adds is against the rules, but not everything is known")
    title, summary, _ = shown(change, language="zh")
    assert (title, "全部兼容" in summary) == ("允许，但并非全部都已知兼容", False)
    assert shown(asked([MIT, *after], [MIT, *after]))[0] == "Licences are compatible"


def test_a_moved_component_is_shown_from_and_to():
    after = used("left-pad", "GPL-3.0-or-later", STATIC, version="2", purl="pkg:npm/left-pad@2")
    _, summary, tables = shown(asked([MIT, OLD], [after]))
    worse, gone = (line for line in tables.splitlines() if "`left-pad`" in line or "`old`" in line)

    assert "Worse: 1, removed: 1. 0 unchanged." in summary
    for said in ("✅ compatible → ⛔ incompatible (worse)", "`1.2.0` → `2`", "`MIT` → `GPL-3.0-or-later`",
                 "bundled → statically linked", "(its licence changed)"):  # fmt: skip
        assert said in worse
    assert gone.startswith(
        "| ⛔ incompatible (removed) | `old` | `1.2.0` | `GPL-3.0-or-later` | statically linked | – | – |"
    )


def test_a_changed_own_licence_is_named_as_the_cause():
    outcome = PullOutcome(7, "main", proposed(audited(GPL, license_id="GPL-3.0-or-later"), audited(GPL), Policy()))
    _, summary, tables = shown(outcome)

    assert "The licence of this project changes from `GPL-3.0-or-later` to `Apache-2.0`, so all dependencies" in summary
    assert "(the licence of this project changed)" in tables


def test_an_unreadable_file_is_no_pass_and_is_named():
    title, summary, _ = shown(asked(findings=[BROKEN]))

    assert title == "Licences could not be checked yet"
    assert "### Could not be read\n\n- `Cargo.lock:3`: `no TOML` (`file/broken`)." in summary


def test_a_licence_contradicted_by_its_text_is_to_be_fixed():
    package = used("lib", "MIT", Usage.VENDORED, licenses=(text("vendor/lib/LICENSE", "GPL"),))
    ships = Finding("license/mismatch", Place("vendor/lib/LICENSE", 1), "declares MIT, ships the text of GPL-3.0-only")
    other = Finding("license/altered", Place("COPYING"), "declares MIT, ships an altered text of MIT")
    title, summary, tables = shown(asked([], [package], findings=[ships, other]))

    assert title == "1 problem with licences"
    assert "- `vendor/lib/LICENSE:1`: `declares MIT, ships the text of GPL-3.0-only`. Ask the authors" in summary
    assert "| `license/altered` | `COPYING` | `declares MIT, ships an altered text of MIT` |" in tables


def test_a_waiver_is_named_without_its_person():
    """The rulebook may be private."""
    waiver = Waiver(purl="pkg:npm/readline", until=date(2027, 1, 1), reason="secret deal", by="Ada Example")
    title, summary, tables = shown(asked([], [GPL], policy=Policy(waivers=(waiver,))))

    assert title == "Allowed, but not everything is known to be compatible"
    assert "Waived in the rulebook until 2027-01-01." in tables
    assert not re.search("Ada|secret", summary + tables)


def test_the_chinese_text_is_wholly_chinese_but_for_the_audits_findings():
    title, summary, tables = shown(asked([OLD], [GPL, OLD]), language="zh")

    assert title == "1 个许可证问题"
    assert "`GPL-3.0-or-later` 不能以这种方式用于 `Apache-2.0` 的项目。更换该依赖" in summary
    assert "位置：`package-lock.json:10`。" in summary
    assert "| ❌ ⛔ 不兼容 (新增) | `readline` | `1.2.0` | `GPL-3.0-or-later` | 静态链接 |" in tables
    assert not re.search("does not|Replace|linked", summary + tables)


def test_of_both_languages_one_is_folded_and_each_has_half_the_room():
    title, summary, tables = shown(asked([], [GPL]), language="both")

    assert title == "1 problem with licences / 1 个许可证问题"
    assert summary.count("<details><summary>简体中文</summary>") == tables.count("</details>") == 1


def test_findings_have_their_meaning_in_chinese():
    missing = Finding("file/missing", Place("requirements.txt", 3), "names base.txt, which does not exist")
    odd = Finding("license/contradiction", Place("p/METADATA", 7), "p/METADATA:7 says ISC, x says MIT")
    _, summary, tables = shown(asked([], [MIT], findings=[missing, odd]), language="zh")
    assert "文件引用了不存在的文件：`names base.txt, which does not exist`（`file/missing`）。" in summary
    assert "| 多个文件为同一软件包或本项目写明了不同的许可证：`p/METADATA:7 says ISC, x says MIT` |" in tables


def test_pull_requests_with_one_head_share_a_run_and_the_worst_decides():
    good, bad = asked([], [MIT], number=3), asked([], [GPL], number=4)
    title, summary, tables = shown(good, bad)

    assert license_check.conclusion([good, bad]) is LicenseConclusion.FAILURE
    assert title == "1 problem with licences"
    assert summary.index("## Pull request #3 into `main`") < summary.index("## Pull request #4")
    assert tables.index("## #3") < tables.index("## #4")


def test_a_broken_rulebook_is_no_pass_and_every_mistake_is_told():
    outcome = PullOutcome(
        7, "main", RulebookProblem("rulebook/invalid", {"errors": ("line 7: licenses.deliver: unknown key",)})
    )
    title, summary, tables = shown(outcome)

    assert license_check.conclusion([outcome]) is LicenseConclusion.ACTION_REQUIRED
    assert (title, tables) == ("Rulebook has errors: line 7", "")
    assert "line 7: licenses.deliver: unknown key" in summary


@pytest.mark.parametrize("language", ["en", "zh", "both"])
def test_states_without_a_verdict_are_told_in_each_language(language):
    assert license_check.in_progress(language).summary
    assert license_check.not_asked_for(language).summary
    assert "`GitHub is away`" in license_check.could_not_judge("GitHub is away", language).summary


HOSTILE = [
    "@cann/everyone", "[x](https://evil.example)", "![x](https://evil.example/p.png)", "<img src=x onerror=alert(1)>",
    "` | ` | x", "a\n\n# b", "fixes #1", "https://evil.example", "\u202eevil", "ada@huawei.example", "WWW.evil.example",
]  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("language", ["en", "zh"])
def test_foreign_names_and_licences_make_no_markup(name, language):
    place = Place(name, 1, name)
    package = used(name, name, STATIC, version=name, purl=None, places=(place,), why=name)
    said = check_run(
        [asked([], [package, GPL], findings=[Finding("file/broken", place, name), Finding("x/y", place, name)])],
        language,
    )
    parser = MarkdownIt("commonmark", {"html": True}).enable("table")
    for part in (said.summary, said.text):
        tokens = [token for block in parser.parse(part) for token in [block, *(block.children or [])]]
        kinds = {token.type for token in tokens}
        assert not kinds & {"link_open", "image", "html_inline", "html_block"} - {"html_inline"}
        assert all(token.content == "<!-- -->" for token in tokens if token.type == "html_inline")
        outside = " ".join(token.content for token in tokens if token.type == "text")
        assert not re.search(r"@|https:|#1|(?i:www\.)|\u202e", outside), outside
        assert "ada@huawei" not in part
    rows = [line for line in said.text.splitlines() if line.startswith("|")]
    assert {len(re.split(r"(?<!\\)\|", line)) for line in rows} <= {10, 5}


@pytest.mark.slow
@pytest.mark.parametrize("language", ["en", "zh", "both"])
def test_rows_beyond_githubs_limit_are_counted_and_failures_come_first(language):
    many = [used(f"package-{number:05}", f"LicenseRef-x-{number}", STATIC) for number in range(900)]
    said = check_run([asked([], many), asked([], many, number=8)], language)

    assert max(len(said.summary), len(said.text)) <= CHECK_LIMIT
    assert "880" in said.summary
    assert "…" in said.text.removesuffix("\n\n</details>").splitlines()[-1]


@pytest.mark.parametrize(("language", "times"), [("en", 1), ("zh", 1), ("both", 2)])
def test_many_pull_requests_with_one_head_share_the_room(language, times):
    many = [used(f"package-{number:05}", f"LicenseRef-x-{number}", STATIC) for number in range(40)]
    outcome = asked([], many)
    said = check_run([replace(outcome, number=number) for number in range(101, 121)], language)

    assert [len(part) > CHECK_LIMIT * 0.8 for part in (said.summary, said.text)] == [True, True]
    assert max(len(said.summary), len(said.text)) <= CHECK_LIMIT
    heads = [str(number) for number in range(101, 121)] * times
    assert re.findall(r"(?m)^## .*#([0-9]+)", said.summary) == heads
    assert re.findall(r"(?m)^## #([0-9]+)", said.text) == heads


def test_verdicts_that_a_rulebook_may_fail_have_advice():
    policy = Policy(fail_on=(LicenseVerdict.OBLIGATIONS,))
    _, summary, _ = shown(asked([], [used("lib", "LGPL-2.1-or-later", Usage.DYNAMIC_LINK)], policy=policy))
    assert "let users replace the library" in summary


def test_data_older_than_three_years_is_told_where_rules_apply():
    pull = replace(asked([], [MIT]), outdated=("2024-11-04",))
    line = "The licence data of `2024-11-04` is more than three years old. Whoever runs Countersign can update it with `countersign license refresh`."
    assert shown(pull)[1].endswith(f"\n\n{line}")
    assert "许可证数据（`2024-11-04`）已超过三年" in shown(pull, language="zh")[1]
    assert "older than three years" not in shown(asked([], [MIT]))[1]
