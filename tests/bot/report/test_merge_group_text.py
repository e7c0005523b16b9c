"""The run of a merge group has the worst result of its pull requests, each named, in both languages."""

from datetime import UTC, datetime

import pytest

from agreements.facts import Conclusion
from bot.report.merge_group_text import MemberLine, group_text, not_known, worst

GOOD, BAD, DOUBT, NONE = Conclusion.SUCCESS, Conclusion.FAILURE, Conclusion.ACTION_REQUIRED, Conclusion.NEUTRAL


def line(number, conclusion, why=""):
    """A pull request of the group."""
    return MemberLine(number, conclusion, f"https://cla.example.org/pr/cann/ops (1)/{number}", why)


@pytest.mark.parametrize(
    ("conclusions", "expected"),
    [
        ([], None),
        ([None], None),
        ([GOOD, None], None),
        ([NONE, None], None),
        ([BAD, None], BAD),
        ([DOUBT, None], DOUBT),
        ([GOOD, DOUBT, BAD], BAD),
        ([GOOD, DOUBT], DOUBT),
        ([NONE, GOOD], GOOD),
        ([NONE, NONE], NONE),
    ],
)
def test_the_worst_pull_request_decides_and_an_unknown_one_never_passes(conclusions, expected):
    assert worst(conclusions) == expected


@pytest.mark.parametrize(
    ("members", "titles"),
    [
        ([line(1, GOOD), line(2, BAD)], ("A pull request in this group does not pass", "本组中有拉取请求未通过")),
        ([line(1, DOUBT)], ("Could not be checked yet", "暂时无法检查")),
        ([line(1, GOOD), line(2, None), line(3, None)], ("Waiting for #2, #3", "等待 #2、#3")),
        ([line(1, GOOD)], ("All pull requests in this group pass", "本组的拉取请求全部通过")),
        ([line(1, NONE)], ("Nothing is required of this group", "本组无要求")),
    ],
)
def test_the_groups_title_is_the_answer_in_both_languages(members, titles):
    assert group_text(members).title == " / ".join(titles)


def test_each_pull_request_of_a_group_is_named_with_a_safe_link():
    summary = group_text([line(7, GOOD), line(8, None), line(9, None, "GitHub `said` no")]).summary
    assert "- [#7](<https://cla.example.org/pr/cann/ops%20%281%29/7>): ✅ Passed" in summary
    assert "[#8](" in summary
    assert ": not checked yet\n" in summary
    assert "GitHub" in summary
    assert "尚未检查" in summary


def test_a_long_group_is_cut_to_githubs_limits():
    text = group_text([line(number, None) for number in range(1, 2000)])
    assert len(text.summary) < 65_536
    assert text.title.count("#") == 20


def test_a_pull_request_that_is_not_known_says_since_when_after_too_long():
    since = datetime(2026, 11, 21, 12, tzinfo=UTC)
    assert "not checked yet" not in not_known("GitHub is away").summary
    assert "`GitHub is away`" in not_known("GitHub is away").summary
    assert not_known("GitHub is away", since=since).title.startswith("Could not be checked yet")
    assert "2026-11-21 12:00 UTC" in not_known("GitHub is away", since=since).summary
