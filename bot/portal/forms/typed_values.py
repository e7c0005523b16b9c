"""What people type or ask for: a field, a day, an account's number, a reason, the page of a list."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

from flask import request

MAX_REASON_CHARACTERS = 2000
"""Characters of a reason."""

_MAX_PAGES = 100_000


def field(name: str) -> str:
    """What was typed into a field of the form, without the white space around it."""
    return request.form.get(name, "").strip()


def reason_text() -> str:
    """The reason in the form, on one line."""
    return " ".join(request.form.get("reason", "").split())


def day_start(text: str) -> datetime | None:
    """The moment in UTC at which that day, as year-month-day, begins; None for what is no day."""
    try:
        return datetime.strptime(text, "%Y-%m-%d").replace(tzinfo=UTC)
    except ValueError:
        return None


def chosen_days(filters: Mapping[str, str]) -> tuple[datetime | None, datetime | None]:
    """The beginning of `from` and the end of `to`, the last day that counts; None for what is no day.

    Within the years that every database can compare.
    """
    days = (day_start(filters.get(name, "")) for name in ("from", "to"))
    since, last = (day if day and 1970 <= day.year < 9000 else None for day in days)
    return since, last + timedelta(days=1) if last else None


def account_number(text: str) -> int | None:
    """The number of a GitHub account; None for what cannot be one."""
    number = int(text) if text.isascii() and text.isdecimal() and len(text) < 20 else 0
    return number if 0 < number < 2**63 else None


def page_number() -> int:
    """The page of a list that the address asks for with `?page=`, from 1 on; what is no number asks for the first."""
    asked = request.args.get("page", "")
    number = int(asked) if asked.isascii() and asked.isdecimal() and len(asked) < 7 else 1
    return min(max(number, 1), _MAX_PAGES)
