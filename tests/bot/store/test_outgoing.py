"""What waits is tried for a day, then given up; outgoing mail and webhooks share it (test_outbox, too)."""

from datetime import UTC, datetime, timedelta

import pytest

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


def test_it_ends(sessions, add):
    """It is tried quickly for an hour, then once an hour for a day, then given up: no job takes it any more."""
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


def test_a_late_word_changes_nothing(sessions, add):
    """A run whose lease ended, and whose row another run took over, says nothing of it any more."""
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


def test_what_a_killed_process_had_counts_as_tried(sessions, add):
    """It may have been sent: it comes soon, again, and not at each start without end."""
    add("w1")
    at = AT
    for tries in range(1, MAX_TRIES + 1):
        with sessions() as session:
            assert QUEUE.claim(session, InlineEngine(), "later", "job", at=at)
        with sessions() as session:  # after a crash the job is run with the same id
            assert QUEUE.claim(session, InlineEngine(), "later", "job", at=at) == []
        with sessions() as session:
            row = session.get(OutgoingWebhook, "w1")
            assert (row.attempts, row.lease_by) == (tries, None)
            at = row.due_at
    assert (row.state, row.error) == ("failed", "the process ended before the answer came")


def test_endpoints_take_turns(sessions, add):
    """Many for one of them hold up nothing for another."""
    add(*(f"w{number}" for number in range(40)))
    add("other", endpoint="f", due_at=AT + timedelta(minutes=1))
    with sessions() as session:
        found = QUEUE.claim(session, InlineEngine(), "later", "job", at=AT + timedelta(minutes=2))
    assert "other" in {lease.row.id for lease in found}


def test_of_the_release_before(sessions, add):
    """It stores rows without a moment: they are found. What one of our runs has it leaves alone until the lease ends."""
    add("w1", due_at=None)
    with sessions() as session:
        assert take(session, QUEUE, at=AT) is None
        assert QUEUE.repair(session, InlineEngine(), at=AT) == 1
        assert take(session, QUEUE, at=AT).row.id == "w1"
        session.expire_all()
        assert session.get(OutgoingWebhook, "w1").not_before == AT + LEASE
