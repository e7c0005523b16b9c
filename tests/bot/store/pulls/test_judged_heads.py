"""What a sweep knows before it asks GitHub: open pull requests, whether their head has a verdict, whether one is coming."""

from datetime import timedelta

import pytest
from sqlalchemy import update

from agreements.facts import Conclusion, Verdict
from bot import clock
from bot.store.pulls import judged_heads, posts, verdicts
from bot.store.pulls.posts import PullRequestIdentity
from bot.store.records import PullRecord
from tests.bot.jobs.inline import InlineEngine

HEAD = "a" * 40


@pytest.fixture(name="pull_id")
def _pull_id(sessions):
    """cann/ge#5 at a head with a verdict, which nothing waits for."""
    box = PullRequestIdentity(repository_id=11, number=5, installation_id=1, owner_id=7, owner="cann", name="ge")
    with sessions() as session:
        pull_id, _ = posts.post(session, InlineEngine(), box)
        verdicts.add(session, pull_id, HEAD, Verdict(conclusion=Conclusion.SUCCESS, checks=()), at=clock.now())
        session.execute(update(PullRecord).values(head_sha=HEAD, evaluated=1, due_at=None))
    return pull_id


def known(sessions, *repositories):
    """What is known of these."""
    with sessions() as session:
        return {
            key: (one.judged, one.is_pending)
            for key, one in judged_heads.of(session, repositories, at=clock.now()).items()
        }


def test_a_judged_head(sessions, pull_id):
    """Other repositories are not listed."""
    assert known(sessions, 11, 12) == {(11, 5): (HEAD, False)}
    assert known(sessions, 12) == {}


def test_a_head_that_moved_on_has_no_verdict(sessions, pull_id):
    """That an older head was judged tells nothing of this one."""
    with sessions() as session:
        session.execute(update(PullRecord).values(head_sha="b" * 40))
    assert known(sessions, 11) == {(11, 5): ("", False)}


@pytest.mark.parametrize(
    "waits",
    [
        lambda: {"evaluated": 0},
        lambda: {"lease_by": "j/1", "lease_until": clock.now() + timedelta(minutes=5)},
    ],
)
def test_what_is_on_its_way(sessions, pull_id, waits):
    """Something came in that is not judged, or a run holds it."""
    with sessions() as session:
        session.execute(update(PullRecord).values(**waits()))
    assert known(sessions, 11) == {(11, 5): (HEAD, True)}


def test_closed_ones_are_nobody_s(sessions, pull_id):
    """Only open ones can lack a verdict."""
    with sessions() as session:
        session.execute(update(PullRecord).values(open=False))
    assert known(sessions, 11) == {}
