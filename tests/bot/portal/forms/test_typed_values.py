"""Typed numbers, days and texts are read as a whole or refused."""

from datetime import UTC, datetime, timedelta

import pytest
from flask import Flask

from bot.portal.forms.typed_values import (
    account_number,
    after_day,
    chosen_days,
    day_start,
    field,
    first_day,
    page_number,
    reason_text,
)
from bot.portal.session.visitor import remember_time_zone


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("1", 1),
        ("583231", 583231),
        (str(2**63 - 1), 2**63 - 1),
        (str(2**63), None),
        ("0", None),
        ("", None),
        ("-1", None),
        ("1.0", None),
        ("١٢", None),
        ("1" * 5000, None),
    ],
)
def test_an_account_number_is_between_1_and_what_63_bits_hold(text, number):
    assert number == account_number(text)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("2026-01-31", datetime(2026, 1, 31, tzinfo=UTC)),
        ("2026-02-30", None),
        ("31.01.2026", None),
        (" 2026-01-31", None),
        ("", None),
    ],
)
def test_a_readable_day_begins_at_midnight_utc(text, found):
    assert found == day_start(text)


@pytest.mark.parametrize(
    ("query", "number"),
    [("", 1), ("page=3", 3), ("page=0", 1), ("page=x", 1), ("page=-2", 1), ("page=٣", 1), ("page=999999", 100_000)],
)
def test_an_unreadable_page_number_is_1_and_a_large_one_is_bounded(query, number):
    with Flask("test").test_request_context(f"/?{query}"):
        assert number == page_number()


def test_surrounding_space_is_removed_and_a_reason_becomes_one_line():
    with Flask("test").test_request_context("/", method="POST", data={"login": " ada\n", "reason": " not\r\n ours "}):
        assert ("ada", "", "not ours") == (field("login"), field("missing"), reason_text())


@pytest.fixture(name="noon")
def _noon(portal):
    """A page that is asked for on 21 November 2026 at noon."""
    with portal.app.test_request_context("/company"):
        yield


def test_a_first_day_begins_at_midnight_and_a_last_day_ends_at_the_next(noon):
    assert first_day(" ") is first_day("2026-11-21") is after_day("") is None
    assert first_day(" 2026-11-22 ") == datetime(2026, 11, 22, tzinfo=UTC)
    assert after_day("2026-11-21") == datetime(2026, 11, 22, tzinfo=UTC)
    assert first_day("0001-01-01") == datetime(2000, 1, 1, tzinfo=UTC), "a day, long past"


@pytest.mark.parametrize(
    "typed", ["tomorrow", "2026-02-30", "20261121", "2026-W47-6", "9999-12-31", "2026-11-21T00:00"]
)
def test_an_unreadable_or_remote_day_is_refused(noon, typed):
    for read in (first_day, after_day):
        with pytest.raises(ValueError):  # noqa: PT011 - the standard library's words differ
            read(typed)


@pytest.mark.parametrize(
    ("name", "begin", "end"),
    [
        ("UTC", "2026-03-08T00:00", "2026-03-09T00:00"),
        ("Asia/Shanghai", "2026-03-07T16:00", "2026-03-08T16:00"),
        ("America/New_York", "2026-03-08T05:00", "2026-03-09T04:00"),  # Summer time begins on that day.
    ],
)
def test_a_filter_takes_whole_days_of_the_visitors_time_zone(unchanged_portal, name, begin, end):
    with unchanged_portal.app.test_request_context("/"):
        remember_time_zone(name)
        found = chosen_days({"from": "2026-03-08", "to": "2026-03-08"})
    assert [f"{time:%Y-%m-%dT%H:%M}" for time in found] == [begin, end]
    assert {time.utcoffset() for time in found} == {timedelta()}
