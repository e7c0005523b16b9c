"""What verdicts rest on changed: just the open pull requests concerned are queued, the people who wait first."""

import pytest

from bot.engine.port import Job
from bot.flows import recheck
from bot.hub.ports import Unreachable


@pytest.fixture(name="three")
def _three(scene):
    """Three judged pull requests: mia's in two repositories, and bo's."""
    scene.kernels = scene.world.repository(scene.cann, "kernels")
    bo = scene.world.user("bo", emails=["bo@home.example"])
    pulls = [scene.pull()[0], scene.pull(to=scene.kernels)[0], scene.pull(who=bo, branch="bo")[0]]
    scene.settle()
    scene.calls()
    return pulls


def test_a_person_s_open_pull_requests(scene, three):
    """Those in which they take part, at once; closed ones and other people's are left alone."""
    assert recheck.person(scene.mia.id, scene.parts) == 2
    assert scene.jobs.waiting == tuple(Job("review", (scene.row(pull).id,), "now") for pull in three[:2])
    scene.settle()

    scene.world.close_pull(three[0], scene.mia)
    scene.settle()
    assert recheck.person(scene.mia.id, scene.parts) == 1
    assert recheck.person(10**9, scene.parts) == 0


def test_a_signature_turns_green_what_it_can(scene, three):
    """Mia signs: her two pass, bo's does not."""
    scene.sign(scene.mia)
    with scene.sessions() as session:
        scene.jobs.enqueue(session, Job("recheck", (scene.mia.id,)))
    scene.settle()

    assert [scene.conclusion(pull) for pull in three] == ["success", "success", "failure"]


@pytest.mark.parametrize("queue", ["now", "later"])
def test_a_place_queues_also_what_we_have_not_met(scene, three, queue):
    """An open pull request whose event never came is found by listing."""
    unmet, _ = scene.pull(branch="unmet")
    scene.hear(drop=("pull_request",))

    assert recheck.place(scene.place, scene.cann.id, scene.parts, queue=queue) == 3
    assert {job.queue for job in scene.jobs.waiting} == {queue}
    scene.settle()
    assert scene.conclusion(unmet) == "failure"


def test_a_storm_for_one_pull_request_is_one_job(scene, three):
    """Asked ten times it is judged once."""
    for _ in range(10):
        recheck.place(scene.place, scene.cann.id, scene.parts, queue="later")

    assert len(scene.jobs.waiting) == 2


def test_an_account_means_all_its_repositories(scene, three):
    """Everything that the installation reaches, behind those who wait."""
    assert recheck.account(scene.installation.id, scene.cann.id, scene.parts) == 3
    assert {job.queue for job in scene.jobs.waiting} == {"later"}


def test_github_away(scene, three):
    """The error is the caller's; nothing is queued halfway for that repository."""
    scene.weather.faults.append(("GET", "/pulls", 502))
    with pytest.raises(Unreachable):
        recheck.place(scene.place, scene.cann.id, scene.parts, queue="later")

    assert scene.jobs.waiting == ()
