"""Asking why is answered on the head that is judged next, and on no later one."""

import pytest

from bot.store.pulls import posts, why_questions
from bot.store.pulls.posts import PullRequestIdentity
from bot.store.pulls.why_questions import QuestionRecord
from tests.bot.jobs.inline import InlineEngine

FIRST, SECOND = "a" * 40, "b" * 40


@pytest.fixture(name="pull_id")
def _pull_id(sessions):
    """A pull request."""
    box = PullRequestIdentity(repository_id=11, number=1, installation_id=1, owner_id=7, owner="cann", name="ge")
    with sessions() as session:
        return posts.post(session, InlineEngine(), box)[0]


@pytest.fixture(name="answered")
def _answered(sessions, pull_id):
    """Whether a review of that head answers; it does so at once."""

    def answered(head):
        with sessions() as session:
            row = session.get(QuestionRecord, pull_id)
            is_asked = why_questions.is_asked(row, head)
        if row is not None and row.waiting:
            with sessions() as session:
                why_questions.answer(session, pull_id, head)
        return is_asked

    return answered


def test_nobody_asked(answered):
    """Then there is nothing to answer."""
    assert not answered(FIRST)


def test_asked_for_one_head(sessions, pull_id, answered):
    """The answer stays on its head however often that is judged; a push ends it."""
    with sessions() as session:
        why_questions.ask(session, pull_id)
        why_questions.ask(session, pull_id)
    assert [answered(head) for head in (FIRST, FIRST, SECOND, FIRST)] == [True, True, False, True]


def test_asked_again_on_another_head(sessions, pull_id, answered):
    """The newest question counts."""
    for head in (FIRST, SECOND):
        with sessions() as session:
            why_questions.ask(session, pull_id)
        assert answered(head)
    assert not answered(FIRST)


def test_an_answer_is_given_to_who_asked(sessions, pull_id, answered):
    """Whoever was answered on one head is not answered on another by a run that comes late."""
    with sessions() as session:
        why_questions.ask(session, pull_id)
    assert answered(FIRST)
    with sessions() as session:
        why_questions.answer(session, pull_id, SECOND)
    assert not answered(SECOND)
