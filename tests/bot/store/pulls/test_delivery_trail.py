"""A review answers to the deliveries up to its claim that were not acted on, newest first."""

from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import update
from sqlmodel import select

from bot.clock import new_id, now
from bot.store import inbox
from bot.store.inbox import ReviewDelivery
from bot.store.pulls import delivery_trail, review_mailbox
from bot.store.pulls.delivery_trail import MAX_DELIVERIES, DeliveryTrail, HeadTrail
from bot.store.pulls.review_mailbox import REVIEWS
from bot.store.records import DeliveryRecord, PullRecord
from tests.bot import deliveries
from tests.bot.jobs.inline import InlineEngine

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)


@pytest.fixture(name="arrive")
def _arrive(sessions):
    """Stores a delivery about one pull request, a minute after the one before."""
    moments = iter(range(1000))

    def arrive(guid, number=5):
        item = ReviewDelivery(
            guid=guid, event="pull_request", pull=deliveries.pull_request(11, number, owner_id=7), ids={}
        )
        with sessions() as session:
            deliveries.store(session, InlineEngine(), item, at=NOON + timedelta(minutes=next(moments)))
            return review_mailbox.find(session, 11, number)

    return arrive


def claimed(sessions):
    """By pull request that a job claims now: its trail."""
    with sessions() as session:
        found = REVIEWS.claim(session, InlineEngine(), "later", new_id(), at=now())
    return {claim.pull_id: claim.trail for claim in found}


def test_a_claim_has_its_unanswered_deliveries_with_the_newest_first(sessions, arrive):
    for guid in ("done", "one", "two"):
        arrive(guid)
    other = arrive("another", number=6)
    pull = arrive("later")
    with sessions() as session:
        inbox.done(session, "done")
        session.execute(update(PullRecord).where(PullRecord.number == 5).values(latest=pull.latest - 1))

    found = claimed(sessions)

    assert found[pull.id] == DeliveryTrail(("two", "one"), NOON + timedelta(minutes=1))
    assert found[pull.id].newest == "two"
    assert found[other.id].guids == ("another",)


def test_a_claim_without_deliveries_has_an_empty_trail(sessions, arrive):
    pull = arrive("done")
    with sessions() as session:
        inbox.done(session, "done")
    assert claimed(sessions)[pull.id] == DeliveryTrail()
    assert DeliveryTrail().newest is None


def test_the_trail_names_a_limited_number_of_the_newest_deliveries(sessions, arrive):
    for number in range(MAX_DELIVERIES + 5):
        pull = arrive(f"g{number}")
    found = claimed(sessions)[pull.id]
    assert (len(found.guids), found.newest) == (MAX_DELIVERIES, f"g{MAX_DELIVERIES + 4}")


def test_a_heads_trail_names_the_newest_delivery_and_its_pull_request(sessions, arrive):
    arrive("one")
    pull = arrive("two")
    with sessions() as session:
        assert delivery_trail.of_head(session, 11, "a" * 40) == HeadTrail()
        session.execute(update(PullRecord).values(head_sha="a" * 40))
    with sessions() as session:
        found = delivery_trail.of_head(session, 11, "a" * 40)
        received_at = session.exec(select(DeliveryRecord.received_at).where(DeliveryRecord.guid == "two")).one()
    assert found.about == {"delivery": "two", "repository": f"{pull.owner}/{pull.name}", "number": 5}
    assert found.received_at == received_at
