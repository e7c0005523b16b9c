"""Time zones by their IANA names, of those that a setting or a person may choose."""

from functools import cache
from typing import Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

UTC_NAME: Final = "UTC"

_REGIONS: Final = frozenset(
    {"Africa", "America", "Antarctica", "Arctic", "Asia", "Atlantic", "Australia", "Europe", "Indian", "Pacific"}
)
"""The first part of the names of places. Other names are old ones (`PRC`), or offsets whose sign misleads (`Etc/GMT-8`)."""


def parse(name: str) -> ZoneInfo:
    """The zone of that name. Raises ValueError with one clause."""
    try:
        if name == UTC_NAME or name.partition("/")[0] in _REGIONS:
            return ZoneInfo(name)
    # `Asia` is a folder, and `Asia/../x` no name at all.
    except (ZoneInfoNotFoundError, OSError, ValueError):
        pass
    raise ValueError("must be the name of a time zone, such as Asia/Shanghai, Europe/Berlin or UTC")


@cache  # It reads hundreds of files.
def names() -> tuple[str, ...]:
    """The names that `parse` takes, UTC first."""
    return (UTC_NAME, *sorted(zone for zone in available_timezones() if zone.partition("/")[0] in _REGIONS))
