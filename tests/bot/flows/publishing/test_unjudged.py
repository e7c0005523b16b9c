"""A head that could not be judged gets a run that says why and does not pass."""

import pytest

from bot.store.pulls import posts
from bot.store.pulls.posts import PullRequestIdentity
from tests.bot.flows.scene import CLA

DOWN = ("*", r"/graphql|/pulls/", 502)
NOT_SHOWN = [("POST", "/graphql", 502), ("GET", r"/pulls/1$", 451)]


@pytest.mark.slow
def test_a_head_that_cannot_be_judged_yet_has_a_run_that_says_why(scene):
    pull, _ = scene.pull()
    scene.weather.faults += NOT_SHOWN
    scene.settle()
    (run,) = scene.world.check_runs.values()
    assert (run.status, run.output["title"], run.actions) == ("in_progress", "Checking / 正在检查", [])
    assert "`GitHub answered 451 to GET /repos/…/…/pulls/…`" in run.output["summary"]
    assert scene.row(pull).attempts == 1

    scene.one_delayed()
    assert (run.conclusion, scene.row(pull).attempts) == ("action_required", 2)
    scene.writes()
    scene.one_delayed()
    assert [call for call in scene.writes() if call[0] in {"POST", "PATCH"}] == []

    scene.weather.faults.clear()
    scene.settle(delayed=True)
    assert scene.conclusion(pull) == "failure"


def test_a_failure_to_show_the_reason_still_leads_to_another_try(scene):
    pull, _ = scene.pull()
    scene.settle()
    scene.weather.faults.append(("*", "/", 502))
    scene.again(pull)
    assert scene.row(pull).attempts == 1
    assert len(scene.jobs.waiting) == 1


def test_a_pull_request_known_from_a_sweep_alone_gets_a_run_on_its_head(scene):
    pull, _ = scene.pull()
    scene.hear(drop=("pull_request", "push"))
    scene.weather.faults.append(("*", r"/graphql|/pulls/\d+/commits", 502))
    with scene.sessions() as session:
        posts.post(session, scene.jobs, PullRequestIdentity.of(scene.place, pull.number, scene.cann.id))
    scene.jobs.run_all()

    assert [(run.status, run.head_sha) for run in scene.world.check_runs.values()] == [("in_progress", pull.head_sha)]
    assert (scene.row(pull).head_sha, scene.row(pull).private) == (pull.head_sha, False)


@pytest.mark.parametrize("what", ["closed", "gone", "not served", "shadow"])
def test_no_run_is_made_for_closed_missing_unserved_and_shadow_pull_requests(staged, what):
    rulebook = CLA.replace("require: cla", "require: cla, mode: shadow") if what == "shadow" else CLA
    scene = staged(rulebook=rulebook, accounts=("other",) if what == "not served" else ("cann",))
    if what == "not served":
        scene.world.organization("other", admins=[scene.ada])
    pull, _ = scene.pull()
    scene.hear(drop=("pull_request", "push"))
    if what == "closed":
        scene.world.close_pull(pull, scene.mia)
        scene.hear(drop=("pull_request", "push"))
    scene.weather.faults.append(("*", r"/graphql|/pulls/\d+/commits", 502))
    if what == "gone":
        scene.world.delete(scene.ops)
    with scene.sessions() as session:
        posts.post(session, scene.jobs, PullRequestIdentity.of(scene.place, pull.number, scene.cann.id))
    scene.jobs.run_all()

    assert scene.row(pull).attempts == 1
    assert list(scene.world.check_runs.values()) == []


def test_the_same_verdict_is_written_again_after_a_failure(scene):
    pull, _ = scene.pull()
    scene.settle()
    before = scene.runs(pull)
    scene.weather.faults.append(DOWN)
    scene.again(pull)
    assert scene.conclusion(pull) == "action_required"

    scene.weather.faults.clear()
    scene.settle(delayed=True)
    assert scene.runs(pull) == before


def test_shadow_mode_shows_no_failures(staged):
    scene = staged(rulebook=CLA)
    scene.sign(scene.mia)
    pull, _ = scene.pull()
    scene.settle()
    scene.world.write(
        scene.rules, {".github/countersign.yml": CLA.replace("require: cla", "require: cla, mode: shadow")}
    )
    scene.again(pull)
    scene.writes()
    scene.weather.faults.append(("*", "/graphql|/pulls", 502))
    scene.again(pull)

    assert scene.row(pull).attempts == 1
    assert scene.writes() == []
    assert scene.conclusion(pull) == "success"
