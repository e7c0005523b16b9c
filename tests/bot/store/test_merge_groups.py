"""The mailbox of merge groups: requested, destroyed, and woken by their pull requests."""

import threading
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import update

from agreements.facts import Conclusion, Verdict
from bot.github.ports import RepositoryPlace
from bot.job_queue import Job
from bot.store import merge_groups
from bot.store.merge_groups import MERGE_GROUPS, GroupRun, MergeGroupKey
from bot.store.pulls import group_members, posts, published_item_rows, verdicts
from bot.store.pulls.published_item_rows import ConfirmedItem
from bot.store.pulls.review_mailbox import REVIEWS
from bot.store.records import PullRecord
from tests.bot import claims
from tests.bot.deliveries import pull_request
from tests.bot.jobs.inline import InlineEngine

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
GROUP = MergeGroupKey(11, "f" * 40)
WHERE = pull_request(11, 0)
PLACE = RepositoryPlace(1, "cann", "ge", 11)
HEAD = "a" * 40
LATER = timedelta(minutes=1)


@pytest.fixture(name="request_")
def _request(sessions, jobs):
    """GitHub asks for the checks of the group."""

    def ask(at=NOON):
        with sessions() as session:
            merge_groups.requested(session, jobs, GROUP, WHERE, "main", at=at)

    return ask


@pytest.fixture(name="claim")
def _claim(sessions, jobs, request_):
    """The group is asked for, and a job has it."""
    request_()
    with sessions() as session:
        return claims.begin(session, MERGE_GROUPS, jobs, GROUP, at=NOON)


def test_a_group_asked_for_twice_is_one_job_in_the_faster_queue(sessions, jobs, request_):
    request_()
    request_()
    assert set(jobs.waiting) == {Job("merge-group", (), "now")}
    with sessions() as session:
        row = merge_groups.get(session, GROUP)
        assert (row.is_alive, row.branch, row.latest, row.waiting_since) == (True, "main", 2, NOON)


def test_a_destroyed_group_is_not_woken(sessions, jobs, claim):
    with sessions() as session:
        MERGE_GROUPS.finish(session, jobs, claim, at=NOON, again_at=NOON + LATER)
        merge_groups.destroyed(session, GROUP, WHERE, "main", at=NOON + LATER)
        before = jobs.waiting
        merge_groups.wake(session, jobs, 11, 1)
        merge_groups.again(session, jobs, GROUP)
        assert MERGE_GROUPS.due(session, at=NOON + 2 * LATER) == ()
    assert jobs.waiting == before


def test_a_waiting_group_is_due_again_after_its_delay(sessions, jobs, claim):
    with sessions() as session:
        MERGE_GROUPS.finish(session, jobs, claim, at=NOON, again_at=NOON + LATER)
        assert MERGE_GROUPS.due(session, at=NOON) == ()
        assert MERGE_GROUPS.due(session, at=NOON + LATER) == ("later",)


@pytest.mark.parametrize(("pull", "woken"), [((11, 1), True), ((11, 2), False), ((12, 1), False)])
def test_a_judged_pull_request_wakes_the_groups_that_hold_it(sessions, jobs, claim, pull, woken):
    with sessions() as session:
        merge_groups.keep_members(session, GROUP, PLACE, [1])
        before = merge_groups.get(session, GROUP).latest
        merge_groups.wake(session, jobs, *pull)
        assert (merge_groups.get(session, GROUP).latest > before) is woken


def test_any_pull_request_wakes_a_group_whose_members_are_not_known(sessions, jobs, claim):
    with sessions() as session:
        merge_groups.wake(session, jobs, 11, 99)
        assert merge_groups.get(session, GROUP).latest == claim.latest + 1


def test_a_group_waits_from_the_request_until_its_answer(sessions, claim):
    with sessions() as session:
        assert merge_groups.waiting_since(session, GROUP, at=NOON + LATER) == NOON
        merge_groups.answered(session, GROUP)
        assert merge_groups.waiting_since(session, GROUP, at=NOON + LATER) == NOON + LATER


def test_the_run_of_a_group_is_intended_once(sessions, claim):
    run = GroupRun(GROUP)
    with sessions() as session:
        assert [run.intend(session, at=NOON), run.intend(session, at=NOON)] == [True, False]
        assert run.intend_again(session, since=NOON, at=NOON + LATER)
        assert not run.intend_again(session, since=NOON, at=NOON + LATER)
        published_item_rows.confirm_all(session, [ConfirmedItem(run, 5, "d")])
        row = run.get(session)
        assert (row.remote_id, row.digest, row.intended_at) == (5, "d", NOON + LATER)


class Race:
    """Threads that review the pull requests of a group while others judge the group, and what went wrong."""

    def __init__(self, sessions, numbers):
        self.sessions, self.jobs, self.errors, self.judged = sessions, InlineEngine(lambda: NOON), [], []
        self.pulls = dict.fromkeys(numbers, HEAD)
        with sessions() as session:
            self.ids = {number: posts.post(session, self.jobs, pull_request(11, number))[0] for number in numbers}

    def run(self, *actions):
        """All at once, to their ends."""
        threads = [threading.Thread(target=self.guarded, args=(action,)) for action in actions]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def guarded(self, action):
        try:
            for turn in range(15):
                action(turn)
        except Exception as error:  # noqa: BLE001 - the test shows every error
            self.errors.append(error)

    def review(self, number, name):
        """What a review does at its end, in one transaction: its verdict, its end, and the groups are woken."""

        def turn(count):
            with self.sessions() as session:
                posts.post(session, self.jobs, pull_request(11, number))
            with self.sessions() as session:
                claim = claims.begin(session, REVIEWS, self.jobs, self.ids[number], f"{name}-{count}", at=NOON)
            if claim is None:
                return
            with self.sessions() as session:
                REVIEWS.finish(session, self.jobs, claim, at=NOON)
                verdicts.add(session, self.ids[number], HEAD, Verdict(conclusion=Conclusion.SUCCESS), at=NOON)
                row = {"head_sha": HEAD, "evaluated_at": NOON}
                session.execute(update(PullRecord).where(PullRecord.id == self.ids[number]).values(**row))
                merge_groups.wake(session, self.jobs, 11, number)

        return turn

    def group(self, name):
        """What the group's job does, which asks for reviews and writes down what is in it, in one transaction."""

        def turn(count):
            with self.sessions() as session:
                claim = claims.begin(session, MERGE_GROUPS, self.jobs, GROUP, f"{name}-{count}", at=NOON)
            if claim is None:
                return
            with self.sessions() as session:
                group_members.members(session, self.jobs, WHERE, self.pulls, requested_at=NOON, at=NOON)
                merge_groups.keep_members(session, GROUP, PLACE, self.pulls)
            with self.sessions() as session:
                assert MERGE_GROUPS.finish(session, self.jobs, claim, at=NOON)
            self.judged.append(claim.latest)

        return turn


@pytest.mark.slow
def test_concurrent_groups_and_reviews_neither_deadlock_nor_lose_a_wake_up(sessions, request_):
    request_()
    race = Race(sessions, (1, 2, 3))
    race.run(*(race.review(number, f"r{number}{name}") for number in (1, 2, 3) for name in "ab"),
             *(race.group(name) for name in "gh"))  # fmt: skip

    assert race.errors == []
    assert race.judged == sorted(set(race.judged)), "each run covers more than the one before"
    for name in "xy":  # what was woken after the last run waits for one more, which covers all of it
        race.run(race.group(name))
    with sessions() as session:
        row = merge_groups.get(session, GROUP)
        assert (row.judged, row.numbers, row.lease_by) == (row.latest, [1, 2, 3], None)
