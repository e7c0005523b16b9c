"""Deliveries that wait for long, or have failed, fail the item; what came a moment ago is no backlog."""

from datetime import UTC, datetime, timedelta

from bot import clock
from bot.store import inbox

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)


def arrive(deployed, guid, ago):
    """One delivery that came so long ago."""
    with deployed.sessions() as session:
        inbox.store(session, [inbox.ReviewDelivery(guid=guid, event="push", ids={})], at=clock.now() - ago)


def test_backlog(deployed):
    """Ten minutes are long."""
    arrive(deployed, "new", timedelta(seconds=5))
    assert deployed.item("work.backlog") == ("pass", "1 delivery is waiting, none for long.")
    arrive(deployed, "old", timedelta(minutes=30))
    assert deployed.item("work.backlog") == ("fail", "2 deliveries are waiting, the oldest for 30 minutes.")


def test_failed_deliveries(deployed):
    """Nobody tries those again."""
    arrive(deployed, "a", timedelta(seconds=5))
    with deployed.sessions() as session:
        inbox.failed(session, "a")
    assert deployed.item("work.failed") == ("fail", "1 delivery failed after a day of retries.")
    assert deployed.item("work.backlog") == ("pass", "No deliveries are waiting.")
