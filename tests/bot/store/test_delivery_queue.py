"""What waits is claimed by one at a time, the least tried first; outgoing mail and webhooks share it (test_outbox, too)."""

import threading
from datetime import UTC, datetime, timedelta

import pytest

from bot.store.delivery_queue import RETRY_DELAYS, SENDING_LEASE
from bot.store.outgoing_webhooks import QUEUE, OutgoingWebhook

AT = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.fixture(name="add")
def _add(sessions):
    """Store rows that wait since then."""

    def add(*ids):
        with sessions() as session:
            for number, row_id in enumerate(ids):
                at = AT + timedelta(seconds=number)
                session.add(
                    OutgoingWebhook(
                        id=row_id, state="waiting", not_before=at, made_at=at, endpoint="e", event="signed", sealed=b""
                    )
                )

    return add


def test_one_has_it(sessions, add):
    """Of several at the same moment; after LEASE it is free again."""
    add("w1")
    found = []

    def claim():
        with sessions() as session:
            found.append(QUEUE.claim(session, at=AT))

    threads = [threading.Thread(target=claim) for _ in range(4)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert [one.id for one in found if one] == ["w1"]
    with sessions() as session:
        assert QUEUE.claim(session, at=AT + SENDING_LEASE - timedelta(seconds=1)) is None
        assert QUEUE.claim(session, at=AT + SENDING_LEASE).attempts == 2


def test_what_fails_holds_up_nothing(sessions, add):
    """The least tried first."""
    add("w1", "w2")
    later = AT + timedelta(minutes=10)
    with sessions() as session:
        QUEUE.put_off(session, QUEUE.claim(session, at=AT), "503", at=AT)
    with sessions() as session:
        assert QUEUE.claim(session, at=later).id == "w2"
        assert QUEUE.claim(session, at=later).id == "w1"


def test_it_ends(sessions, add):
    """Each wait is used once, then it is given up, and nobody claims it any more."""
    add("w1")
    at = AT
    for _ in RETRY_DELAYS:
        with sessions() as session:
            assert QUEUE.put_off(session, QUEUE.claim(session, at=at), "503", at=at) == "waiting"
        at += timedelta(hours=1)
    with sessions() as session:
        assert QUEUE.put_off(session, QUEUE.claim(session, at=at), "503", at=at) == "failed"
    with sessions() as session:
        assert QUEUE.claim(session, at=at + timedelta(days=9)) is None
        assert QUEUE.counts(session) == {"failed": 1}
