"""Times on pages: in the visitor's time zone, with UTC for those who point at them."""

import re
from datetime import UTC, datetime, time, timedelta
from typing import Final
from zoneinfo import ZoneInfo

from markupsafe import Markup

from agreements import moments
from bot import time_zones
from bot.portal.portal_services import portal_services
from bot.portal.session.visitor import time_zone

_SECOND: Final = "%Y-%m-%d %H:%M:%S"
_MINUTE: Final = "%Y-%m-%d %H:%M"
_UTC_MINUTE: Final = re.compile(
    r"<code>({0}) UTC</code>|\b({0}) UTC\b".format("[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}")
)


def zone() -> ZoneInfo:
    """The time zone of the visitor, else that of the settings."""
    try:
        return time_zones.parse(time_zone())
    except ValueError:  # None is chosen, or this host no longer knows it.
        return portal_services().settings.time_zone


def moment(at: datetime) -> Markup:
    """A point in time, to the second, for both languages; a line ends between day and time, if at all."""
    return _element(at, f"{at.astimezone(zone()):{_SECOND}}", offset(at))


def utc(at: datetime) -> Markup:
    """A point in time in UTC for every reader, in files that are handed on."""
    return _element(at, f"{at.astimezone(UTC):{_SECOND}}", "UTC")


def clock_time(at: datetime) -> str:
    """The time of day of a point in time, as text, such as `14:05 UTC+8`."""
    return f"{at.astimezone(zone()):%H:%M} {offset(at)}"


def day(at: datetime) -> Markup:
    """The day of a point in time, for both languages."""
    return _element(at, f"{at.astimezone(zone()):%Y-%m-%d}")


def first_day(begin: datetime) -> Markup:
    """The first day that counts, of what was typed as a day and so begins at midnight UTC; else the day of the moment."""
    return _utc_day(begin, begin) if _is_midnight(begin) else day(begin)


def last_day(end: datetime) -> Markup:
    """The last day that counts, of what ends at midnight UTC; the moment itself of what ends within a day."""
    return _utc_day(end - timedelta(days=1), end) if _is_midnight(end) else moment(end)


def offset(at: datetime) -> str:
    """The name of that moment's offset in the visitor's zone: `UTC`, `UTC+8` or `UTC+5:45`."""
    minutes = int((at.astimezone(zone()).utcoffset() or timedelta()).total_seconds()) // 60
    hours, rest = divmod(abs(minutes), 60)
    sign = "\N{MINUS SIGN}" if minutes < 0 else "+"  # No line ends after it, as one may after a hyphen.
    return f"UTC{sign}{hours}" + (f":{rest:02}" if rest else "") if minutes else "UTC"


def within(html: str) -> str:
    """HTML of ours in which each minute that is written in UTC, as checks write it, is one of the visitor's."""
    return _UTC_MINUTE.sub(_minute, html)


def _minute(found: re.Match[str]) -> str:
    at = moments.moment(f"{found[1] or found[2]}Z".replace(" ", "T"))
    if at is None or not 1970 <= at.year < 9000:  # Words of a person, such as the name in a commit.
        return found[0]
    return _element(at, f"{at.astimezone(zone()):{_MINUTE}}", offset(at), precision=_MINUTE)


def _is_midnight(at: datetime) -> bool:
    return at.astimezone(UTC).time() == time()


def _utc_day(shown: datetime, at: datetime) -> Markup:
    # Such a day is the same for everyone in a company, so it says that it is UTC's where others stand beside it.
    return _element(at, f"{shown.astimezone(UTC):%Y-%m-%d}", "UTC" if offset(at) != "UTC" else "")


def _element(at: datetime, shown: str, label: str = "", *, precision: str = _SECOND) -> Markup:
    utc_at = at.astimezone(UTC)
    label = Markup("&nbsp;{}").format(label) if label else ""
    return Markup('<time datetime="{:%Y-%m-%dT%H:%M:%SZ}" title="{} UTC">{}{}</time>').format(
        utc_at, f"{utc_at:{precision}}", shown, label
    )
