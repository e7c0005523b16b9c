"""An acknowledged delivery is stored once, with its job, in one transaction."""

import threading
from datetime import UTC, datetime, timedelta

import pytest
from sqlmodel import select

from agreements.facts import Account
from bot.job_queue import Job
from bot.store import inbox
from bot.store.inbox import Backlog, ReviewDelivery
from bot.store.pulls import review_mailbox
from bot.store.pulls.review_mailbox import REVIEWS
from bot.store.records import PushRecord
from tests.bot import claims, deliveries

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
ANN = Account(101, "ann")


def arrival(guid="g1", **changes):
    """A pull request was opened by Ann."""
    values = {
        "guid": guid,
        "event": "pull_request",
        "action": "opened",
        "pull": deliveries.pull_request(11, 5, owner_id=7),
        "sender": ANN,
        "after": "a" * 40,
        "ids": {"kind": "PullRequestChanged", "number": 5},
    }
    return ReviewDelivery(**{**values, **changes})


def accept(sessions, jobs, item):
    """Accept one arrival in a transaction of its own."""
    with sessions() as session:
        return deliveries.store(session, jobs, item, at=NOON)


def test_a_delivery_is_stored_once_with_its_job(sessions, jobs):
    assert accept(sessions, jobs, arrival())
    assert not accept(sessions, jobs, arrival())

    with sessions() as session:
        pull = review_mailbox.find(session, 11, 5)
        (row,) = inbox.listed(session)
        assert (row.guid, row.event, row.action, row.state, row.received_at) == (
            "g1",
            "pull_request",
            "opened",
            "received",
            NOON,
        )
        assert (row.pull_id, row.sequence, pull.latest) == (pull.id, 1, 1)
        assert inbox.ids(session, "g1") == {"kind": "PullRequestChanged", "number": 5}
        assert inbox.backlog(session) == Backlog(1, 0, NOON)
        (pushed,) = session.exec(select(PushRecord)).all()
        assert (pushed.pull_id, pushed.sequence, pushed.sender_id, pushed.after) == (pull.id, 1, ANN.id, "a" * 40)
    assert jobs.waiting == (Job("review", (), "now"),)


def test_a_rollback_leaves_no_delivery_and_no_job(sessions, jobs):
    def half_done():
        with sessions() as session:
            deliveries.store(session, jobs, arrival(), at=NOON)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        half_done()

    with sessions() as session:
        assert list(inbox.listed(session)) == []
        assert review_mailbox.find(session, 11, 5) is None
    assert jobs.waiting == ()


def test_an_event_without_a_pull_request_gets_a_job_that_names_it(sessions, jobs):
    accept(sessions, jobs, arrival("g1", event="installation", pull=None))
    accept(sessions, jobs, arrival("g2", event="push", pull=None, urgent=False))

    assert jobs.waiting == (Job("event", ("g1",), "now"), Job("event", ("g2",), "later"))


def test_a_finished_delivery_gives_no_event(sessions, jobs):
    accept(sessions, jobs, arrival(pull=None))
    with sessions() as session:
        inbox.done(session, "g1")
    with sessions() as session:
        assert inbox.ids(session, "g1") is None
        assert inbox.ids(session, "unknown") is None
        assert [row.guid for row in inbox.listed(session, "done")] == ["g1"]


def test_a_redelivery_takes_up_a_failed_delivery_alone(sessions, jobs):
    accept(sessions, jobs, arrival(pull=None))
    with sessions() as session:
        inbox.tried(session, "g1", "GitHub is away")
    assert not accept(sessions, jobs, arrival(pull=None))
    with sessions() as session:
        inbox.tried(session, "g1", "refused")
        inbox.failed(session, "g1")
        (row,) = inbox.listed(session, "failed")
        assert (row.attempts, row.error) == (2, "refused")

    assert accept(sessions, jobs, arrival(pull=None))
    with sessions() as session:
        (row,) = inbox.listed(session)
        assert (row.state, row.attempts, row.error) == ("received", 0, None), "tried as often as a new one"
    assert jobs.waiting == (Job("event", ("g1",)), Job("event", ("g1",)))


def test_racing_duplicates_of_a_delivery_are_stored_once(sessions, jobs):
    answers, start = [], threading.Barrier(8)

    def deliver():
        start.wait()
        answers.append(accept(sessions, jobs, arrival()))

    threads = [threading.Thread(target=deliver) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sorted(answers) == [False] * 7 + [True]
    assert len(jobs.waiting) == 1
    with sessions() as session:
        assert review_mailbox.find(session, 11, 5).latest == 1


def test_deliveries_are_listed_in_order_and_by_state(sessions, jobs):
    for number in range(3):
        with sessions() as session:
            deliveries.store(session, jobs, arrival(f"g{number}"), at=NOON - timedelta(hours=number))

    with sessions() as session:
        assert [row.guid for row in inbox.listed(session)] == ["g2", "g1", "g0"]
        assert [row.guid for row in inbox.listed(session, "failed")] == []


def test_a_recent_command_on_the_pull_request_is_known(sessions, jobs):
    accept(sessions, jobs, arrival("g1"))
    with sessions() as session:
        assert not inbox.commanded(session, 11, 5, since=NOON - timedelta(seconds=10))
    accept(sessions, jobs, arrival("g2", event="issue_comment", sender=None, after=None))
    with sessions() as session:
        assert inbox.commanded(session, 11, 5, since=NOON - timedelta(seconds=10))
        assert not inbox.commanded(session, 11, 5, since=NOON)
        assert not inbox.commanded(session, 11, 6, since=NOON - timedelta(seconds=10))
        assert not inbox.commanded(session, 12, 5, since=NOON - timedelta(seconds=10)), "another repository's fifth"


def test_it_is_known_whether_an_event_came_lately(sessions, jobs):
    accept(sessions, jobs, arrival("g1", event="repository", sender=None, after=None))
    with sessions() as session:
        inbox.done(session, "g1")
        assert inbox.came(session, ["installation", "repository"], since=NOON - timedelta(seconds=10))
        assert not inbox.came(session, ["installation", "repository"], since=NOON)
        assert not inbox.came(session, ["installation"], since=NOON - timedelta(seconds=10))


def test_arrived_deliveries_are_known_by_their_guids(sessions, jobs):
    accept(sessions, jobs, arrival())
    with sessions() as session:
        assert inbox.arrived(session, ["g1", "g2"]) == {"g1"}
        assert inbox.arrived(session, []) == frozenset()


def test_a_waiting_pull_request_has_the_oldest_moment_and_the_newest_reason(sessions, jobs):
    accept(sessions, jobs, arrival("g1"))
    with sessions() as session:
        pull_id = review_mailbox.find(session, 11, 5).id
        assert (inbox.last_error(session, pull_id), inbox.waiting_since(session, pull_id)) == (None, NOON)
        claim = claims.begin(session, REVIEWS, jobs, pull_id, at=NOON)
        REVIEWS.give_up(session, jobs, claim, "GitHub answered 502", at=NOON)
        assert inbox.last_error(session, pull_id) == "GitHub answered 502"
        claim = claims.begin(session, REVIEWS, jobs, pull_id, at=NOON + timedelta(minutes=1))
        REVIEWS.finish(session, jobs, claim, at=NOON)
        assert (inbox.last_error(session, pull_id), inbox.waiting_since(session, pull_id)) == (None, None)


def test_the_backlog_counts_what_waits_since_the_oldest_moment(sessions, jobs):
    with sessions() as session:
        assert inbox.backlog(session) == Backlog(0, 0, None)
    accept(sessions, jobs, arrival("g1"))
    accept(sessions, jobs, arrival("g2"))
    with sessions() as session:
        assert inbox.backlog(session) == Backlog(2, 0, NOON)
        inbox.done(session, "g1")
        inbox.done(session, "g2")
        assert inbox.backlog(session) == Backlog(0, 0, None)
