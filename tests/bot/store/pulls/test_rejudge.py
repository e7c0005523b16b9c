"""A change of cover has the person's open pull requests judged again, and no others."""

from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import update

from bot.store.pulls import posts, pull_state, rejudge
from bot.store.pulls.posts import PullRequestIdentity
from bot.store.records import PullRecord
from tests.bot.jobs.inline import InlineEngine

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)


def add(session, number, *people):
    """A settled pull request with these people; its row id."""
    box = PullRequestIdentity(repository_id=11, number=number, installation_id=1, owner_id=7, owner="cann", name="ge")
    pull_id = posts.post(session, InlineEngine(), box)[0]
    pull_state.replace_participants(session, pull_id, people)
    session.execute(update(PullRecord).where(PullRecord.id == pull_id).values(due_at=None, urgent=False))
    return pull_id


def waiting(engine):
    """Each job that was queued."""
    return [(job.name, job.ids, job.queue, job.delay) for job in engine.waiting]


@pytest.mark.parametrize("queue", ["now", "later"])
def test_a_persons_open_pull_requests_are_queued_with_a_second_look(sessions, queue):
    engine = InlineEngine(sessions=sessions)
    with sessions() as session:
        mine, _, closed = add(session, 1, 11), add(session, 2, 12), add(session, 3, 11)
        session.execute(update(PullRecord).where(PullRecord.id == closed).values(open=False))
    with sessions() as session:
        assert rejudge.people(session, engine, [11], queue=queue) == 1

    assert waiting(engine) == [
        ("review", (mine,), queue, timedelta(0)),
        ("recheck", (11,), queue, timedelta(0)),
    ]


def test_a_companys_people_are_rechecked_now_and_at_each_later_day(sessions):
    engine = InlineEngine()
    with sessions() as session:
        days = (None, NOON - timedelta(days=1), NOON, NOON + timedelta(days=3))
        rejudge.company(session, engine, "c1", *days, now=NOON)

    assert waiting(engine) == [
        ("company", ("c1",), "now", timedelta(0)),
        ("company", ("c1",), "later", timedelta(days=3, seconds=1)),
    ]
