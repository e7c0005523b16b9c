"""During an outage GitHub is not asked again and again; afterwards all waiting work goes on at once."""

import pytest

from bot.flows import journey, recovery
from bot.flows.journey import MAX_SLEEP
from bot.job_queue import Job
from bot.store import inbox
from bot.store.pulls.review_mailbox import REVIEWS
from bot.store.retry_policy import RetryDelay
from tests.bot.flows.test_account_event import push_file

AWAY = ("*", "", 503)
"""GitHub answers every request with 503."""


@pytest.fixture(name="away")
def _away(scene):
    """Three pull requests whose reviews met a GitHub that is away; no job waits for them."""
    pulls = [scene.pull(branch=f"b{number}")[0] for number in range(3)]
    scene.hear()
    scene.weather.faults.append(AWAY)
    for _ in range(4):
        scene.jobs.run_all(delayed=True)
    assert scene.hub.state().condition == "open"
    return pulls


def test_while_github_is_away_no_job_asks_it_again(scene, away):
    scene.world.calls.clear()
    assert scene.jobs.waiting == ()
    assert [scene.row(pull).lease_by for pull in away] == [None] * 3
    assert all(scene.row(pull).due_at is not None for pull in away)


@pytest.mark.slow
def test_a_successful_probe_wakes_all_waiting_reviews(scene, away):
    scene.weather.faults.clear()

    scene.wait()

    assert scene.jobs.waiting == (Job("recovery", (0,), "now"),)
    scene.settle()
    assert [scene.conclusion(pull) for pull in away] == ["failure"] * 3
    assert [scene.row(pull).attempts for pull in away] == [0] * 3


@pytest.mark.slow
def test_a_review_that_was_postponed_after_the_waking_still_goes_on(scene, away):
    scene.weather.faults.clear()
    late, _ = scene.pull(branch="late")
    scene.hear()
    claim = scene.begin(REVIEWS, scene.row(late).id, "somebody")
    scene.wait()
    scene.settle()
    assert scene.conclusion(late) is None

    assert journey.give_up(REVIEWS, claim, scene.services, "away", RetryDelay(2 * MAX_SLEEP, is_woken=True))

    assert scene.jobs.waiting == (Job("recovery", (0,), "now"),)
    scene.settle()
    assert scene.conclusion(late) == "failure"


def test_a_failed_probe_wakes_no_review(scene, away):
    scene.wait()
    assert scene.jobs.waiting == ()


def test_waking_is_for_one_installation_alone(scene, away):
    scene.weather.faults.clear()
    assert recovery.wake(scene.installation.id + 1, scene.services) == 0
    assert recovery.wake(scene.installation.id, scene.services) == 3
    assert {job.queue for job in scene.jobs.waiting} == {"now"}


@pytest.mark.slow
def test_waking_takes_up_postponed_events(scene):
    scene.pull()
    scene.settle()
    push_file(scene, scene.rules, ".github/countersign.yml", "version: 1\n")
    scene.hear()
    scene.weather.faults.append(AWAY)
    scene.jobs.run_all()
    with scene.sessions() as session:
        (guid,) = inbox.postponed(session)
    scene.weather.faults.clear()

    recovery.wake(0, scene.services)

    assert Job("event", (guid,), "now") in scene.jobs.waiting
    scene.settle()
    with scene.sessions() as session:
        assert inbox.postponed(session) == []
