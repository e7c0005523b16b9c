"""Moments as text and back: RFC 3339 with a zone, always UTC inside."""

from datetime import UTC, date, datetime


def moment(text: str) -> datetime | None:
    """The moment that the text names, in UTC; None when it names none or has no zone."""
    try:
        parsed = datetime.fromisoformat(text)
        return None if parsed.tzinfo is None else parsed.astimezone(UTC)
    except (ValueError, OverflowError):  # Year 1 in a zone east of Greenwich lies before Python's first.
        return None


def moment_or_day(value: object) -> datetime | None:
    """As `moment`; a day without a time is its first instant in UTC. YAML's own dates are taken, too."""
    if isinstance(value, datetime):
        return moment(value.isoformat())  # YAML makes a datetime of an unquoted moment.
    if isinstance(value, date):
        return datetime(value.year, value.month, value.day, tzinfo=UTC)
    if not isinstance(value, str):
        return None
    if len(value) == len("2026-01-01"):
        return moment(f"{value}T00:00:00Z")
    return moment(value)


def text(when: datetime) -> str:
    """The moment as text, `2026-01-01T00:00:00Z`."""
    return when.astimezone(UTC).isoformat().replace("+00:00", "Z")
