"""A merge group's pull requests count by their recent verdicts; the others are judged, unless that is under way."""

from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import update

from agreements.facts import Conclusion, Verdict
from bot.job_queue import Job
from bot.store.pulls import group_members, posts, verdicts
from bot.store.pulls.group_members import VERDICT_MAX_AGE, Member
from bot.store.records import PullRecord
from tests.bot.deliveries import pull_request
from tests.bot.jobs.inline import InlineEngine

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
HEAD = "a" * 40
LATER = timedelta(minutes=1)


@pytest.fixture(name="judged")
def _judged(sessions):
    """A pull request that was judged at that moment, with changes of its row."""

    def judged(number=1, *, at=NOON, **row):
        with sessions() as session:
            pull_id, latest = posts.post(session, InlineEngine(lambda: NOON), pull_request(11, number))
            verdicts.add(session, pull_id, HEAD, Verdict(conclusion=Conclusion.SUCCESS), at=at)
            values = {"head_sha": HEAD, "evaluated": latest, "evaluated_at": at, "due_at": None, "urgent": False, **row}
            session.execute(update(PullRecord).where(PullRecord.id == pull_id).values(**values))
        return pull_id

    return judged


def ask(sessions, jobs, heads, at=NOON):
    """The members with these heads, and the reviews that are queued for them."""
    with sessions() as session:
        found = group_members.members(session, jobs, pull_request(11, 0), heads, requested_at=NOON, at=at)
    return found, [job for job in jobs.waiting if job.name == "review"]


def test_a_recent_verdict_on_the_head_counts_for_the_group(sessions, jobs, judged):
    judged(at=NOON - VERDICT_MAX_AGE)
    assert ask(sessions, jobs, {1: HEAD}) == ((Member(1, Conclusion.SUCCESS),), [])


@pytest.mark.parametrize(
    "row",
    [
        {"head_sha": "b" * 40},
        {"evaluated": 0},
        {"evaluated_at": NOON - VERDICT_MAX_AGE - timedelta(seconds=1)},
        {"attempts": 1, "evaluated": 0},
        {"open": False},
    ],
    ids=["another-head", "something-new", "too-old", "failing", "closed"],
)
def test_a_verdict_that_does_not_count_has_its_pull_request_judged(sessions, jobs, judged, row):
    judged(at=NOON - LATER, **row)
    (member,), reviews = ask(sessions, jobs, {1: HEAD})
    assert member.conclusion is None
    assert reviews == [Job("review", (), "now")]


@pytest.mark.parametrize(
    "row",
    [
        {"evaluated": 0, "lease_by": "x/1", "lease_until": NOON + LATER},
        {"evaluated": 0, "urgent": True, "due_at": NOON},
        {"head_sha": "b" * 40, "evaluated_at": NOON - timedelta(seconds=5)},
    ],
    ids=["held", "waits", "just-judged"],
)
def test_a_pull_request_that_is_being_judged_is_waited_for(sessions, jobs, judged, row):
    judged(at=NOON - LATER, **row)
    (member,), reviews = ask(sessions, jobs, {1: HEAD})
    assert (member.conclusion, reviews) == (None, [])


def test_an_unknown_pull_request_of_a_group_is_stored_and_judged(sessions, jobs):
    (member,), reviews = ask(sessions, jobs, {7: HEAD})
    assert (member, len(reviews)) == (Member(7, None), 1)


def test_a_group_that_a_clock_ahead_has_dated_finds_its_verdicts(sessions, jobs, judged):
    judged()
    with sessions() as session:
        where, ahead = pull_request(11, 0), NOON + timedelta(days=1)
        (member,) = group_members.members(session, jobs, where, {1: HEAD}, requested_at=ahead, at=NOON)
    assert member == Member(1, Conclusion.SUCCESS)
