"""When the schedule of a CronJob fires: on which days, by the five fields that Kubernetes takes."""

import re
from datetime import date, timedelta
from itertools import pairwise
from typing import Final

_MACROS: Final = {
    "@yearly": "0 0 1 1 *", "@annually": "0 0 1 1 *", "@monthly": "0 0 1 * *", "@weekly": "0 0 * * 0", "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *", "@hourly": "0 * * * *",
}  # fmt: skip
_MONTHS: Final = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_DAYS: Final = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")
_FIELDS: Final = ((0, 59, ()), (0, 23, ()), (1, 31, ()), (1, 12, _MONTHS), (0, 6, _DAYS))
_FIRST, _DAYS_LOOKED_AT = date(2024, 1, 1), 2 * (4 * 365 + 1)
"""Two leap years with what follows them: every date comes twice."""


class ScheduleInvalid(Exception):
    """Kubernetes would not take this schedule; the message says why."""


def longest_pause(schedule: str) -> int | None:
    """The most days from one firing to the next (1: daily or more often); None when it never fires. Raises ScheduleInvalid."""
    fields = _MACROS.get(schedule.strip(), schedule).split()
    if fields[:1] == ["@every"]:
        hours = re.match(r"(\d+)h", "".join(fields[1:]))
        return max(1, -(-int(hours[1]) // 24)) if hours else 1
    if len(fields) != len(_FIELDS):
        raise ScheduleInvalid(f"`{schedule}` has {len(fields)} fields, not 5")
    _minutes, _hours, days, months, weekdays = (
        _values(field, low, high, names) for field, (low, high, names) in zip(fields, _FIELDS, strict=True)
    )
    every = [_FIRST + timedelta(count) for count in range(_DAYS_LOOKED_AT)]
    meant = any if not {"*", "?"} & {fields[2], fields[4]} else all  # either is enough only where both are said
    fired = [day for day in every if day.month in months and meant((day.day in days, day.isoweekday() % 7 in weekdays))]
    return max(((later - one).days for one, later in pairwise(fired)), default=None)


def _values(field: str, low: int, high: int, names: tuple[str, ...]) -> set[int]:
    found: set[int] = set()
    for part in field.split(","):
        span, is_stepped, step = part.partition("/")
        first, is_span, last = span.partition("-")
        if span in ("*", "?"):
            start, end = low, high
        else:
            start = _number(first, low, names)
            end = _number(last, low, names) if is_span else (high if is_stepped else start)
        every = int(step) if step.isdecimal() else 0
        if not low <= start <= end <= high or (is_stepped and not every):
            raise ScheduleInvalid(f"`{part}` is not between {low} and {high}")
        found |= set(range(start, end + 1, every or 1))
    return found


def _number(text: str, low: int, names: tuple[str, ...]) -> int:
    if text.lower() in names:
        return names.index(text.lower()) + low
    if not text.isdecimal():
        raise ScheduleInvalid(f"`{text}` is no number")
    return int(text)
