"""A look-up past the mapper sees what the session has not written yet, and gives values as the columns have them."""

from sqlmodel import col, select

from agreements.store import bare
from agreements.store.records import Campaign


def test_what_is_pending_is_seen(session, at):
    """Like any other look-up of the session."""
    session.add(Campaign(id="c1", agreement="icla", version="2.0", until=at, started_at=at, started_by=9))
    found = bare.rows(session, select(Campaign.id, Campaign.until).where(col(Campaign.started_by) == 9), {})

    assert [tuple(row) for row in found] == [("c1", at)]
