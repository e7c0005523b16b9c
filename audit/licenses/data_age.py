"""The age of the licence data that judged, in words: each report says it, and warns of data older than three years.

The age is in months and years: a report of the next night says the same.
"""

from collections.abc import Iterable
from datetime import UTC, date, datetime, timedelta
from typing import Final

SOURCE: Final = "https://www.osadl.org/fileadmin/checklists/matrixseqexpl.json"
"""The address of OSADL's newest matrix."""
MAX_DATA_YEARS: Final = 3
"""Years; between 2024 and 2026 OSADL added six licences and changed no answer of the others."""
_MAX_DATA_AGE: Final = timedelta(days=MAX_DATA_YEARS * 365)


def said(versions: Iterable[str], at: datetime) -> str:
    """The dates of the data, each with its age: `2024-11-04 (18 months old)`; other words where no data was asked."""
    return ", ".join(f"{version}{_age(version, at)}" for version in versions) or "no date (no answer was looked up)"


def outdated(versions: Iterable[str], at: datetime) -> tuple[str, ...]:
    """The versions that are older than three years at that moment."""
    return tuple(version for version in versions if (age := _since(version, at)) is not None and age > _MAX_DATA_AGE)


def warning(versions: Iterable[str], at: datetime) -> str | None:
    """A line on data older than three years, and what to do; None where there is none."""
    old = outdated(versions, at)
    if not old:
        return None
    return (
        f"The licence data of {', '.join(old)} is older than three years: newer licences and answers are missing. "
        f"Download {SOURCE} and run `countersign license refresh FILE`."
    )


def _age(version: str, at: datetime) -> str:
    """In full months, from two years on in full years."""
    since = _since(version, at)
    if since is None or since < timedelta():  # No day, or one of the future.
        return ""
    then, now = date.fromisoformat(version), at.astimezone(UTC).date()
    # The last month counts once it is full.
    months = (now.year - then.year) * 12 + now.month - then.month - (now.day < then.day)
    if not months:
        return " (less than a month old)"
    number, unit = (months, "month") if months < 24 else (months // 12, "year")
    return f" ({number} {unit}{'' if number == 1 else 's'} old)"


def _since(version: str, at: datetime) -> timedelta | None:
    try:
        return at.astimezone(UTC).date() - date.fromisoformat(version)
    except ValueError:
        return None  # The version is no day.
