"""Outgoing e-mails and webhooks are tried for a day and then given up."""

from datetime import UTC, datetime, timedelta

import pytest

from bot.store import outgoing_webhooks
from bot.store.leases import LEASE
from bot.store.outgoing import MAX_TRIES
from bot.store.outgoing_webhooks import QUEUE, OutgoingWebhook
from bot.store.retry_policy import SLOW_RETRY
from tests.bot.claims import take
from tests.bot.jobs.inline import InlineEngine

AT = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.fixture(name="add")
def _add(sessions):
    """Store rows that wait since then."""

    def add(*ids, **values):
        with sessions() as session:
            for number, row_id in enumerate(ids):
                at = AT + timedelta(seconds=number)
                about = {
                    "endpoint": "e",
                    "event": "signed",
                    "sealed": b"",
                    "due_at": at,
                    "not_before": at,
                    "made_at": at,
                }
                session.add(OutgoingWebhook(id=row_id, state="waiting", **{**about, **values}))

    return add


def test_an_item_is_tried_for_a_day_and_then_given_up(sessions, add):
    add("w1")
    at, waited = AT, []
    while True:
        with sessions() as session:
            state = QUEUE.put_off(session, take(session, QUEUE, at=at), "503", at=at)
        if state == "failed":
            break
        with sessions() as session:
            due_at = session.get(OutgoingWebhook, "w1").due_at
            assert take(session, QUEUE, at=due_at - timedelta(milliseconds=1)) is None
        waited.append(due_at - at)
        at = due_at
    with sessions() as session:
        row = session.get(OutgoingWebhook, "w1")
        assert (row.state, row.attempts, row.due_at, row.lease_by) == ("failed", MAX_TRIES, None, None)
        assert take(session, QUEUE, at=at + timedelta(days=9)) is None
        assert QUEUE.counts(session) == {"failed": 1}
    assert waited[0] < timedelta(minutes=1)
    assert waited[-24:] == [SLOW_RETRY] * 24
    assert timedelta(hours=24) < at - AT < timedelta(hours=26)


def test_a_run_whose_lease_ended_changes_nothing(sessions, add):
    add("w1")
    with sessions() as session:
        slow = take(session, QUEUE, at=AT)
    later = AT + LEASE
    with sessions() as session:
        QUEUE.repair(session, InlineEngine(), at=later)
        quick = take(session, QUEUE, at=later)
    with sessions() as session:
        QUEUE.failed(session, slow, "too slow")
        assert session.get(OutgoingWebhook, "w1").state == "waiting"
        QUEUE.sent(session, quick, at=later)
    with sessions() as session:
        QUEUE.put_off(session, slow, "too slow", at=later)
        QUEUE.failed(session, quick, "again")
        assert session.get(OutgoingWebhook, "w1").state == "sent"


def test_an_urgent_item_stays_urgent_after_a_failure(sessions, add):
    add("w1", urgent=True)
    with sessions() as session:
        QUEUE.put_off(session, take(session, QUEUE, at=AT), "503", at=AT)
    with sessions() as session:
        assert session.get(OutgoingWebhook, "w1").urgent


def test_a_silent_endpoint_delays_its_own_items_alone(sessions, add):
    add("tried", "waits")
    add("held", lease_by="j/x", lease_until=AT + LEASE)
    add("other", endpoint="f", due_at=AT + timedelta(seconds=2))
    with sessions() as session:
        lease = take(session, QUEUE, at=AT)
        QUEUE.put_off(session, lease, "503", at=AT + timedelta(seconds=3))
        outgoing_webhooks.put_off_others(session, lease, at=AT + timedelta(seconds=3))
    with sessions() as session:
        seconds = {row.id: (row.due_at - AT).total_seconds() for row in QUEUE.listed(session)}
        assert QUEUE.repair(session, InlineEngine(), at=AT - timedelta(minutes=30)) == 2
    assert seconds == {"tried": 8, "waits": 8, "held": 0, "other": 2}


def test_endpoints_take_turns(sessions, add):
    add(*(f"w{number}" for number in range(40)))
    add("other", endpoint="f", due_at=AT + timedelta(minutes=1))
    with sessions() as session:
        found = QUEUE.claim(session, InlineEngine(), "outgoing", "job", at=AT + timedelta(minutes=2))
    assert "other" in {lease.row.id for lease in found}


def test_an_item_stored_by_a_clock_that_was_ahead_is_repaired(sessions, add):
    add("w1", due_at=AT + timedelta(hours=1), not_before=AT + timedelta(hours=1))
    with sessions() as session:
        assert QUEUE.repair(session, InlineEngine(), at=AT) == 1
    with sessions() as session:
        assert take(session, QUEUE, at=AT).row.id == "w1"


def test_an_item_without_a_moment_is_repaired(sessions, add):
    """An earlier release stores rows without a moment."""
    add("w1", due_at=None)
    with sessions() as session:
        assert take(session, QUEUE, at=AT) is None
        assert QUEUE.repair(session, InlineEngine(), at=AT) == 1
        assert take(session, QUEUE, at=AT).row.id == "w1"
        session.expire_all()
        assert session.get(OutgoingWebhook, "w1").not_before == AT + LEASE
