"""One job judges many subjects; slow, failing and overtaken ones delay no others, and crashes are repaired."""

import threading
import time
from dataclasses import fields
from datetime import timedelta

import pytest
import structlog
from sqlmodel import col, select

from bot import clock, db
from bot.flows import lot
from bot.flows.flow_services import Services
from bot.flows.lot import Lots
from bot.job_queue import Job
from bot.store.leases import LEASE
from bot.store.pulls import posts
from bot.store.pulls.posts import Post, PullRequestIdentity
from bot.store.pulls.review_mailbox import REVIEWS
from bot.store.records import PullRecord
from bot.store.statements import change
from tests.bot.jobs.inline import InlineEngine

NOW = Job("review", (), "now")


class Place:
    """Pull requests on a database, the lots of one process, and what its runs did."""

    def __init__(self, engine):
        self.sessions, self.jobs, self.shift = db.sessions(engine), InlineEngine(self.clock), timedelta(0)
        parts = {"sessions": self.sessions, "engine": self.jobs, "clock": self.clock, "texts": dict}
        self.services = Services(**{field.name: parts.get(field.name) for field in fields(Services)})
        self.lots = Lots(self.services)
        self.judged, self.threads = [], set()
        self.deeds = {}

    def clock(self):
        return clock.now() + self.shift

    def come(self, *numbers, queue="now", installation=1):
        """Something happens to these pull requests, in one transaction."""
        found = [
            Post(pull=PullRequestIdentity(repository_id=1, number=number, installation_id=installation, owner_id=2, owner="", name=""), queue=queue)
            for number in numbers
        ]  # fmt: skip
        with self.sessions() as session:
            posts.post_all(session, self.jobs, found)

    def member(self, claim, services):
        """One run: what is to happen with that number, then its end."""
        self.threads.add(threading.current_thread())
        if deed := self.deeds.get(claim.row.number):
            deed(claim)
        with services.sessions() as session:
            if REVIEWS.finish(session, self.jobs, claim, at=services.clock()):
                self.judged.append(claim.row.number)

    def work(self, job=NOW, job_id="j1", lots=None):
        (lots or self.lots).work(REVIEWS, self.member, job, job_id)

    def rows(self):
        with self.sessions() as session:
            return {row.number: row for row in session.exec(select(PullRecord).order_by(col(PullRecord.id))).all()}


@pytest.fixture(name="place")
def _place(engine):
    """On each database."""
    return Place(engine)


def until(condition, seconds=20):
    """Wait for it."""
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.01)
    assert condition()


def fail(_claim):
    """What is none of the others' business."""
    raise ZeroDivisionError


def test_one_job_takes_sixteen_subjects_and_queues_the_next(place):
    place.come(*range(20))
    assert place.jobs.waiting == (NOW,)

    place.work()
    assert len(place.judged) == 16
    assert len(place.threads) <= REVIEWS.threads["now"]
    assert place.jobs.waiting == (NOW, NOW)
    place.work(job_id="j2")
    assert sorted(place.judged) == list(range(20))
    assert {(row.due_at, row.lease_by) for row in place.rows().values()} == {(None, None)}
    assert place.jobs.waiting == (NOW, NOW)


def test_a_single_subject_is_judged_on_the_jobs_own_thread(place):
    place.come(1)
    place.work()
    place.work()
    assert place.judged == [1]
    assert place.threads == {threading.current_thread()}


def test_another_installations_subject_is_in_the_next_lot(place):
    place.come(*range(100))
    place.come(100, installation=2)
    place.work()
    assert 100 in place.judged


def test_a_failed_subject_is_judged_again_by_the_same_job_alone(place):
    place.come(*range(5))
    place.deeds[3] = fail
    with pytest.raises(ZeroDivisionError):
        place.work()
    assert sorted(place.judged) == [0, 1, 2, 4]

    place.deeds.clear()
    place.work(job_id="another")
    assert 3 not in place.judged
    place.work()
    assert 3 in place.judged


def test_slow_subjects_hold_up_neither_their_lot_nor_the_next(place, monkeypatch):
    monkeypatch.setattr(lot, "PATIENCE_SECONDS", 0.2)
    go_on = threading.Event()
    place.come(*range(16))
    place.deeds = dict.fromkeys(range(8), lambda _: go_on.wait(20))
    slow = threading.Thread(target=place.work)
    slow.start()
    until(lambda: len([row for row in place.rows().values() if row.due_at]) == 8)
    place.work(job_id="j2")
    assert sorted(place.judged) == list(range(8, 16))

    place.come(77)
    place.work(job_id="j3")
    assert 77 in place.judged
    go_on.set()
    slow.join()
    assert sorted(place.judged) == [*range(16), 77]


def test_of_several_waiting_jobs_only_one_goes_on(place):
    go_on, begun = threading.Event(), []
    place.deeds = dict.fromkeys(range(48), lambda claim: (begun.append(claim), go_on.wait(20)))
    place.come(*range(48))
    running = [threading.Thread(target=place.work, args=(NOW, f"j{number}")) for number in range(3)]
    for number, thread in enumerate(running, 1):
        thread.start()
        until(lambda: len(begun) == number * REVIEWS.threads["now"])  # noqa: B023 - asked at once
    assert len(begun) == REVIEWS.max_threads
    place.come(99)
    third = threading.Thread(target=place.work, args=(NOW, "j3"))
    third.start()
    time.sleep(0.1)
    begin = time.monotonic()
    place.work(job_id="j4")
    assert time.monotonic() - begin < 1
    assert 99 not in place.judged
    go_on.set()
    for thread in (*running, third):
        thread.join()
    assert sorted(place.judged) == [*range(48), 99]


def test_the_next_lot_waits_a_moment_while_several_are_at_work(place, monkeypatch):
    monkeypatch.setattr(lot, "LOT_INTERVAL_SECONDS", 4)
    go_on, begun = threading.Event(), []
    place.deeds = {number: lambda claim: (begun.append(claim), go_on.wait(20)) for number in (1, 2, 3)}
    threads = []
    for number, wanted in ((1, 1), (2, 2)):
        place.come(number)
        threads.append(threading.Thread(target=place.work, args=(NOW, f"j{number}")))
        threads[-1].start()
        until(lambda: len(begun) == wanted, seconds=3)  # noqa: B023 - asked at once
    began_at = time.monotonic()
    place.come(3)
    threads.append(threading.Thread(target=place.work, args=(NOW, "j3")))
    threads[-1].start()
    time.sleep(0.3)
    place.come(4)
    until(lambda: len(begun) == 3)
    assert time.monotonic() - began_at > 3
    go_on.set()
    for thread in threads:
        thread.join()
    assert sorted(place.judged) == [1, 2, 3, 4]


def test_the_subjects_of_a_crashed_job_wait_for_that_job(place):
    place.come(1, 2)
    with place.sessions() as session:
        lost = REVIEWS.claim(session, place.jobs, "now", "crashed", at=place.clock())
    place.work(job_id="another")
    assert (len(lost), place.judged) == (2, [])

    place.lots._turns["review", "now"]._waiting = 1
    place.lots._turns["review", "now"]._begun = {"other": (time.monotonic(), REVIEWS.threads["now"])}
    place.work(job_id="another")
    assert place.judged == []
    place.work(job_id="crashed")
    assert sorted(place.judged) == [1, 2]


def test_an_overtaken_job_changes_no_row(place):
    place.come(1)

    def meanwhile(claim):
        place.deeds.clear()
        place.come(1)
        place.shift = LEASE + timedelta(seconds=1)
        place.work(job_id="j2")
        assert place.rows()[1].evaluated == 2
        assert not claim.holder.startswith("j2")

    place.deeds[1] = meanwhile
    place.work()
    assert place.judged == [1]
    assert place.rows()[1].evaluated == 2


def test_two_processes_judge_every_subject_once(place):
    for start in range(0, 120, 10):
        place.come(*range(start, start + 10))

    def process(name):
        lots = Lots(place.services)
        for number in range(12):
            place.work(job_id=f"{name}{number}", lots=lots)

    running = [threading.Thread(target=process, args=(name,)) for name in "ab"]
    for thread in running:
        thread.start()
    for thread in running:
        thread.join()
    place.work(job_id="last")
    assert sorted(place.judged) == list(range(120))


def test_a_job_of_an_earlier_release_that_names_a_subject_is_done(place):
    place.come(1, 2)
    with place.sessions() as session:
        change(session, PullRecord, {"number": 1}, due_at=None, queued=2)
    place.work()
    assert place.judged == [2]

    place.work(Job("review", (place.rows()[1].id,), "now"), "old")
    assert place.judged == [2, 1]
    assert place.rows()[1].queued == 0
    place.work(Job("review", (10**9,)), "unknown")


def test_subjects_without_a_job_are_repaired_and_logged(place):
    place.come(1, 2, 3, queue="later")
    later = place.clock() + timedelta(minutes=1)
    with place.sessions() as session:
        change(session, PullRecord, {"number": 1}, due_at=None)
        change(session, PullRecord, {"number": 2}, due_at=later)
        change(session, PullRecord, {"number": 3}, evaluated=1, due_at=None)
    place.jobs._committed.clear()
    with structlog.testing.capture_logs() as logged:
        lot.repair(place.services)
        lot.repair(place.services)
    assert [(line["event"], line["job"], line["subjects"]) for line in logged] == [("lot.repaired", "review", 1)]
    place.work(Job("review", (), "later"))
    place.jobs._committed.clear()

    lot.queue_due(place.services)
    assert place.jobs.waiting == ()
    place.shift = timedelta(minutes=1)
    lot.queue_due(place.services)
    assert place.jobs.waiting == (Job("review", (), "later"),)
    place.work(Job("review", (), "later"), "j2")
    assert place.judged == [1, 2]
