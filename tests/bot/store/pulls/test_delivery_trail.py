"""Which deliveries a review answers to: those up to its claim that were not acted on, the newest first."""

from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import update
from sqlmodel import select

from bot.store import inbox
from bot.store.inbox import ReviewDelivery
from bot.store.pulls import delivery_trail, review_mailbox
from bot.store.pulls.delivery_trail import MAX_DELIVERIES, DeliveryTrail, HeadTrail
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


def trail(sessions, pull, covered):
    """Of a review that claimed so far."""
    with sessions() as session:
        return delivery_trail.of_review(session, pull.id, covered)


def test_the_newest_is_first_and_the_oldest_says_since_when(sessions, arrive):
    """What came later, was acted on, or is about another pull request does not belong to it."""
    for guid in ("done", "one", "two"):
        arrive(guid)
    arrive("another", number=6)
    pull = arrive("later")
    with sessions() as session:
        inbox.done(session, "done")

    found = trail(sessions, pull, pull.latest - 1)

    assert found == DeliveryTrail(("two", "one"), NOON + timedelta(minutes=1))
    assert found.newest == "two"


def test_a_look_by_ourselves_answers_to_none(sessions, arrive):
    """Nothing came in."""
    pull = arrive("done")
    with sessions() as session:
        inbox.done(session, "done")
    assert trail(sessions, pull, pull.latest) == DeliveryTrail()
    assert DeliveryTrail().newest is None


def test_not_more_are_named_than_anybody_reads(sessions, arrive):
    """The newest of them."""
    for number in range(MAX_DELIVERIES + 5):
        pull = arrive(f"g{number}")
    found = trail(sessions, pull, pull.latest)
    assert (len(found.guids), found.newest) == (MAX_DELIVERIES, f"g{MAX_DELIVERIES + 4}")


def test_of_a_head(sessions, arrive):
    """What came in last about a pull request with that head, and which one that is."""
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
