"""Deliveries that wait for long, or have failed, fail the item; what came a moment ago is no backlog."""

from datetime import UTC, datetime, timedelta

import pytest

from bot import clock
from bot.store import inbox
from bot.store.pulls import paused_items, posts
from tests.bot import deliveries
from tests.bot.jobs.inline import InlineEngine

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


def reverse(deployed, number, *kinds, by):
    """On that pull request of ours somebody took these back three times."""
    box = deliveries.pull_request(11, number, name="ops")
    with deployed.sessions() as session:
        (posted,) = posts.post_all(session, InlineEngine(), [posts.Post(pull=box, after="a" * 40)])
        for kind in kinds:
            about = {"label": paused_items.about_label("a" * 40, ""), "check": "a" * 40, "comment": ""}[kind]
            for _ in range(3):
                paused_items.count_reversal(session, posted.pull_id, kind, about, reversed_by=by, at=clock.now())


def test_nobody_reverses(deployed):
    """As it should be."""
    assert deployed.item("work.reversed") == ("pass", "Nobody keeps reversing what is written at GitHub.")


@pytest.mark.parametrize(
    ("kind", "by", "said", "remedy"),
    [
        ("label", "other-cla[bot]", "the App other-cla[bot] keeps reversing the label", "different labels"),
        ("check", paused_items.OWN_APP, "another server of the same App keeps reversing the check run", "other server"),
        ("label", paused_items.PERSON, "a person or a workflow with a person's token keeps reversing the label", "Ask"),
        ("comment", paused_items.UNKNOWN, "somebody keeps reversing the comment (it is deleted)", "timeline"),
    ],
)  # fmt: skip
def test_who_reverses(deployed, kind, by, said, remedy):
    """Repository and number, the cause, and what to do about it."""
    reverse(deployed, 5, kind, by=by)
    found = next(one for one in deployed.report().items if one.id == "work.reversed")
    assert (found.status, found.message) == ("fail", f"cann/ops#5: {said}.")
    assert remedy in found.remedy
    assert "/cla-check" in found.remedy


def test_many(deployed):
    """Five are named."""
    for number in range(1, 8):
        reverse(deployed, number, "label", by="other-cla[bot]")
    status, said = deployed.item("work.reversed")
    assert (status, said.count("#"), said.endswith("2 more.")) == ("fail", 5, True)
