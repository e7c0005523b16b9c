"""The state that GitHub gave of a pull request is stored at once, and siblings of a left head are judged again."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import update

from bot.github.ports import PullRequestSnapshot, RepositoryPlace, RuleFile, RuleFiles
from bot.store.pulls import named_pulls, posts, pull_state, review_mailbox
from bot.store.pulls.posts import Post, PullRequestIdentity
from bot.store.pulls.pull_state import RuleEffects
from bot.store.records import PullRecord
from tests.bot.jobs.inline import InlineEngine

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
HEAD, OTHER = "a" * 40, "b" * 40
BOX = PullRequestIdentity(repository_id=11, number=5, installation_id=1, owner_id=7, owner="cann", name="ge")


def post(sessions, jobs, number=5):
    """A pull request; gives its row id."""
    with sessions() as session:
        return posts.post(session, jobs, replace(BOX, number=number))[0]


def pushed(session, jobs, head):
    """That became the head of pull request 5, says an event."""
    posts.post_all(session, jobs, [Post(pull=BOX, after=head)])


def fetch_snapshot(**changes):
    """What GitHub says of the pull request."""
    values = {
        "place": RepositoryPlace(2, "cann", "ge-renamed", 11),
        "owner_id": 7,
        "owner_type": "Organization",
        "private": True,
        "number": 5,
        "state": "open",
        "draft": False,
        "opener": None,
        "created_at": NOON,
        "updated_at": NOON,
        "base": "main",
        "base_sha": "b" * 40,
        "head": "topic",
        "head_sha": "a" * 40,
        "head_repository": None,
        "labels": (),
        "known_labels": frozenset(),
        "changed_files": 1,
        "rule_files": RuleFiles(None, RuleFile("x", None), RuleFile("y", None)),
        "mailmap": "",
        "commit_count": 0,
        "commits": (),
        "cursor": None,
    }
    return PullRequestSnapshot(**{**values, **changes})


def see(session, jobs, pull_id, snapshot, effects=None):
    """GitHub says that."""
    pull_state.seen(session, jobs, review_mailbox.get(session, pull_id), snapshot, effects)


def test_a_look_is_stored_and_found_by_repository_owner_and_head(sessions, jobs):
    pull_id = post(sessions, jobs)
    with sessions() as session:
        see(session, jobs, pull_id, fetch_snapshot())
    with sessions() as session:
        row = review_mailbox.get(session, pull_id)
        assert (row.name, row.installation_id, row.private, row.head_sha) == ("ge-renamed", 2, True, "a" * 40)
        assert review_mailbox.by_head(session, 11, "a" * 40) == [pull_id]
        assert review_mailbox.by_head(session, 12, "a" * 40) == review_mailbox.by_head(session, 11, "") == []
        see(session, jobs, pull_id, fetch_snapshot(state="merged"))
        assert review_mailbox.by_head(session, 11, "a" * 40) == []


def test_a_pull_request_is_private_until_github_says_otherwise(sessions, jobs):
    pull_id = post(sessions, jobs)

    def private():
        with sessions() as session:
            return review_mailbox.get(session, pull_id).private

    def moved(*, private):
        with sessions() as session:
            pull_state.moved(session, 11, owner_id=7, owner="cann", name="ge", private=private)

    assert private()
    moved(private=False)
    assert private()
    with sessions() as session:
        see(session, jobs, pull_id, fetch_snapshot(private=False))
    assert not private()
    moved(private=False)
    assert not private()
    moved(private=True)
    assert private()


def test_our_label_is_remembered_until_the_next(sessions, jobs):
    pull_id = post(sessions, jobs)
    for label in ("cla-required", ""):
        with sessions() as session:
            pull_state.labelled(session, pull_id, label)
        with sessions() as session:
            assert review_mailbox.get(session, pull_id).label == label


def test_a_moved_repository_keeps_its_rows_under_the_new_name(sessions, jobs):
    pull_id = post(sessions, jobs)
    with sessions() as session:
        pull_state.moved(session, 11, owner_id=8, owner="other", name="ge2", private=False)
    with sessions() as session:
        assert [*named_pulls.open_owners(session, "other", "ge2")] == [pull_id]
        assert [*named_pulls.open_owners(session, "cann", "ge")] == []
        assert review_mailbox.find(session, 11, 5).id == pull_id


def test_the_effects_of_the_last_rules_are_remembered(sessions, jobs):
    pull_id = post(sessions, jobs)

    def said():
        with sessions() as session:
            return review_mailbox.get(session, pull_id).quiet, review_mailbox.get(session, pull_id).by_labels

    assert said() == (False, True)
    for quiet, by_labels in [(True, False), (False, True)]:
        with sessions() as session:
            see(session, jobs, pull_id, fetch_snapshot(), RuleEffects(quiet=quiet, by_labels=by_labels))
        assert said() == (quiet, by_labels)


@pytest.fixture(name="two")
def _two(sessions, jobs):
    """Two pull requests that share a head, and a third with another; how often the others were touched."""
    numbers = [post(sessions, jobs, number) for number in (5, 6, 7)]
    with sessions() as session:
        for pull_id, head in zip(numbers, (HEAD, HEAD, OTHER), strict=True):
            session.execute(update(PullRecord).where(PullRecord.id == pull_id).values(head_sha=head))

    def latest():
        with sessions() as session:
            return [review_mailbox.get(session, pull_id).latest for pull_id in numbers]

    assert latest() == [1, 1, 1]
    return numbers[0], latest


def test_a_repositorys_mode_is_that_of_its_newest_review(sessions, jobs):
    first, second, elsewhere = (post(sessions, jobs, number) for number in (5, 6, 7))

    def was(repository_id=BOX.repository_id):
        with sessions() as session:
            return pull_state.was_quiet(session, repository_id)

    def judged(pull_id, at, *, quiet):
        with sessions() as session:
            session.execute(update(PullRecord).where(PullRecord.id == pull_id).values(quiet=quiet, evaluated_at=at))

    with sessions() as session:
        see(session, jobs, first, fetch_snapshot(), RuleEffects(quiet=True, by_labels=False))
        session.execute(update(PullRecord).where(PullRecord.id == elsewhere).values(repository_id=12))
    assert was() is None
    judged(first, NOON, quiet=True)
    assert was()
    judged(second, NOON + timedelta(seconds=1), quiet=False)
    judged(elsewhere, NOON + timedelta(seconds=2), quiet=True)
    assert was() is False
    judged(first, NOON + timedelta(seconds=2), quiet=True)
    assert was()
    assert was(12)
    assert was(13) is None


@pytest.mark.parametrize(
    ("happens", "touched"),
    [
        (lambda session, jobs, own: pushed(session, jobs, HEAD), [2, 1, 1]),
        (lambda session, jobs, own: pushed(session, jobs, OTHER), [2, 2, 1]),
        (lambda session, jobs, own: see(session, jobs, own, fetch_snapshot(head_sha=HEAD)), [1, 1, 1]),
        (lambda session, jobs, own: see(session, jobs, own, fetch_snapshot(head_sha=OTHER)), [1, 2, 1]),
        (
            lambda session, jobs, own: see(session, jobs, own, fetch_snapshot(state="closed", head_sha=HEAD)),
            [1, 2, 1],
        ),
        (pull_state.mark_missing, [1, 2, 1]),
        (pull_state.enqueue_siblings, [1, 2, 1]),
    ],
    ids=["pushed the same", "pushed another", "seen the same", "seen another", "seen closed", "gone", "asked for"],
)
def test_only_the_siblings_of_a_left_head_are_judged_again(sessions, jobs, two, happens, touched):
    own, latest = two
    with sessions() as session:
        happens(session, jobs, own)
    assert latest() == touched
    assert all(job.delay == timedelta(0) for job in jobs.waiting)


def test_a_missing_pull_request_is_hidden(sessions, jobs):
    pull_id = post(sessions, jobs)
    with sessions() as session:
        see(session, jobs, pull_id, fetch_snapshot(private=False))
        pull_state.mark_missing(session, jobs, pull_id)
    with sessions() as session:
        row = review_mailbox.get(session, pull_id)
        assert (row.private, row.open) == (True, False)


def test_a_missing_pull_request_leaves_its_head_once_and_a_push_brings_it_back(sessions, jobs, two):
    own, latest = two
    for _ in range(3):
        with sessions() as session:
            pull_state.mark_missing(session, jobs, own)
    assert latest() == [1, 2, 1]
    with sessions() as session:
        assert not review_mailbox.get(session, own).open
        pushed(session, jobs, HEAD)
    with sessions() as session:
        assert review_mailbox.get(session, own).open


NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)


def add(session, number):
    """A pull request's row id."""
    box = PullRequestIdentity(repository_id=11, number=number, installation_id=1, owner_id=7, owner="cann", name="ge")
    return posts.post(session, InlineEngine(), box)[0]


def test_a_review_replaces_the_participants(sessions):
    with sessions() as session:
        first, second = add(session, 1), add(session, 2)
        pull_state.replace_participants(session, first, {10, 20})
        pull_state.replace_participants(session, second, {20, 2**53})
        pull_state.replace_participants(session, first, {20, 30})
    with sessions() as session:
        assert pull_state.participants(session, first) == {20, 30}
        assert pull_state.pulls_of(session, [10]) == []
        assert pull_state.pulls_of(session, [20]) == [first, second]
        assert pull_state.pulls_of(session, [30, 2**53]) == [first, second]
        assert pull_state.pulls_of(session, []) == []
        pull_state.replace_participants(session, first, ())
        assert pull_state.pulls_of(session, [20]) == [second]


def test_an_added_participant_stays_until_the_next_review(sessions):
    with sessions() as session:
        pull_id = add(session, 1)
        pull_state.replace_participants(session, pull_id, {10})
        for account in (10, 2**53, 2**53):
            pull_state.add_participant(session, pull_id, account)
        assert pull_state.participants(session, pull_id) == {10, 2**53}
        pull_state.replace_participants(session, pull_id, {10})
        assert pull_state.participants(session, pull_id) == {10}


def test_open_pull_requests_with_other_participants_are_found(sessions):
    with sessions() as session:
        first, second, closed = (add(session, number) for number in (1, 2, 3))
        for pull_id, people in ((first, {10, 20}), (second, {10}), (closed, {30})):
            pull_state.replace_participants(session, pull_id, people)
        session.execute(update(PullRecord).where(PullRecord.id == closed).values(open=False))
        assert pull_state.pulls_with_others(session, {10}) == [first]
        assert pull_state.pulls_with_others(session, ()) == [first, second]
        assert pull_state.pulls_with_others(session, {10, 20, 99}) == []


def test_an_accounts_open_pull_requests_are_found_by_owner(sessions):
    with sessions() as session:
        pull_id = add(session, 1)
        pull_state.replace_participants(session, pull_id, {10})
        assert pull_state.pulls_of(session, [10]) == pull_state.pulls_of(session, [10], owner_id=7) == [pull_id]
        assert pull_state.pulls_of(session, [10], owner_id=8) == []
        session.execute(update(PullRecord).values(open=False))
        assert pull_state.pulls_of(session, [10]) == []


def test_an_accounts_open_pull_requests_are_sorted_by_repository_and_number(sessions):
    with sessions() as session:
        for number in (3, 2, 10, 1):
            pull_state.replace_participants(session, add(session, number), {10})
        session.exec(update(PullRecord).where(PullRecord.number == 2).values(open=False))
        assert pull_state.open_pulls(session, 10, most=9) == [
            ("cann", "ge", 1),
            ("cann", "ge", 3),
            ("cann", "ge", 10),
        ]
        assert pull_state.open_pulls(session, 10, most=1) == [("cann", "ge", 1)]
        assert pull_state.open_pulls(session, 20, most=9) == []
