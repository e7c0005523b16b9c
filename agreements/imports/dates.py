"""Dates as other tools write them; a time without a zone is UTC, and a text that could mean two days is no date."""

import re
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

UNREADABLE = "signed_at is not a clear date: write 2024-05-31, or 2024-05-31T12:00:00Z (a time without a zone is UTC)"

_MAX_DATE_CHARACTERS = 80
_MONTHS = (
    "january", "february", "march", "april", "may", "june",
    "july", "august", "september", "october", "november", "december",
)  # fmt: skip
_AMERICAN = re.compile(r"([A-Za-z]{3,9})\.? ([0-9]{1,2}), ?([0-9]{4})")
"""The form of EasyCLA: `Jan 2,2006`."""
_SCRIPT = re.compile(
    r"[A-Za-z]{3} ([A-Za-z]{3}) ([0-9]{1,2}) ([0-9]{4}) ([0-9]{2}:[0-9]{2}:[0-9]{2})"
    r" (?:GMT|UTC)([+-][0-9]{4})?(?: \([^()]*\))?"
)
"""The form of a browser's Date: `Fri Apr 15 1988 00:00:00 GMT-0700 (PDT)`."""
_DAY, _MONTH, _TIME = r"[A-Za-z]{3}", r"[A-Za-z]{3}", r"[0-9]{1,2}:[0-9]{2}(?::[0-9]{2})?"
_ZONE = r"(?: (?:GMT|UTC?|Z|[+-][0-9]{4}(?: \([^()]*\))?))?"
_MAIL = re.compile(
    rf"(?:{_DAY}, ?)?(?:[0-9]{{1,2}} {_MONTH}|{_MONTH} [0-9]{{1,2}},) [0-9]{{4}},? {_TIME}{_ZONE}"
    rf"|{_DAY} {_MONTH} {{1,2}}[0-9]{{1,2}} {_TIME}(?: (?:GMT|UTC))? [0-9]{{4}}(?: [+-][0-9]{{4}})?"
)
"""The form of RFC 5322, also with the month first, and the forms of `date` and of git: `Fri May 3 10:00:00 2019 +0800`."""


def signing_date(value: object) -> datetime | None:
    """The moment in UTC; a day alone is its first instant. None for a text that is no date, or could be two.

    Takes ISO 8601, RFC 5322 (`Tue, 14 Mar 2023 11:22:33 GMT`), `Jan 2,2006`, and the forms of browsers, `date` and git.
    """
    # A number may count seconds or milliseconds.
    if not isinstance(value, str) or not 8 <= len(value.strip()) <= _MAX_DATE_CHARACTERS:
        return None
    text = value.strip()
    for read in (_iso, _american, _script, _mail):
        try:
            found = read(text)
            if found is not None:
                return found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)
        except (ValueError, OverflowError, TypeError, IndexError):
            continue
    return None


def _iso(text: str) -> datetime | None:
    return datetime.fromisoformat(text.removesuffix(" UTC")) if text[:4].isdigit() and text.isascii() else None


def _american(text: str) -> datetime | None:
    found = _AMERICAN.fullmatch(text)
    return found and datetime(int(found[3]), _month(found[1]), int(found[2]), tzinfo=UTC)


def _script(text: str) -> datetime | None:
    found = _SCRIPT.fullmatch(text)
    if found is None:
        return None
    zone = found[5] or "+0000"
    day = f"{found[3]}-{_month(found[1]):02}-{int(found[2]):02}"
    return datetime.fromisoformat(f"{day}T{found[4]}{zone}")


def _mail(text: str) -> datetime | None:
    # By its form first: the reader of RFC 5322 ignores what it does not know, such as `PM` and `GMT+8`.
    return parsedate_to_datetime(text) if _MAIL.fullmatch(text) else None


def _month(name: str) -> int:
    return next((number for number, month in enumerate(_MONTHS, 1) if month.startswith(name.lower())), 0)
