"""A question why is answered on the head that is judged next, and on no later one."""

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


def test_without_a_question_there_is_nothing_to_answer(answered):
    assert not answered(FIRST)


def test_an_answer_belongs_to_the_head_that_was_asked_about(sessions, pull_id, answered):
    with sessions() as session:
        why_questions.ask(session, pull_id)
        why_questions.ask(session, pull_id)
    assert [answered(head) for head in (FIRST, FIRST, SECOND, FIRST)] == [True, True, False, True]


def test_a_question_on_another_head_replaces_the_first(sessions, pull_id, answered):
    for head in (FIRST, SECOND):
        with sessions() as session:
            why_questions.ask(session, pull_id)
        assert answered(head)
    assert not answered(FIRST)


def test_a_late_run_does_not_answer_on_another_head(sessions, pull_id, answered):
    with sessions() as session:
        why_questions.ask(session, pull_id)
    assert answered(FIRST)
    with sessions() as session:
        why_questions.answer(session, pull_id, SECOND)
    assert not answered(SECOND)
