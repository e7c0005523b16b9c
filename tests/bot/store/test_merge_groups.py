"""The mailbox of merge groups: requested, destroyed, woken by their pull requests, and judged by recent verdicts."""

import threading
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import update

from agreements.facts import Conclusion, Verdict
from bot.github.ports import RepositoryPlace
from bot.job_queue import Job
from bot.store import merge_groups
from bot.store.merge_groups import MERGE_GROUPS, VERDICT_MAX_AGE, GroupRun, Member, MergeGroupKey
from bot.store.pulls import posts, published_item_rows, verdicts
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


@pytest.fixture(name="judged")
def _judged(sessions):
    """A pull request that was judged at that moment, with changes of its row."""

    def judged(number=1, *, at=NOON, **row):
        with sessions() as session:
            pull_id, latest = posts.post(session, InlineEngine(lambda: NOON), pull_request(11, number))
            verdicts.add(session, pull_id, HEAD, Verdict(conclusion=Conclusion.SUCCESS), at=at)
            values = {"head_sha": HEAD, "evaluated": latest, "evaluated_at": at, "due_at": None, "urgent": False, **row}
            session.execute(update(PullRecord).where(PullRecord.id == pull_id).values(**values))
        return pull_id

    return judged


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
def test_a_judged_pull_request_wakes_the_groups_that_hold_it(sessions, jobs, claim, judged, pull, woken):
    judged()
    with sessions() as session:
        merge_groups.members(session, jobs, claim, PLACE, {1: HEAD}, at=NOON)
        before = merge_groups.get(session, GROUP).latest
        merge_groups.wake(session, jobs, *pull)
        assert (merge_groups.get(session, GROUP).latest > before) is woken


def test_any_pull_request_wakes_a_group_whose_members_are_not_known(sessions, jobs, claim):
    with sessions() as session:
        merge_groups.wake(session, jobs, 11, 99)
        assert merge_groups.get(session, GROUP).latest == claim.latest + 1


def ask(sessions, jobs, claim, heads, at=NOON):
    """The members with these heads, and the reviews that are queued for them."""
    with sessions() as session:
        found = merge_groups.members(session, jobs, claim, PLACE, heads, at=at)
    return found, [job for job in jobs.waiting if job.name == "review"]


def test_a_recent_verdict_on_the_head_counts_for_the_group(sessions, jobs, claim, judged):
    judged(at=NOON - VERDICT_MAX_AGE)
    assert ask(sessions, jobs, claim, {1: HEAD}) == ((Member(1, Conclusion.SUCCESS),), [])


@pytest.mark.parametrize(
    "row",
    [
        {"head_sha": "b" * 40},
        {"evaluated": 0},
        {"evaluated_at": NOON - VERDICT_MAX_AGE - timedelta(seconds=1)},
        {"attempts": 1, "evaluated": 0},
        {"open": False},
    ],
    ids=["another-head", "something-new", "too-old", "failing", "closed"],
)
def test_a_verdict_that_does_not_count_has_its_pull_request_judged(sessions, jobs, claim, judged, row):
    judged(at=NOON - LATER, **row)
    (member,), reviews = ask(sessions, jobs, claim, {1: HEAD})
    assert member.conclusion is None
    assert reviews == [Job("review", (), "now")]


@pytest.mark.parametrize(
    "row",
    [
        {"evaluated": 0, "lease_by": "x/1", "lease_until": NOON + LATER},
        {"evaluated": 0, "urgent": True, "due_at": NOON},
        {"head_sha": "b" * 40, "evaluated_at": NOON - timedelta(seconds=5)},
    ],
    ids=["held", "waits", "just-judged"],
)
def test_a_pull_request_that_is_being_judged_is_waited_for(sessions, jobs, claim, judged, row):
    judged(at=NOON - LATER, **row)
    (member,), reviews = ask(sessions, jobs, claim, {1: HEAD})
    assert (member.conclusion, reviews) == (None, [])


def test_an_unknown_pull_request_of_a_group_is_stored_and_judged(sessions, jobs, claim):
    (member,), reviews = ask(sessions, jobs, claim, {7: HEAD})
    assert (member, len(reviews)) == (Member(7, None), 1)


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
        except Exception as error:  # noqa: BLE001 - the test shows whatever it was
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
                merge_groups.members(session, self.jobs, claim, PLACE, self.pulls, at=NOON)
            with self.sessions() as session:
                assert MERGE_GROUPS.finish(session, self.jobs, claim, at=NOON)
            self.judged.append(claim.latest)

        return turn


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
