"""An item is intended before it is made, so that a crash in between is noticed."""

from datetime import UTC, datetime, timedelta

import pytest

from bot.store.pulls import posts, published_item_rows
from bot.store.pulls.posts import PullRequestIdentity
from bot.store.pulls.published_item_rows import ConfirmedItem, PullRequestItem
from tests.bot.jobs.inline import InlineEngine

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)


@pytest.fixture(name="pull_id")
def _pull_id(sessions):
    """A pull request."""
    box = PullRequestIdentity(repository_id=11, number=1, installation_id=1, owner_id=7, owner="cann", name="ge")
    with sessions() as session:
        return posts.post(session, InlineEngine(), box)[0]


def test_an_item_is_intended_and_then_confirmed_with_its_id(sessions, pull_id):
    with sessions() as session:
        assert PullRequestItem(pull_id, "comment", "").get(session) is None
        assert PullRequestItem(pull_id, "comment", "").intend(session, at=NOON)
    with sessions() as session:
        found = PullRequestItem(pull_id, "comment", "").get(session)
        assert (found.remote_id, found.digest, found.intended_at) == (None, "", NOON)
        published_item_rows.confirm_all(session, [ConfirmedItem(PullRequestItem(pull_id, "comment", ""), 2**40, "d1")])
        assert not PullRequestItem(pull_id, "comment", "").intend(session, at=NOON + timedelta(days=1))
    with sessions() as session:
        found = PullRequestItem(pull_id, "comment", "").get(session)
        assert (found.remote_id, found.digest, found.intended_at) == (2**40, "d1", NOON)


def test_of_two_runs_one_takes_up_an_old_intent(sessions, pull_id):
    with sessions() as session:
        PullRequestItem(pull_id, "check", "a" * 40).intend(session, at=NOON)
    answers = []
    for seconds in (30, 31):
        with sessions() as session:
            later = NOON + timedelta(seconds=seconds)
            answers.append(PullRequestItem(pull_id, "check", "a" * 40).intend_again(session, since=NOON, at=later))
    assert answers == [True, False]


def test_forgetting_digests_keeps_the_ids(sessions, pull_id):
    with sessions() as session:
        PullRequestItem(pull_id, "check", "b" * 40).intend(session, at=NOON)
        published_item_rows.confirm_all(session, [ConfirmedItem(PullRequestItem(pull_id, "check", "b" * 40), 5, "d1")])
        published_item_rows.forget_digests(session, pull_id)
    with sessions() as session:
        found = PullRequestItem(pull_id, "check", "b" * 40).get(session)
        assert (found.remote_id, found.digest) == (5, "")
