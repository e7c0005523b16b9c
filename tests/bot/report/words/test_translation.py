"""English lines are known again by the templates that made them, and told in Chinese."""

import sys
from collections import Counter

import pytest

from bot.report.words.translation import Translation

CHINESE = Translation(
    {
        "The server is ready.": "服务器已就绪。",
        "Run it again.": "请重新运行。",
        "Run it again. It may be slow.": "请重新运行，可能较慢。",
        "GitHub did not answer: {error}.": "GitHub 未作答复：{error}。",
        "{host} cannot be resolved.": "无法解析 {host}。",
        "{word} is not known": "{word} 未知",
        "The team {word} is not known": "团队 {word} 未知",
        "no host": "没有主机",
    }
)


@pytest.mark.parametrize(
    ("english", "chinese"),
    [
        ("The server is ready.", "服务器已就绪。"),
        ("The server is ready. Run it again.", "服务器已就绪。请重新运行。"),
        ("Run it again. It may be slow. The server is ready.", "请重新运行，可能较慢。服务器已就绪。"),
        ("The server is ready. Something else.", "服务器已就绪。Something else."),
        ("GitHub did not answer: it said 502.", "GitHub 未作答复：it said 502。"),
        ("GitHub did not answer: no host.", "GitHub 未作答复：没有主机。"),
        ("x.example cannot be resolved.", "无法解析 x.example。"),
        ("示例 cannot be resolved.", "无法解析示例。"),
        ("The team a/b is not known; cann is not known.", "团队 a/b 未知；cann 未知。"),
        ("one\ntwo is not known", "one\ntwo 未知"),
    ],
)
def test_what_is_known_is_told_in_chinese(english, chinese):
    assert CHINESE.of(english) == chinese


@pytest.mark.parametrize("english", ["", "Something else.", "One. Two.", "a; b."])
def test_what_is_not_known_is_left_to_the_caller(english):
    assert CHINESE.of(english) is None


def test_twice_as_many_unknown_sentences_take_twice_the_work():
    def work(count):
        calls = Counter()
        before = sys.getprofile()
        sys.setprofile(lambda _frame, event, _what: calls.update((event,)))
        try:
            CHINESE.of("Nothing is known of this. " * count)
        finally:
            sys.setprofile(before)
        return calls.total()

    assert work(400) < 2.5 * work(200)
