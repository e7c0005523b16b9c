"""The mailbox of a head's licence check: one run at a time, and again only on another basis."""

from datetime import UTC, datetime, timedelta

import pytest

from bot.job_queue import Job
from bot.store import license_checks
from bot.store.license_checks import LICENSE_CHECKS, Head, LicenseCheck
from bot.store.pulls import posts
from bot.store.pulls.posts import PullRequestIdentity
from bot.store.records import PullRecord
from bot.store.statements import change
from tests.bot import claims

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
LEASE = timedelta(minutes=10)
HEAD = Head(11, "a" * 40)


@pytest.fixture(name="ask")
def _ask(sessions, jobs):
    """Ask for the head by a basis."""

    def ask(basis, *, queue="now"):
        with sessions() as session:
            license_checks.ask(session, jobs, HEAD, basis, queue=queue)

    return ask


@pytest.fixture(name="begin")
def _begin(sessions, jobs):
    """A job takes the head."""

    def begin(job_id="job", *, at=NOON):
        with sessions() as session:
            return claims.begin(session, LICENSE_CHECKS, jobs, HEAD, job_id, at=at)

    return begin


@pytest.fixture(name="finish")
def _finish(sessions, jobs):
    """The job is done."""

    def finish(claim):
        with sessions() as session:
            return LICENSE_CHECKS.finish(session, jobs, claim, at=NOON)

    return finish


def job(queue="now", delay=timedelta(0)):
    """The job for the head."""
    return Job("licenses", (), queue, delay)


def test_a_check_on_the_same_basis_is_not_repeated(ask, begin, finish, jobs):
    ask({5: "x"})
    ask({5: "x"})
    assert jobs.waiting == (job(),)
    assert finish(begin())
    ask({5: "x"})
    assert (begin(), jobs.waiting) == (None, (job(),))


@pytest.mark.parametrize("basis", [{5: "y"}, {5: "x", 6: "x"}, {6: "x"}, {}])
def test_another_basis_has_the_head_checked_again(ask, begin, finish, jobs, basis):
    ask({5: "x"})
    finish(begin())
    ask(basis, queue="later")
    assert begin() is not None
    assert job("later") in jobs.waiting


def test_a_request_about_one_pull_request_keeps_the_basis_of_the_other(ask, begin, finish):
    ask({5: "x"})
    ask({5: "", 6: "y"})
    finish(begin())
    ask({5: "", 6: "y"})
    ask({5: "x", 6: ""})
    assert begin() is None


def test_a_head_without_an_open_pull_request_is_not_checked_by_time(sessions, jobs, ask, begin):
    ask({5: "x"})
    with sessions() as session:
        LICENSE_CHECKS.finish(session, jobs, begin(), at=NOON, again_at=NOON)
    assert begin() is None
    with sessions() as session:
        session.add(
            PullRecord(
                repository_id=HEAD.repository_id,
                number=5,
                installation_id=3,
                owner_id=4,
                owner="",
                name="",
                head_sha=HEAD.sha,
            )
        )
    assert begin().latest == 2


def test_a_repeated_check_uses_the_basis_of_before(sessions, jobs, ask, begin, finish):
    with sessions() as session:
        LICENSE_CHECKS.enqueue(session, jobs, HEAD, queue="now")
        assert session.get(LicenseCheck, tuple(HEAD)) is None
    ask({5: "x"})
    finish(begin())
    with sessions() as session:
        LICENSE_CHECKS.enqueue(session, jobs, HEAD, queue="now")
        assert session.get(LicenseCheck, tuple(HEAD)) is not None
    assert finish(begin())
    ask({5: "x"})
    assert begin() is None


def test_the_open_pull_requests_of_a_head_are_given_by_number(sessions, jobs):
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
