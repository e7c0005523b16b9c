"""Dates of other tools are read when they mean one moment, and otherwise not at all."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agreements.imports.dates import signing_date


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2024-05-31", datetime(2024, 5, 31, tzinfo=UTC)),
        ("2024-05-31T12:00:00Z", datetime(2024, 5, 31, 12, tzinfo=UTC)),
        ("2024-05-31 12:00:00", datetime(2024, 5, 31, 12, tzinfo=UTC)),
        ("2024-05-31 12:00:00 UTC", datetime(2024, 5, 31, 12, tzinfo=UTC)),
        ("2024-05-31T12:00:00.123+08:00", datetime(2024, 5, 31, 4, 0, 0, 123000, tzinfo=UTC)),
        ("Jan 2,2006", datetime(2006, 1, 2, tzinfo=UTC)),
        ("Jul 4, 2023", datetime(2023, 7, 4, tzinfo=UTC)),
        ("September 4, 2023", datetime(2023, 9, 4, tzinfo=UTC)),
        ("Fri Apr 15 1988 00:00:00 GMT-0700 (PDT)", datetime(1988, 4, 15, 7, tzinfo=UTC)),
        ("Fri Apr 15 2016 00:00:00 GMT", datetime(2016, 4, 15, tzinfo=UTC)),
        ("Tue, 14 Mar 2023 11:22:33 GMT", datetime(2023, 3, 14, 11, 22, 33, tzinfo=UTC)),
        ("Tue, 14 Mar 2023 11:22:33", datetime(2023, 3, 14, 11, 22, 33, tzinfo=UTC)),
        ("Tue, 14 Mar 2023 11:22:33 +0800 (CST)", datetime(2023, 3, 14, 3, 22, 33, tzinfo=UTC)),
        ("14 Mar 2023 11:22 UTC", datetime(2023, 3, 14, 11, 22, tzinfo=UTC)),
        ("Mar 14, 2023 11:22", datetime(2023, 3, 14, 11, 22, tzinfo=UTC)),
        ("Mar 4, 2023, 23:22", datetime(2023, 3, 4, 23, 22, tzinfo=UTC)),
        ("Fri May  3 10:00:00 2019", datetime(2019, 5, 3, 10, tzinfo=UTC)),
        ("Fri May 3 10:00:00 UTC 2019", datetime(2019, 5, 3, 10, tzinfo=UTC)),
        ("Fri May 3 10:00:00 2019 +0800", datetime(2019, 5, 3, 2, tzinfo=UTC)),
    ],
)
def test_dates_that_other_tools_write_are_read_as_utc_if_they_have_no_zone(text, expected):
    assert signing_date(f" {text} ") == expected


@pytest.mark.parametrize(
    "text",
    ["", "05/06/2024", "05.06.2024", "2024-13-01", "2024-02-30", "1717156800", 1717156800, None, True, "yesterday",
     "Foo 2,2006", "0001-01-01T00:00:00+23:00", "9999-12-31T23:59:59-23:00", "２０２４-05-31", "x" * 10_000],
)  # fmt: skip
def test_dates_that_could_be_two_days_or_none_are_not_read(text):
    assert signing_date(text) is None


@pytest.mark.parametrize(
    "text",
    ["May 3, 2019, 10:00 PM", "May 3, 2019 12:30 AM", "11 Dec 2019 1:30:00 p.m.", "3 May 2019 10:00 GMT+8",
     "Fri May 03 2019 12:00:00 GMT+08:00", "Fri, 03 May 2019 10:00:00 CST", "Fri, 03 May 2019 10:00:00 CEST",
     "3 May 2019 10:00:00 (CST)", "Fri May 3 10:00:00 CST 2019", "03 May 19 10:00:00", "May 5 06 10:00:00", "Marchand 1,2019"],
)  # fmt: skip
def test_a_date_of_which_a_part_is_not_understood_is_not_read(text):
    assert signing_date(text) is None


@given(st.text(max_size=90))
def test_any_text_gives_a_moment_with_a_zone_or_none(text):
    found = signing_date(text)
    assert found is None or found.utcoffset() is not None
