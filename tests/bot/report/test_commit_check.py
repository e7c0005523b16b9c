"""Each finding about a commit has a text in both languages."""

import pytest

from bot.report import commit_check
from bot.store.pulls.commit_findings import KINDS, UnjudgedCommit


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("count", [None, 1200])
def test_a_finding_says_in_both_languages_what_is_wrong_and_what_to_do(kind, count):
    text = commit_check.finding_text(UnjudgedCommit("a" * 40, kind, 7, count), "release/`2`")
    english, chinese = text.summary.removesuffix("\n\n</details>").split("\n\n<details><summary>简体中文</summary>\n\n")
    assert " / " in text.title
    assert english.count("\n\n") == chinese.count("\n\n") == 2
    assert "{" not in text.title + text.summary
    assert english.count("#7") == {"not-judged": 3, "not-passed": 3, "lost-signoff": 2}.get(kind, 0)
    assert ("#7" in chinese) is (kind in {"not-judged", "not-passed", "lost-signoff"})
    assert ("1,200" in english) is (count is not None and kind in {"lost-signoff", "not-compared"})


@pytest.mark.parametrize("kind", ["not-judged", "not-passed"])
def test_a_finding_does_not_say_that_a_pull_request_was_merged_that_may_be_open(kind):
    text = commit_check.finding_text(UnjudgedCommit("a" * 40, kind, 7), "release/2")
    for word in ("erged", "brought", "合并", "合入"):
        assert word not in text.title + text.summary


def test_a_branch_cannot_break_out_of_its_code():
    text = commit_check.finding_text(UnjudgedCommit("a" * 40, "no-pull-request"), "x`[y](https://evil.example)")
    assert "``x`[y](https://evil.example)``" in text.summary


def test_a_finding_that_is_none_says_so():
    assert (
        commit_check.settled_text().title
        == "A checked pull request brought this commit / 此提交来自已通过检查的拉取请求"
    )
