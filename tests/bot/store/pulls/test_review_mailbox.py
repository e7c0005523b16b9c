"""The mailbox of reviews: one run holds a pull request, the newest state is judged, and no event is lost."""

import threading
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import select

from agreements.facts import Conclusion, Verdict
from bot.job_queue import Job
from bot.store import inbox
from bot.store.inbox import ReviewDelivery
from bot.store.leases import LEASE
from bot.store.pulls import named_pulls, posts, review_mailbox, verdicts
from bot.store.pulls.posts import PullRequestIdentity
from bot.store.pulls.review_mailbox import REVIEWS
from bot.store.records import PullRecord
from bot.store.retry_policy import RETRY_DELAYS
from tests.bot import claims, deliveries
from tests.bot.jobs.inline import InlineEngine

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
BOX = PullRequestIdentity(repository_id=11, number=5, installation_id=1, owner_id=7, owner="cann", name="ge")


@pytest.fixture(name="jobs")
def _jobs(sessions):
    """An engine that only keeps what was committed, and shows what is due."""
    return InlineEngine(lambda: NOON, sessions)


def post(sessions, jobs, *, queue="now", box=BOX):
    """One thing happened to the pull request; gives its row id."""
    with sessions() as session:
        return posts.post(session, jobs, box, queue=queue)[0]


def begin(sessions, pull_id, job_id, at=NOON):
    """Begin a review."""
    with sessions() as session:
        return claims.begin(session, REVIEWS, InlineEngine(), pull_id, job_id, at=at)


def finish(sessions, jobs, claim, at=NOON):
    """End a review."""
    with sessions() as session:
        return REVIEWS.finish(session, jobs, claim, at=at)


def test_many_events_queue_one_job(sessions, jobs):
    pull_id = post(sessions, jobs)
    post(sessions, jobs)
    post(sessions, jobs)

    assert jobs.waiting == (Job("review", (pull_id,), "now"),)
    assert begin(sessions, pull_id, "a").latest == 3


def test_an_event_during_a_review_is_judged_after_it(sessions, jobs):
    pull_id = post(sessions, jobs)
    claim = begin(sessions, pull_id, "a")
    post(sessions, jobs)
    post(sessions, jobs)

    assert begin(sessions, pull_id, "b") is None
    assert finish(sessions, jobs, claim)
    assert begin(sessions, pull_id, "c").latest == 3


def test_a_second_job_finds_nothing_to_do(sessions, jobs):
    pull_id = post(sessions, jobs)
    finish(sessions, jobs, begin(sessions, pull_id, "a"))

    assert begin(sessions, pull_id, "a") is None
    assert begin(sessions, pull_id, "b") is None


def test_a_held_claim_lasts_and_an_overtaken_run_loses_it(sessions, jobs):
    def hold(claim, at):
        with sessions() as session:
            return REVIEWS.hold(session, claim, at=at)

    pull_id = post(sessions, jobs)
    first = begin(sessions, pull_id, "a")
    assert hold(first, NOON + LEASE / 2)
    assert begin(sessions, pull_id, "b", at=NOON + LEASE) is None

    again = begin(sessions, pull_id, "a", at=NOON + LEASE)
    assert not hold(first, NOON + LEASE)
    assert not finish(sessions, jobs, first, at=NOON + LEASE)
    assert hold(again, NOON + LEASE)
    assert finish(sessions, jobs, again, at=NOON + LEASE)
    assert not hold(again, NOON + LEASE)


def test_an_urgent_event_during_a_slow_review_stays_urgent(sessions, jobs):
    pull_id = post(sessions, jobs, queue="later")
    claim = begin(sessions, pull_id, "slow")
    post(sessions, jobs, queue="now")
    assert begin(sessions, pull_id, "quick") is None
    jobs._committed.clear()

    finish(sessions, jobs, claim)

    assert jobs.waiting == (Job("review", (pull_id,), "now"),)
    assert [job for _, job in jobs._committed] == [Job("review", (), "now")]


def test_an_urgent_event_does_not_wait_for_the_delay_of_a_failure(sessions, jobs):
    pull_id = post(sessions, jobs)
    claim = begin(sessions, pull_id, "a")
    with sessions() as session:
        REVIEWS.give_up(session, jobs, claim, "GitHub is away", at=NOON)
    assert jobs.waiting == (Job("review", (pull_id,), "later", RETRY_DELAYS[0]),)

    post(sessions, jobs)

    assert jobs.waiting == (Job("review", (pull_id,), "now"),)


def test_a_recheck_reviews_a_judged_pull_request_again(sessions, jobs):
    pull_id = post(sessions, jobs)
    finish(sessions, jobs, begin(sessions, pull_id, "a"))
    with sessions() as session:
        review_mailbox.enqueue_review(session, jobs, pull_id, queue="later", delay=timedelta(seconds=9))
        review_mailbox.enqueue_review(session, jobs, pull_id + 1000)

    assert Job("review", (pull_id,), "later", timedelta(seconds=9)) in jobs.waiting
    assert begin(sessions, pull_id, "b", NOON + timedelta(seconds=9)).latest == 2
    assert begin(sessions, pull_id + 1000, "b") is None


def test_deliveries_are_done_by_the_review_that_covered_them(sessions, jobs):
    def deliver(guid):
        arrival = ReviewDelivery(guid=guid, event="pull_request", pull=BOX, ids={})
        with sessions() as session:
            deliveries.store(session, jobs, arrival, at=NOON)

    def states():
        with sessions() as session:
            return {row.guid: (row.state, row.attempts, row.error) for row in inbox.listed(session)}

    deliver("one")
    with sessions() as session:
        pull_id = review_mailbox.find(session, 11, 5).id
    claim = begin(sessions, pull_id, "a")
    deliver("two")
    with sessions() as session:
        REVIEWS.give_up(session, jobs, claim, "GitHub\nis away " + "x" * 500, at=NOON)
    assert states()["one"] == ("received", 1, ("GitHub is away " + "x" * 500)[:200])
    assert states()["two"] == ("received", 0, None)

    claim = begin(sessions, pull_id, "b", NOON + RETRY_DELAYS[0])
    deliver("three")
    finish(sessions, jobs, claim)

    assert states() == {"one": ("done", 1, None), "two": ("done", 0, None), "three": ("received", 0, None)}


def due(sessions, at):
    """Which are due then, by their ids."""
    with sessions() as session:
        return sorted(session.scalars(select(PullRecord.id).where(REVIEWS.is_due(at))))


def test_a_finished_review_is_due_again_unless_the_pull_request_is_closed(sessions, jobs):
    pull_id = post(sessions, jobs)
    claim = begin(sessions, pull_id, "a")
    with sessions() as session:
        REVIEWS.finish(session, jobs, claim, at=NOON, again_at=NOON + LEASE)
    assert (due(sessions, NOON), due(sessions, NOON + LEASE)) == ([], [pull_id])
    with sessions() as session:
        session.get(PullRecord, pull_id).open = False
    assert due(sessions, NOON + LEASE) == []

    with sessions() as session:
        review_mailbox.enqueue_review(session, jobs, pull_id)
    finish(sessions, jobs, begin(sessions, pull_id, "b"))
    assert due(sessions, NOON + 2 * LEASE) == []


def test_only_doubted_pull_requests_of_the_owner_become_due(sessions, jobs):
    others = ({"owner_id": 8, "number": 6}, {"number": 7}, {"number": 8}, {"number": 9}, {"number": 10})
    boxes = [BOX, *(replace(BOX, **fields) for fields in others)]
    doubted, elsewhere, failed, closed, known, passing = (post(sessions, jobs, box=box) for box in boxes)
    for pull_id in (doubted, elsewhere, failed, closed, known, passing):
        with sessions() as session:
            said = Conclusion.SUCCESS if pull_id == passing else Conclusion.ACTION_REQUIRED
            verdicts.add(session, pull_id, "a" * 40, Verdict(conclusion=said), at=NOON)
        claim = begin(sessions, pull_id, f"a{pull_id}")
        with sessions() as session:
            again_at = None if pull_id == known else NOON + LEASE
            REVIEWS.finish(session, jobs, claim, at=NOON, again_at=again_at)
    with sessions() as session:
        session.get(PullRecord, failed).attempts = 1
        session.get(PullRecord, closed).open = False
        session.flush()
        review_mailbox.make_due(session, 7, at=NOON)
    assert due(sessions, NOON) == [doubted]
    with sessions() as session:
        assert review_mailbox.get(session, elsewhere).due_at == NOON + LEASE
        review_mailbox.make_due(session, at=NOON)
    assert due(sessions, NOON) == [doubted, elsewhere]


def test_open_pull_requests_are_found_by_name_in_any_case(sessions, jobs):
    pull_id = post(sessions, jobs)
    with sessions() as session:
        assert (
            [*named_pulls.open_owners(session, "CANN", "Ge")]
            == [*named_pulls.open_owners(session, "cann", "ge", number=5)]
            == [pull_id]
        )
        assert (
            [*named_pulls.open_owners(session, "cann", "ge", number=6)]
            == [*named_pulls.open_owners(session, "cann", "g")]
            == []
        )


class Race:
    """Threads that post to one pull request and review it, and what went wrong."""

    def __init__(self, sessions, pull_id):
        self.sessions, self.jobs, self.pull_id = sessions, InlineEngine(), pull_id
        self.guard, self.stop = threading.Lock(), threading.Event()
        self.running, self.overlaps, self.errors = set(), [], []

    def start(self, action, *arguments):
        thread = threading.Thread(target=self.guarded, args=(action, *arguments))
        thread.start()
        return thread

    def guarded(self, action, *arguments):
        try:
            action(*arguments)
        except Exception as error:  # noqa: BLE001 - the test shows every error
            self.errors.append(error)

    def send(self):
        for _ in range(15):
            post(self.sessions, self.jobs)

    def review(self, name):
        number = 0
        while not self.stop.wait(0.005):
            number += 1
            claim = begin(self.sessions, self.pull_id, f"{name}-{number}", self.jobs.now())
            if claim is not None:
                self.work(name)
                finish(self.sessions, self.jobs, claim)

    def work(self, name):
        with self.guard:
            self.overlaps.extend(self.running)
            self.running.add(name)
        self.stop.wait(0.003)
        with self.guard:
            self.running.discard(name)

    def row(self):
        with self.sessions() as session:
            return review_mailbox.get(session, self.pull_id)


def test_racing_events_and_reviews_lose_nothing(sessions, jobs):
    race = Race(sessions, post(sessions, jobs))
    reviewers = [race.start(race.review, name) for name in "abc"]
    senders = [race.start(race.send) for _ in range(4)]
    for thread in senders:
        thread.join()
    for _ in range(500):
        if race.errors or race.row().evaluated == 61:
            break
        race.stop.wait(0.02)
    race.stop.set()
    for thread in reviewers:
        thread.join()

    assert (race.errors, race.overlaps) == ([], [])
    row = race.row()
    assert (row.latest, row.evaluated, row.lease_by) == (61, 61, None)
