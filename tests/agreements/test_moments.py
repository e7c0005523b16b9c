"""Moments as text need a zone and are written in UTC."""

from datetime import UTC, datetime

import pytest

from agreements import moments


@pytest.mark.parametrize(("text", "expected"), [
    ("2026-01-01T00:00:00Z", datetime(2026, 1, 1, tzinfo=UTC)), ("2026-01-01T08:00:00+08:00", datetime(2026, 1, 1, tzinfo=UTC)),
    ("2026-01-01T00:00:00", None), ("2026-01-01", None), ("", None), ("now", None), ("2026-13-01T00:00:00Z", None),
    ("0001-01-01T00:00:00+12:00", None), ("9999-12-31T23:59:59-12:00", None), ("2026-01-01T23:59:60Z", None),
])  # fmt: skip
def test_a_moment_needs_its_zone(text, expected):
    assert moments.moment(text) == expected


def test_a_day_is_its_first_instant_in_utc():
    assert moments.moment_or_day("2026-01-31") == datetime(2026, 1, 31, tzinfo=UTC)
    assert moments.moment_or_day(20260131) is None


def test_a_moment_written_as_text_reads_back():
    when = datetime(2026, 1, 1, 12, tzinfo=UTC)
    assert moments.text(when) == "2026-01-01T12:00:00Z"
    assert moments.moment(moments.text(when)) == when
