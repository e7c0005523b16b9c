"""Each head has one check run, kept by its first pull request; the others are its siblings."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import update

from agreements.facts import Conclusion, Verdict
from bot import clock
from bot.store.pulls import heads, posts, published_item_rows, verdicts
from bot.store.pulls.heads import CheckRunOwner, Sibling
from bot.store.pulls.posts import PullRequestIdentity
from bot.store.pulls.published_item_rows import ConfirmedItem, PullRequestItem
from bot.store.records import PullRecord
from bot.store.statements import change
from tests.bot.jobs.inline import InlineEngine

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
HEAD, OTHER = "a" * 40, "b" * 40
BOX = PullRequestIdentity(repository_id=11, number=1, installation_id=1, owner_id=7, owner="cann", name="ge")


@pytest.fixture(name="add")
def _add(sessions):
    """Add a pull request that was seen at a head; gives its row id."""

    def add(number, head_sha=HEAD, *, repository_id=11, **changes):
        with sessions() as session:
            box = replace(BOX, number=number, repository_id=repository_id)
            pull_id, _ = posts.post(session, InlineEngine(), box)
            change(session, PullRecord, {"id": pull_id}, head_sha=head_sha, **changes)
        return pull_id

    return add


def judge(sessions, pull_id, conclusion, head_sha=HEAD):
    """That was said of it."""
    with sessions() as session:
        verdicts.add(session, pull_id, head_sha, Verdict(conclusion=conclusion), at=NOON)


def test_the_first_pull_request_of_a_head_keeps_its_run(sessions, add):
    first, second = add(1), add(2)
    with sessions() as session:
        assert heads.kept(session, 11, HEAD) is None
        assert heads.keep(session, 11, HEAD, first, 1) == CheckRunOwner(first, 1)
        assert heads.keep(session, 11, HEAD, second, 2) == CheckRunOwner(first, 1)
        assert heads.keep(session, 11, OTHER, second, 2) == CheckRunOwner(second, 2)
        assert heads.kept(session, 12, HEAD) is None
    with sessions() as session:
        assert heads.kept(session, 11, HEAD) == CheckRunOwner(first, 1)


def test_siblings_are_other_open_pull_requests_with_that_head_and_repository(sessions, add):
    own = add(5)
    add(9)
    add(7)
    add(1, open=False)
    add(2, OTHER)
    add(3, repository_id=12)
    with sessions() as session:
        assert heads.siblings(session, 11, HEAD, own) == (Sibling(7, None), Sibling(9, None))


@pytest.mark.parametrize(
    ("judged", "changes", "expected"),
    [
        (None, {}, None),
        ((Conclusion.FAILURE, HEAD), {}, Conclusion.FAILURE),
        ((Conclusion.SUCCESS, HEAD), {}, Conclusion.SUCCESS),
        ((Conclusion.SUCCESS, OTHER), {}, None),
        ((Conclusion.SUCCESS, HEAD), {"attempts": 1}, None),
    ],
    ids=["not judged", "fails", "passes", "passed on another head", "could not be judged again"],
)
def test_a_sibling_has_a_conclusion_only_if_it_holds_for_this_head_now(sessions, add, judged, changes, expected):
    own, other = add(1), add(2, **changes)
    if judged:
        judge(sessions, other, *judged)
    with sessions() as session:
        assert heads.siblings(session, 11, HEAD, own) == (Sibling(2, expected),)


def test_forgetting_digests_includes_the_shared_run_of_the_keeper(sessions, add):
    keeper, other, third = add(1), add(2), add(3, OTHER)
    with sessions() as session:
        heads.keep(session, 11, HEAD, keeper, 1)
        for pull_id in (keeper, third):
            PullRequestItem(pull_id, "check", HEAD).intend(session, at=NOON)
            published_item_rows.confirm_all(
                session, [ConfirmedItem(PullRequestItem(pull_id, "check", HEAD), pull_id, "d")]
            )
        heads.write_anew(session, other)
    with sessions() as session:
        assert PullRequestItem(keeper, "check", HEAD).get(session).digest == ""
        assert PullRequestItem(third, "check", HEAD).get(session).digest == "d"


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
            key: (pull.judged, pull.is_pending)
            for key, pull in heads.open_pulls(session, repositories, at=clock.now()).items()
        }


def test_judged_heads_are_listed_for_the_given_repositories(sessions, pull_id):
    assert known(sessions, 11, 12) == {(11, 5): (HEAD, False)}
    assert known(sessions, 12) == {}


@pytest.mark.parametrize(
    ("changed", "found"),
    [
        (lambda: {"head_sha": "b" * 40}, {(11, 5): ("", False)}),
        (lambda: {"evaluated": 0}, {(11, 5): (HEAD, True)}),
        (lambda: {"lease_by": "j/1", "lease_until": clock.now() + timedelta(minutes=5)}, {(11, 5): (HEAD, True)}),
        (lambda: {"open": False}, {}),
    ],
    ids=["another head has no verdict", "something came in", "a run holds it", "closed"],
)
def test_a_head_is_known_as_judged_or_as_waiting_for_its_verdict(sessions, pull_id, changed, found):
    with sessions() as session:
        session.execute(update(PullRecord).values(**changed()))
    assert known(sessions, 11) == found
