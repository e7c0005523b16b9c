"""The index of who takes part: a signature finds just the open pull requests that it may change."""

from datetime import UTC, datetime

from sqlalchemy import update

from bot.store.pulls import participants, posts
from bot.store.pulls.posts import PullRequestIdentity
from bot.store.records import PullRecord
from tests.bot.jobs.inline import InlineEngine

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)


def add(session, number):
    """A pull request's row id."""
    box = PullRequestIdentity(repository_id=11, number=number, installation_id=1, owner_id=7, owner="cann", name="ge")
    return posts.post(session, InlineEngine(), box)[0]


def test_a_review_replaces_who_takes_part(sessions):
    """Who left is gone, who stays is not written again, nobody is left of an empty list."""
    with sessions() as session:
        one, two = add(session, 1), add(session, 2)
        participants.replace(session, one, {10, 20})
        participants.replace(session, two, {20, 2**53})
        participants.replace(session, one, {20, 30})
    with sessions() as session:
        assert participants.of(session, one) == {20, 30}
        assert participants.pulls_of(session, [10]) == []
        assert participants.pulls_of(session, [20]) == [one, two]
        assert participants.pulls_of(session, [30, 2**53]) == [one, two]
        assert participants.pulls_of(session, []) == []
        participants.replace(session, one, ())
        assert participants.pulls_of(session, [20]) == [two]


def test_who_joins_takes_part_until_the_next_review(sessions):
    """Once; the next review replaces them as the others."""
    with sessions() as session:
        one = add(session, 1)
        participants.replace(session, one, {10})
        for account in (10, 2**53, 2**53):
            participants.join(session, one, account)
        assert participants.of(session, one) == {10, 2**53}
        participants.replace(session, one, {10})
        assert participants.of(session, one) == {10}


def test_where_others_take_part(sessions):
    """Open ones alone; whoever is known already makes none of them worth a look."""
    with sessions() as session:
        one, two, closed = (add(session, number) for number in (1, 2, 3))
        for pull_id, people in ((one, {10, 20}), (two, {10}), (closed, {30})):
            participants.replace(session, pull_id, people)
        session.execute(update(PullRecord).where(PullRecord.id == closed).values(open=False))
        assert participants.pulls_with_others(session, {10}) == [one]
        assert participants.pulls_with_others(session, ()) == [one, two]
        assert participants.pulls_with_others(session, {10, 20, 99}) == []


def test_of_one_owner_only(sessions):
    """Somebody's membership matters where it changed."""
    with sessions() as session:
        one = add(session, 1)
        participants.replace(session, one, {10})
        assert participants.pulls_of(session, [10], owner_id=7) == [one]
        assert participants.pulls_of(session, [10], owner_id=8) == []


def test_a_closed_pull_request_is_not_found(sessions):
    """What is merged or closed is not judged again."""
    with sessions() as session:
        one = add(session, 1)
        participants.replace(session, one, {10})
        session.execute(update(PullRecord).values(open=False))
        assert participants.pulls_of(session, [10]) == []


def test_open_pulls_by_name(sessions):
    """Of one account, by repository and number, however they came; closed ones are left out."""
    with sessions() as session:
        for number in (3, 2, 10, 1):
            participants.replace(session, add(session, number), {10})
        session.exec(update(PullRecord).where(PullRecord.number == 2).values(open=False))
        assert participants.open_pulls(session, 10, most=9) == [
            ("cann", "ge", 1),
            ("cann", "ge", 3),
            ("cann", "ge", 10),
        ]
        assert participants.open_pulls(session, 10, most=1) == [("cann", "ge", 1)]
        assert participants.open_pulls(session, 20, most=9) == []
