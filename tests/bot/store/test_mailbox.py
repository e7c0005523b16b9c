"""Every mailbox: one run holds a subject, the newest state is judged, and failures are retried."""

from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import wait as wait_for
from datetime import UTC, datetime, timedelta

import pytest

from bot.job_queue import Job
from bot.store.leases import LEASE
from bot.store.license_checks import LICENSE_CHECKS, Head, LicenseCheck
from bot.store.mailbox import earliest, lots
from bot.store.merge_groups import MERGE_GROUPS, MergeGroup, MergeGroupKey
from bot.store.pulls.review_mailbox import REVIEWS
from bot.store.records import PullRecord
from bot.store.retry_policy import MAX_QUICK_RETRIES, RETRY_DELAYS, SLOW_RETRY, RetryDelay
from bot.store.statements import change
from tests.bot import claims
from tests.bot.jobs.inline import InlineEngine

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
SECOND = timedelta(seconds=1)
SHA = "a" * 40


class Subject:
    """One subject of a kind, and its mailbox."""

    def __init__(self, kind, sessions):
        self.sessions, self.jobs = sessions, InlineEngine(lambda: NOON)
        if kind == "pull request":
            self.mailbox, self.key = REVIEWS, 1
            row = PullRecord(id=1, repository_id=1, number=2, installation_id=3, owner_id=4, owner="", name="")
        elif kind == "head":
            self.mailbox, self.key = LICENSE_CHECKS, Head(1, SHA)
            row = LicenseCheck(repository_id=1, head_sha=SHA, basis={})
        else:
            self.mailbox, self.key = MERGE_GROUPS, MergeGroupKey(1, SHA)
            where = {"repository_id": 1, "head_sha": SHA, "installation_id": 3, "owner_id": 4, "owner": "", "name": ""}
            row = MergeGroup(**where, branch="", numbers=[], requested_at=NOON)
        with sessions() as session:
            session.add(row)
        self.become(latest=3, due_at=NOON)

    def job(self, queue="later"):
        """That judges some of its kind."""
        return Job(self.mailbox.job, (), queue)

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

    def claim(self, job="j1", at=NOON, queue="later"):
        """A job takes what is due."""
        with self.sessions() as session:
            found = self.mailbox.claim(session, self.jobs, queue, job, at=at)
        return found[0] if found else None

    def finish(self, claim, **how):
        """A job has judged it."""
        with self.sessions() as session:
            return self.mailbox.finish(session, self.jobs, claim, **{"at": NOON} | how)

    def give_up(self, claim, wait=None, at=NOON):
        """A job could not judge it."""
        with self.sessions() as session:
            return self.mailbox.give_up(session, self.jobs, claim, "away", at=at, wait=wait)

    def enqueue(self, **how):
        """Something comes in."""
        with self.sessions() as session:
            return self.mailbox.enqueue(session, self.jobs, self.key, **how)

    def wake(self, limit=100):
        """What it waited for is there again; how many were woken."""
        with self.sessions() as session:
            return self.mailbox.wake(session, self.jobs, limit=limit)


@pytest.fixture(name="subject", params=["pull request", "head", "group"])
def _subject(request, sessions):
    """A row of each kind with something new."""
    return Subject(request.param, sessions)


def test_items_are_divided_into_lots_and_the_earlier_of_two_moments_is_found():
    assert list(lots(range(5), 2)) == [range(2), range(2, 4), range(4, 5)]
    assert (earliest(None, None), earliest(NOON, None), earliest(NOON + SECOND, NOON)) == (None, NOON, NOON)


def test_one_run_holds_a_subject_until_its_lease_ends(subject):
    first = subject.claim()
    assert (first.subject, first.latest, first.row.due_at) == (subject.key, 3, NOON)
    assert subject.claim("j2") is subject.claim("j") is subject.claim("j2", NOON + LEASE - SECOND) is None
    again = subject.claim()
    assert again.holder != first.holder
    assert subject.now("lease_by", "due_at") == (again.holder, None)

    with subject.sessions() as session:
        assert subject.mailbox.repair(session, subject.jobs, at=NOON + LEASE) == 1
    assert subject.claim("j2", NOON + LEASE).latest == 3


def test_an_overtaken_run_changes_nothing(subject):
    lost, late = subject.claim(), NOON + LEASE
    subject.become(due_at=NOON)
    mine, jobs = subject.claim("j2", late), subject.jobs.waiting

    with subject.sessions() as session:
        assert not subject.mailbox.hold(session, lost, at=late)
        subject.mailbox.give_back(session, subject.jobs, lost, at=late)
    assert not subject.finish(lost, at=late)
    assert not subject.give_up(lost, at=late)
    assert subject.now("lease_by", "attempts", subject.mailbox.covered) == (mine.holder, 0, 0)
    assert subject.jobs.waiting == jobs
    with subject.sessions() as session:
        assert subject.mailbox.hold(session, mine, at=late)
    assert subject.finish(mine, at=late)
    assert subject.now("lease_by", "lease_until", subject.mailbox.covered, "due_at") == (None, None, 3, None)


def test_a_subject_given_back_goes_to_the_next_job(subject):
    with subject.sessions() as session:
        subject.mailbox.give_back(session, subject.jobs, subject.claim(), at=NOON + SECOND)
    assert subject.now("lease_by", "due_at", "attempts") == (None, NOON, 0)
    assert subject.jobs.waiting == (subject.job(),)


def test_failures_are_retried_with_growing_delays(subject):
    at, waits = NOON, []
    for number in range(MAX_QUICK_RETRIES + 1):
        subject.give_up(subject.claim(f"j{number}", at), at=at)
        (due_at,) = subject.now("due_at")
        waits.append(due_at - at)
        assert subject.claim("early", due_at - SECOND) is None
        at = due_at

    assert waits == [*RETRY_DELAYS, *[RETRY_DELAYS[-1]] * (MAX_QUICK_RETRIES - len(RETRY_DELAYS)), SLOW_RETRY]
    assert subject.jobs.waiting == ()
    assert subject.finish(subject.claim("j", at))
    assert subject.now("attempts") == (0,), "a verdict ends the count of failures"


def test_a_postponed_urgent_subject_stays_urgent(subject):
    subject.become(urgent=True)
    claim = subject.claim()
    assert subject.now("urgent") == (False,)
    assert subject.give_up(claim, RetryDelay(timedelta(minutes=1)))
    assert subject.now("urgent", "due_at") == (True, NOON + timedelta(minutes=1))


def test_an_urgent_subject_does_not_wait_for_its_retry(subject):
    claim = subject.claim()
    subject.become(attempts=MAX_QUICK_RETRIES + 5, urgent=True)

    subject.give_up(claim)
    assert subject.now("due_at") == (NOON,)
    assert subject.jobs.waiting == (subject.job("now"),)
    assert subject.claim("j2", queue="now")


@pytest.mark.parametrize(
    ("due_at", "how", "after"),
    [
        (None, {}, (NOON, False)), (None, {"queue": "now"}, (NOON, True)), (None, {"delay": SECOND}, (NOON + SECOND, False)),
        (NOON - SECOND, {}, (NOON - SECOND, False)), (NOON + 2 * SECOND, {"delay": SECOND}, (NOON + SECOND, False)),
        (NOON + SECOND, {"delay": 2 * SECOND}, (NOON + SECOND, False)), (NOON + SECOND, {"queue": "now"}, (NOON, True)),
    ],
)  # fmt: skip
def test_an_event_makes_its_subject_due_at_the_earliest_moment(subject, due_at, how, after):
    subject.become(due_at=due_at)

    assert subject.enqueue(**how) == 4
    assert subject.now("latest", "due_at", "urgent") == (4, *after)
    assert list(subject.jobs.waiting) == ([] if "delay" in how else [subject.job(how.get("queue", "later"))])


def test_an_unknown_subject_gets_no_row_and_no_job(subject):
    with subject.sessions() as session:
        unknown = 99 if subject.key == 1 else type(subject.key)(99, SHA)
        assert subject.mailbox.enqueue(session, subject.jobs, unknown) == 0
        subject.mailbox.admit(session, (99, SHA)[: len(subject.mailbox.keys)], at=NOON)
    assert subject.jobs.waiting == ()


@pytest.mark.parametrize(("delay", "due_at"), [(timedelta(0), NOON), (SECOND, NOON + SECOND)])
def test_an_event_during_a_run_is_judged_after_it(subject, delay, due_at):
    claim = subject.claim()
    subject.enqueue(delay=delay)
    assert subject.claim("j2", NOON + SECOND) is None
    before = len(subject.jobs.waiting)

    assert subject.finish(claim, again_at=NOON + timedelta(hours=1))
    assert subject.now(subject.mailbox.covered, "due_at") == (3, due_at)
    assert len(subject.jobs.waiting) - before == (not delay)
    assert subject.claim("j2", NOON + SECOND).latest == 4


def test_a_look_by_time_is_a_run_with_a_number_of_its_own(subject):
    subject.finish(subject.claim(), again_at=NOON + timedelta(days=300))
    if subject.key == Head(1, SHA) and isinstance(subject.key, Head):
        with subject.sessions() as session:  # whom it speaks for is open
            session.add(
                PullRecord(
                    id=1, repository_id=1, number=2, installation_id=3, owner_id=4, owner="", name="", head_sha=SHA
                )
            )
    with subject.sessions() as session:
        assert subject.mailbox.repair(session, subject.jobs, at=NOON) == 0
    claim = subject.claim("j2", NOON + timedelta(days=300))
    assert claim.latest == 4
    assert subject.finish(claim)
    assert subject.now("latest", subject.mailbox.covered, "due_at") == (4, 4, None)


@pytest.mark.parametrize(
    ("changed", "is_found"),
    [
        ({}, False), ({"due_at": None}, True), ({"due_at": None, "latest": 0}, False),
        ({"due_at": NOON + SLOW_RETRY, "attempts": 13}, False), ({"due_at": NOON + SLOW_RETRY}, True),
        ({"due_at": None, "lease_by": "j/x", "lease_until": NOON + LEASE}, False),
        ({"due_at": None, "lease_by": "j/x", "lease_until": NOON}, True),
    ],
)  # fmt: skip
def test_a_subject_that_no_run_would_look_at_is_repaired(subject, changed, is_found):
    subject.become(**{"due_at": NOON} | changed)
    with subject.sessions() as session:
        assert subject.mailbox.repair(session, subject.jobs, at=NOON) == is_found
        assert subject.mailbox.depth(session, at=NOON)["later"] == (is_found or not changed)
    assert list(subject.jobs.waiting) == ([subject.job()] if is_found or not changed else [])


def test_a_wait_of_a_known_length_counts_no_failure(subject):
    wait = RetryDelay(timedelta(minutes=42))

    assert subject.give_up(subject.claim(), wait)
    with subject.sessions() as session:
        assert subject.mailbox.repair(session, subject.jobs, at=NOON) == 0
    assert subject.now("attempts", "due_at", "lease_by") == (0, NOON + wait.delay, None)
    assert subject.jobs.waiting == ()


@pytest.mark.parametrize(
    "wait", [None, RetryDelay(timedelta(minutes=6), is_woken=True), RetryDelay(timedelta(minutes=6))]
)
def test_a_subject_that_was_given_up_is_woken_once(subject, wait):
    subject.give_up(subject.claim(), wait)

    assert (subject.wake(), subject.wake()) == (1, 0)
    assert subject.jobs.waiting == (subject.job("now"),)
    assert subject.now("urgent", "due_at") == (True, NOON)


def test_a_subject_that_waits_for_nothing_is_not_woken(subject):
    assert subject.wake() == 0
    claim = subject.claim()
    assert subject.wake() == 0
    subject.finish(claim, again_at=NOON + timedelta(hours=1))
    assert subject.wake() == 0


def test_a_subject_that_a_job_is_claiming_is_not_woken(subject):
    subject.become(due_at=NOON + SECOND)
    with ThreadPoolExecutor(1) as beside, subject.sessions() as session:
        assert subject.mailbox.claim(session, subject.jobs, "later", "j1", at=NOON + SECOND)
        woken = beside.submit(subject.wake)
        wait_for([woken], timeout=1)  # it may be one that waits for our transaction to end
        session.commit()
        assert woken.result(timeout=10) == 0

    assert subject.now("due_at", "urgent") == (None, False)
    assert subject.jobs.waiting == ()


def test_waking_is_limited_to_the_asked_number(sessions):
    subject = Subject("pull request", sessions)
    with sessions() as session:
        about = {"repository_id": 1, "installation_id": 3, "owner_id": 4, "owner": "", "name": "", "latest": 1}
        session.add_all([PullRecord(id=9 + n, number=9 + n, due_at=NOON + SECOND, **about) for n in range(3)])
    assert [subject.wake(2), subject.wake(2), subject.wake(2)] == [2, 1, 0]


def test_a_full_lot_has_the_next_job_stored(sessions):
    subject = Subject("pull request", sessions)
    with sessions() as session:
        assert len(REVIEWS.claim(session, subject.jobs, "later", "j1", at=NOON, limit=1)) == 1
    assert subject.jobs.waiting == (subject.job(),)
    with sessions() as session:
        assert claims.begin(session, REVIEWS, subject.jobs, 1, "j1", at=NOON)
    assert subject.jobs.waiting == (subject.job(),)
