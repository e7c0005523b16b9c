"""Times are shown in the visitor's time zone, with UTC beside them."""

from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from bot.portal.session.visitor import remember_time_zone
from bot.portal.text import times

NOON = datetime(2026, 11, 21, 12, 0, 5, tzinfo=UTC)
MIDNIGHT = datetime(2027, 1, 1, tzinfo=UTC)


@pytest.fixture(name="seen_in")
def _seen_in(unchanged_portal):
    """A page of a visitor who chose that time zone."""

    @contextmanager
    def seen_in(name):
        with unchanged_portal.app.test_request_context("/"):
            remember_time_zone(name)
            yield

    return seen_in


@pytest.mark.parametrize(
    ("name", "moment", "day"),
    [
        ("UTC", "2026-11-21 12:00:05&nbsp;UTC", "2026-11-21"),
        ("", "2026-11-21 12:00:05&nbsp;UTC", "2026-11-21"),
        ("Asia/Shanghai", "2026-11-21 20:00:05&nbsp;UTC+8", "2026-11-21"),
        ("Pacific/Auckland", "2026-11-22 01:00:05&nbsp;UTC+13", "2026-11-22"),
        ("Asia/Kathmandu", "2026-11-21 17:45:05&nbsp;UTC+5:45", "2026-11-21"),
        ("America/St_Johns", "2026-11-21 08:30:05&nbsp;UTC\N{MINUS SIGN}3:30", "2026-11-21"),
        ("Europe/London", "2026-11-21 12:00:05&nbsp;UTC", "2026-11-21"),
        ("Asia/Gone", "2026-11-21 12:00:05&nbsp;UTC", "2026-11-21"),
    ],
)
def test_a_moment_and_its_day_are_those_of_the_visitors_zone(seen_in, name, moment, day):
    begin = '<time datetime="2026-11-21T12:00:05Z" title="2026-11-21 12:00:05 UTC">'
    with seen_in(name):
        assert times.moment(NOON) == f"{begin}{moment}</time>"
        assert times.day(NOON) == f"{begin}{day}</time>"
        assert times.utc(NOON) == f"{begin}2026-11-21 12:00:05&nbsp;UTC</time>"


def test_without_a_choice_the_zone_of_the_settings_counts(unchanged_portal, monkeypatch):
    services = unchanged_portal.services
    settings = replace(services.settings, time_zone=ZoneInfo("Asia/Shanghai"))
    monkeypatch.setattr(times, "portal_services", lambda: replace(services, settings=settings))
    with unchanged_portal.app.test_request_context("/"):
        assert times.clock_time(NOON) == "20:00 UTC+8"
        remember_time_zone("Europe/Berlin")
        assert times.clock_time(NOON) == "13:00 UTC+1"


@pytest.mark.parametrize(
    ("name", "first", "last"),
    [("UTC", "2027-01-01", "2026-12-31"), ("America/New_York", "2027-01-01&nbsp;UTC", "2026-12-31&nbsp;UTC")],
)
def test_a_day_that_was_typed_is_the_same_for_everyone(seen_in, name, first, last):
    with seen_in(name):
        assert f">{first}</time>" in times.first_day(MIDNIGHT)
        assert f">{last}</time>" in times.last_day(MIDNIGHT)
        assert times.last_day(NOON) == times.moment(NOON)
        assert times.first_day(NOON) == times.day(NOON)


@pytest.mark.parametrize(
    ("html", "shown"),
    [
        ("on 2026-11-21 12:00 UTC.", "on {}."),
        ("until <code>2026-11-21 12:00 UTC</code>!", "until {}!"),
        ("<code>2026-11-21 12:00 UTC a</code>", "<code>{} a</code>"),
        ("2026-11-21 12:00", "2026-11-21 12:00"),
        ("2026-13-41 12:00 UTC", "2026-13-41 12:00 UTC"),
        ("0001-01-01 00:00 UTC", "0001-01-01 00:00 UTC"),
        ("9999-12-31 23:59 UTC", "9999-12-31 23:59 UTC"),
    ],
)
def test_a_minute_in_the_words_of_a_check_is_one_of_the_visitors(seen_in, html, shown):
    minute = '<time datetime="2026-11-21T12:00:00Z" title="2026-11-21 12:00 UTC">2026-11-21 20:00&nbsp;UTC+8</time>'
    with seen_in("Asia/Shanghai"):
        assert times.within(html) == shown.format(minute)
