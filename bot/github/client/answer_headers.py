"""The headers of an answer as GitHub means them, where something on the way repeated one or wrote it in another form."""

from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Final

_NUMBERS: Final = frozenset({"x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset", "x-ratelimit-used"})
_MAX_DIGITS: Final = 12  # Seconds since 1970 have ten; a longer number cannot be meant.


def readable(headers: Mapping[str, str]) -> dict[str, str]:
    """The same headers without the rate-limit values that are not whole numbers; of repeated ones the first counts."""
    kept = {}
    for name, value in headers.items():
        if name.lower() not in _NUMBERS:
            kept[name] = value
        # A proxy may send a header twice (RFC 9110, 5.2, joins by a comma): a good answer is not refused for it.
        elif (found := number(value)) is not None:
            kept[name] = str(found)
    return kept


def number(value: object) -> int | None:
    """The whole number in a header, the first of several; None where there is none, or one that cannot be meant."""
    whole, _, fraction = str(value or "").partition(",")[0].strip().partition(".")
    # Limits have come with decimals, too (PyGithub/PyGithub#2697).
    is_number = whole.isdecimal() and (not fraction or fraction.isdecimal())
    return int(whole) if is_number and len(whole) <= _MAX_DIGITS else None


def moment(value: object) -> datetime | None:
    """The moment in a header, the first of several; None where there is none, or another thing."""
    # Repeated headers are joined by a comma, which a date contains too: the first date ends at "GMT".
    text, zone, _ = str(value or "").partition("GMT")
    try:
        found = parsedate_to_datetime(text + zone)
    except (ValueError, TypeError, OverflowError):
        return None
    return found.replace(tzinfo=UTC) if found.tzinfo is None else found  # RFC 9110, 5.6.7: always GMT.


def links(value: object) -> dict[str, str]:
    """Relation → address of a Link header (RFC 8288), other parameters are left out."""
    from requests.utils import parse_header_links  # noqa: PLC0415 - its library is slow to load

    found = parse_header_links(str(value or ""))
    # Reversed, so that of two links with the same relation the first counts.
    return {relation: link["url"] for link in reversed(found) for relation in link.get("rel", "").lower().split()}
