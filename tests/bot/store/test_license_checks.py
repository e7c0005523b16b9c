"""The mailbox of a head's licence check: one waits, one runs, the newest wins, a failure waits longer each time."""

from datetime import UTC, datetime, timedelta

import pytest

from bot.job_queue import Job
from bot.store import license_checks
from bot.store.license_checks import LICENSE_CHECKS, Head
from bot.store.pulls import posts
from bot.store.pulls.posts import PullRequestIdentity
from bot.store.records import PullRecord
from bot.store.retry_policy import MAX_QUICK_RETRIES, RETRY_DELAYS, SLOW_RETRY
from bot.store.statements import change
from tests.bot.jobs.inline import InlineEngine

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
LEASE = timedelta(minutes=10)
HEAD = Head(11, "a" * 40)


@pytest.fixture(name="jobs")
def _jobs():
    """An engine that shows what was queued."""
    return InlineEngine()


@pytest.fixture(name="ask")
def _ask(sessions, jobs):
    """Ask for the head by a basis."""

    def ask(basis, *, queue="now"):
        with sessions() as session:
            license_checks.ask(session, jobs, HEAD, basis, queue=queue)

    return ask


@pytest.fixture(name="begin")
def _begin(sessions):
    """A job takes the head."""

    def begin(job_id="job", *, at=NOON):
        with sessions() as session:
            return LICENSE_CHECKS.begin(session, HEAD, job_id, at=at, lease=LEASE)

    return begin


@pytest.fixture(name="finish")
def _finish(sessions, jobs):
    """The job is done."""

    def finish(claim):
        with sessions() as session:
            return LICENSE_CHECKS.finish(session, jobs, claim, at=NOON)

    return finish


@pytest.fixture(name="give_up")
def _give_up(sessions, jobs):
    """The job could not do it."""

    def give_up(claim, *, at=NOON):
        with sessions() as session:
            return LICENSE_CHECKS.give_up(session, jobs, claim, "away", at=at)

    return give_up


def job(queue="now", delay=timedelta(0)):
    """The job for the head."""
    return Job("licenses", (11, HEAD.sha), queue, delay)


def test_the_same_basis_is_judged_once(ask, begin, finish, jobs):
    """A signature has a pull request reviewed again; its licences stay what they are."""
    ask({5: "x"})
    ask({5: "x"})
    assert jobs.waiting == (job(),)
    assert finish(begin())
    ask({5: "x"})
    assert (begin(), jobs.waiting) == (None, (job(),))


@pytest.mark.parametrize("basis", [{5: "y"}, {5: "x", 6: "x"}, {6: "x"}, {}])
def test_another_basis_is_another_judgement(ask, begin, finish, jobs, basis):
    """Other rules, another pull request with the same head, one that is gone."""
    ask({5: "x"})
    finish(begin())
    ask(basis, queue="later")
    assert begin() is not None
    assert job("later") in jobs.waiting


def test_what_is_not_told_stays(ask, begin, finish):
    """A review of one of two pull requests knows nothing of the rules for the other."""
    ask({5: "x"})
    ask({5: "", 6: "y"})
    finish(begin())
    ask({5: "", 6: "y"})
    ask({5: "x", 6: ""})
    assert begin() is None


def test_an_urgent_one_does_not_wait_behind_a_slow_one(ask, jobs):
    """A second job in the faster queue, none the other way round."""
    ask({5: "x"}, queue="later")
    ask({5: "y"}, queue="now")
    ask({5: "z"}, queue="later")
    assert jobs.waiting == (job("now"), job("later"))


def test_one_holds_it(ask, begin, finish, jobs):
    """Another job gets nothing until the lease is over; the same job goes on after a crash; the first one lost it then."""
    ask({5: "x"})
    first = begin()
    assert begin("other") is None
    again = begin()
    assert (again.head, again.latest) == (HEAD, 1)
    assert not finish(first)
    later = begin("other", at=NOON + LEASE)
    assert later is not None
    assert not finish(again)
    assert finish(later)
    assert jobs.waiting == (job(),)


def test_holding_on(sessions, ask, begin):
    """The lease is renewed by who has it, and by nobody else."""
    ask({5: "x"})
    claim = begin()
    with sessions() as session:
        assert LICENSE_CHECKS.hold(session, claim, at=NOON + LEASE, lease=LEASE)
    assert begin("other", at=NOON + LEASE) is None
    taken = begin("other", at=NOON + 2 * LEASE)
    with sessions() as session:
        assert taken is not None
        assert not LICENSE_CHECKS.hold(session, claim, at=NOON + 2 * LEASE, lease=LEASE)


def test_what_comes_in_meanwhile_is_done_next(ask, begin, finish, jobs):
    """Without a second job at the same time."""
    ask({5: "x"})
    claim = begin()
    ask({5: "y"}, queue="later")
    assert jobs.waiting == (job(), job("later"))
    finish(claim)
    assert jobs.waiting == (job(), job("later"))
    assert begin().latest == 2


def test_a_failure_is_tried_again(sessions, ask, begin, give_up, finish, jobs):
    """After a growing delay, at last by the sweep alone; a success forgets the failures."""
    ask({5: "x"})
    for number in range(1, MAX_QUICK_RETRIES + 1):
        claim = begin()
        assert claim.row.attempts == number - 1
        assert give_up(claim)
        assert jobs.waiting[-1] == job("later", RETRY_DELAYS[min(number, len(RETRY_DELAYS)) - 1])
    give_up(begin())
    with sessions() as session:
        assert LICENSE_CHECKS.stale(session, at=NOON) == []
        assert LICENSE_CHECKS.stale(session, at=NOON + SLOW_RETRY) == [HEAD]
    finish(begin())
    ask({5: "y"})
    assert begin().row.attempts == 0
    assert not give_up(claim)


def test_the_sweep_finds_what_nobody_looks_after(sessions, ask, begin):
    """A lease that ran out; not what waits in a queue, or is held."""
    ask({5: "x"})

    def stale(at):
        with sessions() as session:
            return LICENSE_CHECKS.stale(session, at=at)

    assert stale(NOON) == []
    begin()
    assert stale(NOON) == []
    assert stale(NOON + LEASE) == [HEAD]


def test_again(sessions, jobs, ask, begin, finish):
    """Only what was asked for before, and then by the basis of before."""
    with sessions() as session:
        LICENSE_CHECKS.enqueue(session, jobs, HEAD, queue="now")
        assert not license_checks.is_known(session, HEAD)
    ask({5: "x"})
    finish(begin())
    with sessions() as session:
        LICENSE_CHECKS.enqueue(session, jobs, HEAD, queue="now")
        assert license_checks.is_known(session, HEAD)
    assert finish(begin())
    ask({5: "x"})
    assert begin() is None


def test_the_open_pull_requests_of_a_head(sessions, jobs):
    """Of that repository, by number."""
    for repository_id, number, head_sha, is_open in (
        (11, 3, HEAD.sha, True), (11, 2, HEAD.sha, True), (11, 4, HEAD.sha, False), (11, 5, "b", True), (12, 6, HEAD.sha, True),
    ):  # fmt: skip
        box = PullRequestIdentity(
            repository_id=repository_id, number=number, installation_id=1, owner_id=7, owner="c", name="n"
        )
        with sessions() as session:
            change(session, PullRecord, {"id": posts.post(session, jobs, box)[0]}, head_sha=head_sha, open=is_open)
    with sessions() as session:
        assert [pull.number for pull in license_checks.open_pulls(session, HEAD)] == [2, 3]
