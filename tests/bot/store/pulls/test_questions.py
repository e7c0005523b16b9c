"""Asking why is answered on the head that is judged next, and on no later one."""

import pytest

from bot.store.pulls import posts, questions
from bot.store.pulls.posts import PullRequestIdentity
from tests.bot.jobs.inline import InlineEngine

FIRST, SECOND = "a" * 40, "b" * 40


@pytest.fixture(name="pull_id")
def _pull_id(sessions):
    """A pull request."""
    box = PullRequestIdentity(repository_id=11, number=1, installation_id=1, owner_id=7, owner="cann", name="ge")
    with sessions() as session:
        return posts.post(session, InlineEngine(), box)[0]


def test_nobody_asked(sessions, pull_id):
    """Then there is nothing to answer, and nothing is written."""
    with sessions() as session:
        assert not questions.answered(session, pull_id, FIRST)
        assert session.get(questions.QuestionRecord, pull_id) is None


def test_asked_for_one_head(sessions, pull_id):
    """The answer stays on its head however often that is judged; a push ends it."""
    with sessions() as session:
        questions.ask(session, pull_id)
        questions.ask(session, pull_id)
    for head, expected in [(FIRST, True), (FIRST, True), (SECOND, False), (FIRST, True)]:
        with sessions() as session:
            assert questions.answered(session, pull_id, head) is expected


def test_asked_again_on_another_head(sessions, pull_id):
    """The newest question counts."""
    with sessions() as session:
        questions.ask(session, pull_id)
        assert questions.answered(session, pull_id, FIRST)
        questions.ask(session, pull_id)
    with sessions() as session:
        assert questions.answered(session, pull_id, SECOND)
        assert not questions.answered(session, pull_id, FIRST)
