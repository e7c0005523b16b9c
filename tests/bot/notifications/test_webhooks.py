"""Events become rows with the transaction that they speak of: none is lost, none comes twice, those that nobody chose are not kept."""

import threading
from dataclasses import replace

import pytest

from agreements.store.ledger import ledger
from agreements.store.ledger.ledger import SERVER, Change
from bot.notifications.payloads import Notification
from bot.notifications.webhooks import tell_undelivered
from bot.store.outgoing_webhooks import QUEUE
from tests.bot.notifications.conftest import AT

NEWS = Notification("verdict-changed", {"number": 1}, AT)


def test_with_the_transaction_or_not_at_all(told):
    """A transaction that fails tells nobody."""

    def fail():
        with told.sessions() as session:
            told.webhooks.enqueue(session, [NEWS])
            session.flush()
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert told.rows() == {}
    with told.sessions() as session:
        told.webhooks.enqueue(session, [NEWS])
    assert len(told.rows()) == 1


def test_each_gets_what_it_chose(told):
    """One row for each endpoint that chose the event."""
    [one] = told.endpoints
    told.endpoints = (one, replace(one, name="chat", events=frozenset({"withdrawn"})), replace(one, name="hr"))
    told.sign()
    told.webhooks.follow_log()
    with told.sessions() as session:
        assert sorted(row.endpoint for row in QUEUE.listed(session)) == ["hr", "warehouse"]


def test_records_are_told_once(told):
    """Signatures and companies, each by its own event; also when several processes look at the same moment."""
    told.receiver.start()
    for number in range(5):
        told.sign(11 + number, f"ada{number}")
    told.change_company()
    threads = [threading.Thread(target=told.webhooks.follow_log) for _ in range(4)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    told.round()

    found = sorted((one["event"], str(one["body"].get("account", {}).get("id"))) for one in told.receiver.received)
    assert found == [("company-changed", "None"), *(("signed", str(11 + number)) for number in range(5))]


def test_what_was_before_is_no_news(told):
    """Neither before the first endpoint was named, nor while there was none."""
    endpoints, told.endpoints = told.endpoints, ()
    told.webhooks.follow_log()
    told.sign()
    told.webhooks.follow_log()
    told.endpoints = endpoints
    told.webhooks.follow_log()
    assert told.rows() == {}
    told.sign(12, "bob")
    told.webhooks.follow_log()
    assert len(told.rows()) == 1


def test_an_email_that_was_given_up(told):
    """Whoever chose the event is told, once and without its address."""
    told.endpoints = tuple(replace(one, events=frozenset({"attention-needed"})) for one in told.endpoints)
    with told.sessions() as session:
        tell_undelivered(told.webhooks.enqueue)(session, AT)
    with told.sessions() as session:
        assert [row.event for row in QUEUE.listed(session)] == ["attention-needed"]


def test_what_waits_comes_from_the_log(told):
    """A company that asks is told to those who chose what waits for administrators."""
    told.endpoints = tuple(replace(one, events=frozenset({"attention-needed"})) for one in told.endpoints)
    with told.sessions() as session:
        change = Change(kind="company.requested", actor_id=11, subject=SERVER, rows=(), details={})
        ledger.append(session, told.vault, change, at=AT, new_id="asked")
    told.webhooks.follow_log()
    with told.sessions() as session:
        assert [row.event for row in QUEUE.listed(session)] == ["attention-needed"]
