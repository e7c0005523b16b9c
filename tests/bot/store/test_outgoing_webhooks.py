"""Outgoing webhooks are sealed, erased with their account, deleted by age, and sent again on request."""

from datetime import UTC, datetime, timedelta
from itertools import count

import pytest

from bot.store import activity_data, activity_erasure, outgoing_webhooks
from bot.store.outgoing_webhooks import QUEUE, WEBHOOK_RETENTION
from tests.bot.claims import take
from tests.within import within

AT = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.fixture(name="add")
def _add(sessions, vault):
    """Store one about that account."""
    ids = (f"w{number}" for number in count(1))

    def add(account_id=None, at=AT):
        with sessions() as session:
            outgoing_webhooks.add(within(session, vault, at, lambda: next(ids)), b'{"login":"kanarienvogel"}', endpoints=["chat"], event="signed", account_id=account_id)  # fmt: skip

    return add


def ids(sessions):
    """What is there."""
    with sessions() as session:
        return [webhook.id for webhook in QUEUE.listed(session)]


def test_a_webhook_is_sealed_in_its_row(sessions, vault, add):
    add(11)
    with sessions() as session:
        [row] = QUEUE.listed(session)
        assert b"kanarienvogel" not in row.sealed
        assert outgoing_webhooks.body(vault, row) == b'{"login":"kanarienvogel"}'


def test_an_erasure_deletes_the_webhooks_about_the_account(sessions, vault, add):
    add(11)
    add(12)
    add()
    with sessions() as session:
        [webhook] = activity_data.everything(session, vault, 11)["outgoing_webhooks"]
        assert (webhook["event"], webhook["state"]) == ("signed", "waiting")
        activity_erasure.forget(session, 11)
    assert ids(sessions) == ["w2", "w3"]


def test_finished_webhooks_are_deleted_by_age_and_waiting_ones_stay(sessions, add):
    for _ in range(4):
        add()
    with sessions() as session:
        for _ in range(3):
            QUEUE.sent(session, take(session, QUEUE, at=AT), at=AT)
    with sessions() as session:
        assert outgoing_webhooks.purge(session, at=AT + WEBHOOK_RETENTION, most=9) == 0
        assert outgoing_webhooks.purge(session, at=AT + WEBHOOK_RETENTION + timedelta(seconds=1), most=2) == 2
        assert outgoing_webhooks.purge(session, at=AT + WEBHOOK_RETENTION + timedelta(seconds=1), most=2) == 1
    assert len(ids(sessions)) == 1


def test_a_sent_webhook_is_queued_again_under_its_id(sessions, add):
    add()
    add()
    with sessions() as session:
        QUEUE.sent(session, take(session, QUEUE, at=AT), at=AT)
    with sessions() as session:
        assert outgoing_webhooks.again(session, ["w1", "w2"], at=AT) == ["w1"]
        assert QUEUE.counts(session) == {"waiting": 2}
