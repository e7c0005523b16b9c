"""One job waits, one run holds, the newest state wins: the same for every subject that has a mailbox."""

from datetime import UTC, datetime, timedelta

import pytest
from sqlmodel import col, select

from bot.job_queue import Job
from bot.jobs.inline import InlineEngine
from bot.store.license_checks import LICENSE_CHECKS, Head, LicenseCheck
from bot.store.mailbox import MAX_QUICK_RETRIES, RETRY_DELAYS, SLOW_RETRY
from bot.store.pulls.review_mailbox import REVIEWS
from bot.store.records import Pull

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
LEASE = timedelta(minutes=10)
SHA = "a" * 40


class Subject:
    """One subject of a kind, its mailbox, and the job that judges it."""

    def __init__(self, kind, sessions):
        self.sessions, self.jobs = sessions, InlineEngine()
        if kind == "pull request":
            self.mailbox, self.key, self.job = REVIEWS, 1, ("review", (1,))
            row = Pull(id=1, repository_id=1, number=2, installation_id=3, owner_id=4, owner="", name="")
        else:
            self.mailbox, self.key, self.job = LICENSE_CHECKS, Head(1, SHA), ("licenses", (1, SHA))
            row = LicenseCheck(repository_id=1, head_sha=SHA, basis={})
        with sessions() as session:
            session.add(row)
        self.become(latest=3, queued=2)

    def become(self, **values):
        """Have the row say so."""
        with self.sessions() as session:
            row = self.mailbox.lock(session, self.key)
            for name, value in values.items():
                setattr(row, name, value)

    def now(self, *names):
        """What the row says."""
        with self.sessions() as session:
            row = self.mailbox.lock(session, self.key)
            return tuple(getattr(row, name) for name in names)

    def begin(self, job="j1", at=NOON):
        """A job takes it."""
        with self.sessions() as session:
            return self.mailbox.begin(session, self.key, job, at=at, lease=LEASE)

    def give_up(self, claim):
        """A job could not judge it; the job that was queued then, if any."""
        before = len(self.jobs.waiting)
        with self.sessions() as session:
            assert self.mailbox.give_up(session, self.jobs, claim, "away", at=NOON)
        return self.jobs.waiting[before:]


@pytest.fixture(name="subject", params=["pull request", "head"])
def _subject(request, sessions):
    """A row of each kind with something new."""
    return Subject(request.param, sessions)


@pytest.mark.parametrize(
    ("job", "after", "is_taken"),
    [
        ("j2", timedelta(0), False), ("j2", LEASE - timedelta(seconds=1), False), ("j2", LEASE, True),
        ("j1", timedelta(0), True), ("j", timedelta(0), False),
    ],
)  # fmt: skip
def test_one_run_holds_it_until_its_lease_ends(subject, job, after, is_taken):
    """Another job waits for the lease's end; the same job may take it again, and is another run then."""
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


@pytest.mark.parametrize(
    ("changed", "is_stale"),
    [
        ({}, True), ({"queued": 1}, False), ({"latest": 0}, False),
        ({"lease_by": "j/x", "lease_until": NOON + LEASE}, False), ({"lease_by": "j/x", "lease_until": NOON}, True),
        ({"due_at": NOON + LEASE}, False), ({"due_at": NOON}, True),
    ],
)  # fmt: skip
def test_a_sweep_finds_what_nobody_looks_after(subject, changed, is_stale):
    """Something new, no job that waits, no run that holds it, and its time has come."""
    subject.become(**{"latest": 1, "queued": 0} | changed)

    with subject.sessions() as session:
        model = subject.mailbox.model
        found = session.exec(select(model).where(col(model.repository_id) == 1, subject.mailbox.is_stale(NOON))).all()
    assert bool(found) is is_stale
