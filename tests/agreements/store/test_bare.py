"""A look-up past the mapper sees what the session has not written yet, and gives values as the columns have them."""

from sqlmodel import col, select

from agreements.store import bare
from agreements.store.records import Campaign


def test_what_is_pending_is_seen(session, at):
    """Like any other look-up of the session."""
    session.add(Campaign(id="c1", agreement="icla", version="2.0", until=at, started_at=at, started_by=9))
    found = bare.rows(session, select(Campaign.id, Campaign.until).where(col(Campaign.started_by) == 9), {})

    assert [tuple(row) for row in found] == [("c1", at)]


def test_among(session, at):
    """One of some values, or none of them: the same answer in either database, and the same query again."""
    for number in (1, 2, 3):
        session.add(
            Campaign(id=f"c{number}", agreement="icla", version="2.0", until=at, started_at=at, started_by=number)
        )
    query = select(Campaign.id).where(bare.among(bare.dialect(session), col(Campaign.started_by), "who"))

    assert [sorted(row[0] for row in bare.rows(session, query, {"who": who})) for who in ([1, 3], [2], [7], [])] == [
        ["c1", "c3"],
        ["c2"],
        [],
        [],
    ]
