"""Headers in every form in which they come, from GitHub or through a proxy."""

from datetime import UTC, datetime, timedelta, timezone

import pytest

from bot.github.client.answer_headers import links, moment, number, readable

NINE = datetime(2026, 11, 28, 9, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("Sat, 28 Nov 2026 09:00:00 GMT", NINE),
        ("Sat, 28 Nov 2026 09:00:00 GMT, Sat, 28 Nov 2026 09:00:07 GMT", NINE),
        ("Sat, 28 Nov 2026 09:00:00", NINE),
        ("Sat, 28 Nov 2026 09:00:00, Sat, 28 Nov 2026 09:00:07", NINE),
        ("Sat, 28 Nov 2026 09:00:00 -0000", NINE),
        ("Saturday, 28-Nov-26 09:00:00 GMT", NINE),
        ("Sat Nov 28 09:00:00 2026", NINE),
        ("Sat, 28 Nov 2026 17:00:00 +0800", NINE.astimezone(timezone(timedelta(hours=8)))),
        ("Sat, 28 Nov 20260 09:00:00 GMT", None),
        ("Sat, 28 Nov 2026 09:00:00 +99999999999999", None),
        ("soon", None),
        ("", None),
        (None, None),
    ],
)
def test_every_date_has_a_zone(value, shown):
    assert moment(value) == shown


@pytest.mark.parametrize(
    ("value", "whole"),
    [("60", 60), ("0", 0), ("60, 60", 60), (" 7 ", 7), ("1.5", 1), ("1795856400.0", 1795856400), ("1.x", None), ("-1", None), ("inf", None), ("9" * 400, None),
     ("soon", None), ("", None), (None, None)],
)  # fmt: skip
def test_a_number_in_a_header_is_the_first_of_several_or_none(value, whole):
    assert number(value) == whole


def test_rate_limits_that_are_no_numbers_are_left_out():
    sent = {"X-RateLimit-Limit": "5000, 5000", "x-ratelimit-remaining": "inf", "X-RateLimit-Reset": "1795856400",
            "Date": "Sat, 28 Nov 2026 09:00:00 GMT", "Link": '<https://x.example/?page=2>; rel="next"'}  # fmt: skip
    assert readable(sent) == {
        "X-RateLimit-Limit": "5000",
        "X-RateLimit-Reset": "1795856400",
        "Date": sent["Date"],
        "Link": sent["Link"],
    }


@pytest.mark.parametrize(
    ("value", "named"),
    [
        ('<https://x.example/?a=1&page=2>; rel="next", <https://x.example/?page=5>; rel="last"',
         {"next": "https://x.example/?a=1&page=2", "last": "https://x.example/?page=5"}),
        ('<https://x.example/?cursor=v1_7>; title="older"; rel="next"', {"next": "https://x.example/?cursor=v1_7"}),
        ("<https://x.example/?page=2>; rel=next", {"next": "https://x.example/?page=2"}),
        ('<https://x.example/?page=2>; rel="next last"',
         {"next": "https://x.example/?page=2", "last": "https://x.example/?page=2"}),
        ('<https://x.example/>; title="no relation"', {}),
        ("", {}),
        (None, {}),
    ],
)  # fmt: skip
def test_links_are_read_by_relation(value, named):
    assert links(value) == named
