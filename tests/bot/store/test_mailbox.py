"""One job waits, one run holds, the newest state wins: the same for every subject that has a mailbox."""

from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import wait as wait_for
from datetime import UTC, datetime, timedelta

import pytest
from sqlmodel import col, select

from bot.job_queue import Job
from bot.store.license_checks import LICENSE_CHECKS, Head, LicenseCheck
from bot.store.pulls.review_mailbox import REVIEWS
from bot.store.records import PullRecord
from bot.store.retry_policy import MAX_CLOCK_SKEW, MAX_QUICK_RETRIES, RETRY_DELAYS, SLOW_RETRY, RetryDelay
from bot.store.statements import change
from tests.bot.jobs.inline import InlineEngine

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
LEASE = timedelta(minutes=10)
SHA = "a" * 40


class Subject:
    """One subject of a kind, its mailbox, and the job that judges it."""

    def __init__(self, kind, sessions):
        self.sessions, self.jobs = sessions, InlineEngine()
        if kind == "pull request":
            self.mailbox, self.key, self.job = REVIEWS, 1, ("review", (1,))
            row = PullRecord(id=1, repository_id=1, number=2, installation_id=3, owner_id=4, owner="", name="")
        else:
            self.mailbox, self.key, self.job = LICENSE_CHECKS, Head(1, SHA), ("licenses", (1, SHA))
            row = LicenseCheck(repository_id=1, head_sha=SHA, basis={})
        with sessions() as session:
            session.add(row)
        self.become(latest=3, queued=2)

    def become(self, **values):
        """Have the row say so."""
        key = self.key if isinstance(self.key, tuple) else (self.key,)
        with self.sessions() as session:
            change(session, self.mailbox.model, dict(zip(self.mailbox.keys, key, strict=True)), **values)

    def now(self, *names):
        """What the row says."""
        with self.sessions() as session:
            row = self.mailbox.lock(session, self.key)
            return tuple(getattr(row, name) for name in names)

    def begin(self, job="j1", at=NOON):
        """A job takes it."""
        with self.sessions() as session:
            return self.mailbox.begin(session, self.key, job, at=at, lease=LEASE)

    def give_up(self, claim, wait=None):
        """A job could not judge it; the job that was queued then, if any."""
        before = len(self.jobs.waiting)
        with self.sessions() as session:
            assert self.mailbox.give_up(session, self.jobs, claim, "away", at=NOON, wait=wait)
        return self.jobs.waiting[before:]

    def wake(self, limit=100):
        """What it waited for is there again; how many were woken."""
        with self.sessions() as session:
            return self.mailbox.wake(session, self.jobs, limit=limit)


@pytest.fixture(name="subject", params=["pull request", "head"])
def _subject(request, sessions):
    """A row of each kind with something new."""
    return Subject(request.param, sessions)


@pytest.mark.parametrize(
    ("job", "after", "is_taken"),
    [
        ("j2", timedelta(0), False), ("j2", LEASE - timedelta(seconds=1), False), ("j2", LEASE, True),
        ("j1", timedelta(0), True), ("j", timedelta(0), False),
        ("j2", -MAX_CLOCK_SKEW, False), ("j2", -timedelta(hours=1), True),
    ],
)  # fmt: skip
def test_one_run_holds_it_until_its_lease_ends(subject, job, after, is_taken):
    """Another job waits for the lease's end; the same job may take it again, and is another run then.

    What a clock an hour ahead took is free at once when that clock is set right.
    """
    first = subject.begin()
    again = subject.begin(job, NOON + after)

    assert (again is not None) is is_taken
    assert subject.now("lease_by") == ((again or first).holder,)
    assert again is None or again.holder != first.holder


def test_nothing_new_is_not_taken(subject):
    """Who came for nothing leaves nothing held."""
    subject.become(lease_by="j1/x", lease_until=NOON, **{subject.mailbox.covered: 3})

    assert subject.begin() is None
    assert subject.now("lease_by", "lease_until", "queued") == (None, None, 0)


def test_who_was_overtaken_changes_nothing(subject):
    """Neither holds nor ends it: the run that took over does."""
    lost, late = subject.begin(), NOON + LEASE
    mine = subject.begin("j2", late)

    with subject.sessions() as session:
        assert not subject.mailbox.hold(session, lost, at=late, lease=LEASE)
        assert not subject.mailbox.finish(session, subject.jobs, lost, at=late)
        assert not subject.mailbox.give_up(session, subject.jobs, lost, "late", at=late)
    assert subject.now("lease_by", "attempts", subject.mailbox.covered) == (mine.holder, 0, 0)
    assert not subject.jobs.waiting
    with subject.sessions() as session:
        assert subject.mailbox.hold(session, mine, at=late, lease=2 * LEASE)
        assert subject.mailbox.finish(session, subject.jobs, mine, at=late)
    assert subject.now("lease_by", subject.mailbox.covered) == (None, 3)


def test_failures_are_tried_again_ever_later(subject):
    """Quickly at first; after many it is left to the sweep, which finds it when its time has come."""
    queued = []
    for number in range(MAX_QUICK_RETRIES + 1):
        queued += subject.give_up(subject.begin(f"j{number}"))

    delays = [*RETRY_DELAYS, *[RETRY_DELAYS[-1]] * (MAX_QUICK_RETRIES - len(RETRY_DELAYS))]
    assert queued == [Job(*subject.job, "later", delay) for delay in delays]
    assert subject.now("due_at", "attempts") == (NOON + SLOW_RETRY, MAX_QUICK_RETRIES + 1)


def test_what_is_urgent_does_not_wait(sessions):
    """However often it failed."""
    subject = Subject("pull request", sessions)
    claim = subject.begin()
    subject.become(attempts=MAX_QUICK_RETRIES + 5, urgent=True)

    assert subject.give_up(claim) == (Job("review", (1,), "now"),)
    assert subject.now("due_at") == (NOON,)


@pytest.mark.parametrize(
    ("waiting", "queue", "queued"),
    [(0, "later", 1), (0, "now", 2), (1, "later", None), (1, "now", 2), (2, "later", None), (2, "now", None)],
)
def test_an_urgent_job_does_not_wait_behind_a_slow_one(subject, waiting, queue, queued):
    """One job waits in each queue at most, and none in `later` once one waits in `now`; it counts all the same."""
    subject.become(queued=waiting)

    with subject.sessions() as session:
        assert subject.mailbox.enqueue(session, subject.jobs, subject.key, queue=queue) == 4
    assert subject.now("latest", "queued") == (4, queued or waiting)
    assert list(subject.jobs.waiting) == ([Job(*subject.job, queue)] if queued else [])


def test_a_verdict_ends_the_count_of_failures(subject):
    """The next failure is the first one again, and waits no longer than that."""
    subject.become(attempts=MAX_QUICK_RETRIES)

    with subject.sessions() as session:
        claim = subject.mailbox.begin(session, subject.key, "j1", at=NOON, lease=LEASE)
        assert subject.mailbox.finish(session, subject.jobs, claim, at=NOON)
    assert subject.now("attempts") == (0,)


def test_what_comes_in_waits_its_turn(subject):
    """Nobody said that it is urgent."""
    subject.become(queued=0)

    with subject.sessions() as session:
        subject.mailbox.enqueue(session, subject.jobs, subject.key)
    assert list(subject.jobs.waiting) == [Job(*subject.job, "later")]


@pytest.mark.parametrize(
    ("changed", "is_stale"),
    [
        ({}, True), ({"queued": 1}, False), ({"latest": 0}, False),
        ({"lease_by": "j/x", "lease_until": NOON + LEASE}, False), ({"lease_by": "j/x", "lease_until": NOON}, True),
        ({"due_at": NOON + LEASE}, False), ({"due_at": NOON}, True),
        ({"lease_by": "j/x", "lease_until": NOON + LEASE + MAX_CLOCK_SKEW}, False),
        ({"lease_by": "j/x", "lease_until": NOON + LEASE + timedelta(hours=1)}, True),
        ({"due_at": NOON + SLOW_RETRY + MAX_CLOCK_SKEW}, False), ({"due_at": NOON + SLOW_RETRY + RETRY_DELAYS[-1]}, True),
    ],
)  # fmt: skip
def test_a_sweep_finds_what_nobody_looks_after(subject, changed, is_stale):
    """Something new, no job that waits, no run that holds it, and its time has come; or a clock that was ahead wrote that."""
    subject.become(**{"latest": 1, "queued": 0} | changed)

    with subject.sessions() as session:
        model = subject.mailbox.model
        found = session.exec(select(model).where(col(model.repository_id) == 1, subject.mailbox.is_stale(NOON))).all()
    assert bool(found) is is_stale


@pytest.mark.parametrize(("queued", "queue"), [(1, "later"), (2, "now")])
def test_a_job_that_was_lost_is_queued_where_it_waited(subject, queued, queue):
    """One that has begun since is not lost."""
    subject.become(queued=queued)
    with subject.sessions() as session:
        assert subject.mailbox.queued(session) == [subject.job[1]]
        assert subject.mailbox.queue_lost(session, subject.jobs, subject.key)
    assert list(subject.jobs.waiting) == [Job(*subject.job, queue)]
    assert subject.now("queued") == (queued,)

    subject.become(queued=0)
    with subject.sessions() as session:
        assert subject.mailbox.queued(session) == []
        assert not subject.mailbox.queue_lost(session, subject.jobs, subject.key)
    assert len(subject.jobs.waiting) == 1


def test_a_wait_that_somebody_named_counts_no_failure(subject):
    """The next job comes after just that."""
    wait = RetryDelay(timedelta(seconds=42))

    assert subject.give_up(subject.begin(), wait) == (Job(*subject.job, "later", wait.delay),)
    assert subject.now("attempts", "due_at", "lease_by") == (0, NOON + wait.delay, None)


def test_who_will_be_woken_has_no_job(subject):
    """A thousand jobs that look every few seconds whether GitHub is back would do nothing else. A sweep finds it in the end."""
    wait = RetryDelay(timedelta(minutes=6), is_woken=True)

    assert subject.give_up(subject.begin(), wait) == ()
    assert subject.now("queued", "due_at") == (0, NOON + wait.delay)
    with subject.sessions() as session:
        assert not subject.mailbox.stale(session, at=NOON + wait.delay - timedelta(seconds=1))
        assert subject.mailbox.stale(session, at=NOON + wait.delay) == [subject.key]


@pytest.mark.parametrize(
    "wait", [None, RetryDelay(timedelta(minutes=6), is_woken=True), RetryDelay(timedelta(minutes=6))]
)
def test_what_was_given_up_is_woken_once(subject, wait):
    """At once and before others, whatever job waits for a later moment."""
    subject.give_up(subject.begin(), wait)

    assert subject.wake() == 1
    assert subject.jobs.waiting[0] == Job(*subject.job, "now")
    assert subject.now("queued", "due_at") == (2, None)
    assert subject.wake() == 0


def test_what_waits_for_nothing_is_not_woken(subject):
    """One that a run holds, one that is judged, one whose job is on its way."""
    assert subject.wake() == 0
    claim = subject.begin()
    assert subject.wake() == 0
    with subject.sessions() as session:
        subject.mailbox.finish(session, subject.jobs, claim, at=NOON, again_at=NOON + timedelta(hours=1))
    assert subject.wake() == 0


@pytest.mark.parametrize("kind", ["pull request", "head"])
def test_a_job_that_begins_meanwhile_is_not_taken_for_waiting(sessions, kind):
    """Else nothing would ever be queued for it again: the one that waits, as it seems, has long ended."""
    subject = Subject(kind, sessions)
    subject.become(due_at=NOON)
    with ThreadPoolExecutor(1) as beside, sessions() as session:
        assert subject.mailbox.begin(session, subject.key, "j1", at=NOON, lease=LEASE)
        woken = beside.submit(subject.wake)
        wait_for([woken], timeout=1)  # it may be one that waits for our transaction to end
        session.commit()
        assert woken.result(timeout=10) == 0

    assert subject.now("queued") == (0,)
    assert subject.jobs.waiting == ()


def test_no_more_are_woken_than_asked_for(sessions):
    """Others want to write, too."""
    one = Subject("pull request", sessions)
    with sessions() as session:
        rows = [PullRecord(id=9 + n, repository_id=1, number=9 + n, installation_id=3, owner_id=4, owner="", name="", latest=1, due_at=NOON)
                for n in range(3)]  # fmt: skip
        session.add_all(rows)
    assert [one.wake(2), one.wake(2), one.wake(2)] == [2, 1, 0]
