"""What could not be judged is said on the head, with the reason, and never as a pass."""

import pytest

from bot.store.pulls import posts
from bot.store.pulls.posts import PullRequestIdentity
from tests.bot.flows.scene import CLA

DOWN = ("*", r"/graphql|/pulls/", 502)
NOT_SHOWN = [("POST", "/graphql", 502), ("GET", r"/pulls/1$", 451)]


def test_a_head_that_could_not_be_judged_yet_has_a_run(scene):
    """GitHub fails before the first run is made: one is in progress and says why, then it needs action, then it is judged."""
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


def test_a_failure_to_say_so_changes_nothing(scene):
    """GitHub answers nothing at all: it is tried again all the same."""
    pull, _ = scene.pull()
    scene.settle()
    scene.weather.faults.append(("*", "/", 502))
    scene.again(pull)
    assert scene.row(pull).attempts == 1
    assert len(scene.jobs.waiting) == 1


def test_a_pull_request_that_only_a_sweep_knows_is_not_silent(scene):
    """Its head is asked of GitHub; the visitor of its page learns that the repository is public."""
    pull, _ = scene.pull()
    scene.hear(drop=("pull_request", "push"))
    scene.weather.faults.append(("*", r"/graphql|/pulls/\d+/commits", 502))
    with scene.sessions() as session:
        posts.post(session, scene.jobs, PullRequestIdentity.of(scene.place, pull.number, scene.cann.id))
    scene.jobs.run_all()

    assert [(run.status, run.head_sha) for run in scene.world.check_runs.values()] == [("in_progress", pull.head_sha)]
    assert (scene.row(pull).head_sha, scene.row(pull).private) == (pull.head_sha, False)


@pytest.mark.parametrize("what", ["closed", "gone", "not served", "shadow"])
def test_where_no_run_belongs_a_doubt_makes_none(staged, what):
    """A closed pull request, one that is gone, an account that is not served, and shadow mode."""
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


def test_after_it_could_not_be_judged_the_verdict_comes_back(scene):
    """The same verdict as before the failure is written again: the run had said something else meanwhile."""
    pull, _ = scene.pull()
    scene.settle()
    before = scene.runs(pull)
    scene.weather.faults.append(DOWN)
    scene.again(pull)
    assert scene.conclusion(pull) == "action_required"

    scene.weather.faults.clear()
    scene.settle(delayed=True)
    assert scene.runs(pull) == before


def test_shadow_mode_says_nothing_of_failures_either(staged):
    """Judged once, then put into the shadow: what was shown stays as it was while GitHub is away."""
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
