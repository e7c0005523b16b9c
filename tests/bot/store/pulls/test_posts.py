"""Many events about pull requests are posted at once: each is counted, and reviews are queued as needed."""

from dataclasses import replace

import pytest
from sqlalchemy import update

from bot.job_queue import Job
from bot.store.pulls import posts, review_mailbox
from bot.store.pulls.posts import Post, PullRequestIdentity
from bot.store.records import PullRecord
from tests.bot.jobs.inline import InlineEngine

BOX = PullRequestIdentity(repository_id=11, number=5, installation_id=1, owner_id=7, owner="cann", name="ge")
OLD, NEW = "a" * 40, "b" * 40


@pytest.fixture(name="jobs")
def _jobs(sessions):
    """An engine that shows what is due."""
    return InlineEngine(sessions=sessions)


@pytest.fixture(name="post")
def _post(sessions, jobs):
    """Posts in one transaction; gives the sequences."""

    def post(*several):
        with sessions() as session:
            return [receipt and receipt.sequence for receipt in posts.post_all(session, jobs, several)]

    return post


def row(sessions, number=5):
    """The row of the pull request."""
    with sessions() as session:
        return review_mailbox.find(session, 11, number)


def other(number, **changes):
    """Another pull request."""
    return replace(BOX, number=number, **changes)


def test_each_post_is_counted_and_queues_one_review(post, sessions, jobs):
    assert post(Post(pull=BOX), Post(pull=other(4)), Post(pull=replace(BOX, owner="CANN"))) == [1, 1, 2]
    assert post(Post(pull=replace(BOX, owner="CANN"))) == [3]
    assert (row(sessions).latest, row(sessions).owner) == (3, "CANN")
    assert sorted(job.ids for job in jobs.waiting) == sorted([(row(sessions, number).id,) for number in (4, 5)])


@pytest.mark.parametrize(
    ("said", "owner_id", "kept"), [(5, 7, 5), (6, 7, 6), (4, 7, 5), (4, 8, 4)], ids=["same", "newer", "older", "moved"]
)
def test_a_late_post_of_an_older_installation_leaves_the_newer_one(post, sessions, said, owner_id, kept):
    late = replace(BOX, installation_id=said, owner_id=owner_id, name="late")
    assert post(Post(pull=replace(BOX, installation_id=5))) == [1]
    assert post(Post(pull=late)) == [2]
    found = row(sessions)
    assert (found.installation_id, found.name) == (kept, "ge" if said < 5 and owner_id == 7 else "late")


def test_an_urgent_post_moves_the_review_to_the_faster_queue(post, sessions, jobs):
    post(
        Post(pull=BOX, queue="later"),
        Post(pull=BOX),
        Post(pull=other(6)),
        Post(pull=other(6), queue="later"),
    )
    assert [job.queue for job in jobs.waiting] == ["now", "now"]
    assert sorted(job.queue for _, job in jobs._committed) == ["later", "now"]
    assert row(sessions).urgent


def test_open_siblings_of_a_left_head_are_judged_again(post, sessions, jobs):
    numbers = range(1, 6)
    away = replace(BOX, repository_id=12)
    post(*(Post(pull=other(number), after=OLD) for number in numbers), Post(pull=away, after=OLD))
    with sessions() as session:
        session.execute(update(PullRecord).values(due_at=None, urgent=False))
        session.execute(
            update(PullRecord).where(PullRecord.number == 4, PullRecord.repository_id == 11).values(open=False)
        )
    post(Post(pull=other(1), after=NEW), Post(pull=other(2)), Post(pull=other(1), after=NEW))

    assert [row(sessions, number).latest for number in numbers] == [3, 3, 2, 1, 2]
    assert [row(sessions, number).head_sha for number in numbers] == [NEW, OLD, OLD, OLD, OLD]
    with sessions() as session:
        assert review_mailbox.find(session, 12, 5).latest == 1
    assert len(jobs.waiting) == 4
    assert Job("review", (row(sessions, 3).id,), "now") in jobs.waiting


def test_a_post_without_news_is_dropped_for_a_known_pull_request(post, sessions, jobs):
    asked = []

    def is_no_news(label, by_labels):
        asked.append((label, by_labels))
        return True

    quiet = Post(pull=BOX, is_no_news=is_no_news)
    assert post(quiet, quiet) == [1, None]
    with sessions() as session:
        session.execute(update(PullRecord).values(label="cla-signed", by_labels=False))
    assert post(quiet) == [None]
    assert asked == [("", True), ("cla-signed", False)]
    assert row(sessions).latest == 1


def test_locking_makes_missing_rows_and_changes_no_others(sessions, jobs, post):
    post(Post(pull=BOX, after=OLD))
    with sessions() as session:
        found = posts.lock(session, [other(6), replace(BOX, owner="elsewhere")])
    assert {key: (box.latest, box.head_sha, box.pull.owner) for key, box in found.items()} == {
        (11, 5): (1, OLD, "cann"),
        (11, 6): (0, "", "cann"),
    }
    assert post() == []
