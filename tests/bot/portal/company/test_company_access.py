"""Days are those of UTC, and the last one still counts."""

import re
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bot.portal.company import company_access

STORES = Path(__file__).parents[4] / "agreements" / "store"


@pytest.fixture(name="noon")
def _noon(portal):
    """A page that is asked for on 21 November 2026 at noon."""
    with portal.app.test_request_context("/company"):
        yield


def test_days(noon):
    """The first begins at midnight, today begins at once; the last ends at the midnight after it."""
    assert (
        company_access.first_day(" ") is company_access.first_day("2026-11-21") is company_access.after_day("") is None
    )
    assert company_access.first_day(" 2026-11-22 ") == datetime(2026, 11, 22, tzinfo=UTC)
    assert company_access.after_day("2026-11-21") == datetime(2026, 11, 22, tzinfo=UTC)
    assert company_access.first_day("0001-01-01") == datetime(2000, 1, 1, tzinfo=UTC), "a day, long past"


@pytest.mark.parametrize(
    "typed", ["tomorrow", "2026-02-30", "20261121", "2026-W47-6", "9999-12-31", "2026-11-21T00:00"]
)
def test_no_days(noon, typed):
    """Written another way, or so far away that no calendar reaches it."""
    for read in (company_access.first_day, company_access.after_day):
        with pytest.raises(ValueError):  # noqa: PT011 - the standard library's words differ
            read(typed)


def test_every_refusal_has_its_sentence():
    """A reason that the records may give is never a page that breaks."""
    sources = [path.read_text(encoding="utf-8") for path in STORES.rglob("*.py")]
    reasons = {reason for text in sources for reason in re.findall(r'CompanyRefused\("([a-z-]+)"\)', text)}

    assert len(reasons) > 15
    assert sorted(reasons - company_access.REFUSALS.keys()) == []
