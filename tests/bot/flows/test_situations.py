"""Situations of pull requests as a table: each ends with one right conclusion in one run on the head."""

import subprocess

import pytest
from structlog.testing import capture_logs

from bot.demo.github.contributor import ContributorClone
from bot.demo.github.state import Label
from bot.job_queue import Job
from tests.bot.flows.recipes import SIGNED, book

SITUATIONS = {}


def situation(conclusion):
    """Keep the deed, which gives the pull request, by its name, with the answer that is right after it."""

    def keep(deed):
        SITUATIONS[deed.__name__.strip("_")] = (deed, conclusion)
        return deed

    return keep


@situation("success")
def _a_draft(scene):
    _, fork = scene.push(SIGNED)
    return scene.world.open_pull(scene.ops, scene.mia, "topic", source=fork, draft=True)


@situation("failure")
def _a_draft_that_becomes_ready(scene):
    _, fork = scene.push("Fix it")
    pull = scene.world.open_pull(scene.ops, scene.mia, "topic", source=fork, draft=True)
    scene.settle()
    scene.world.ready(pull, scene.mia)
    return pull


@situation("failure")
def _reopened_and_pushed_to(scene):
    pull, clone = scene.pull(SIGNED)
    scene.settle()
    scene.world.close_pull(pull, scene.mia)
    scene.settle()
    scene.world.reopen_pull(pull, scene.mia)
    scene.settle()
    assert scene.conclusion(pull) == "success"
    clone.commit("Second", files={"more.txt": "x"})
    clone.push()
    return pull


@situation("success")
def _pushed_with_force(scene):
    pull, clone = scene.pull("Fix it")
    scene.settle()
    clone.commit(SIGNED, files={"more.txt": "x"}, amend=True)
    clone.push(force=True)
    return pull


def on_stable(scene):
    """A pull request to main of a signed commit, on top of a red commit that is on the branch `stable` already."""
    clone = ContributorClone(scene.world, scene.ops, scene.ada, scene.folder / "ada")
    clone.branch("stable", start="origin/main")
    clone.commit("Fix it", files={"stable.txt": "x"})
    clone.push()
    clone.branch("topic", start="stable")
    clone.commit(SIGNED, files={"topic.txt": "x"}, author=("Mia", "mia@home.example"))
    clone.push()
    return scene.world.open_pull(scene.ops, scene.ada, "topic")


@situation("success")
def _retargeted(scene):
    """The red commit is on the other branch already: there the pull request asks to merge only the signed commit."""
    pull = on_stable(scene)
    scene.settle()
    assert scene.conclusion(pull) == "failure"
    scene.world.edit_pull(pull, scene.ada, base="stable")
    return pull


@situation("success")
def _of_a_fork_that_was_deleted(scene):
    pull, _ = scene.pull(SIGNED)
    scene.world.delete(pull.head_repository)
    return pull


@situation("success")
def _in_a_private_repository(scene):
    secret = scene.world.repository(scene.cann, "secret", private=True)
    secret.collaborators[scene.mia.id] = "write"
    return scene.pull(SIGNED, to=secret)[0]


@situation("success")
def _of_a_renamed_repository(scene):
    pull, _ = scene.pull(SIGNED)
    scene.world.rename(scene.ops, "operators", scene.ada)
    return pull


@situation("success")
def _with_250_commits(scene):
    return scene.pull(*[f"{number}\n\n{SIGNED}" for number in range(250)])[0]


@situation("failure")
def _with_251_commits_of_which_the_last_is_not_signed(scene):
    return scene.pull(*[f"{number}\n\n{SIGNED}" for number in range(250)], "The last")[0]


@situation("success")
def _whose_title_is_edited_while_it_is_judged(scene):
    pull, _ = scene.pull(SIGNED)
    edit = lambda: scene.world.edit_pull(pull, scene.mia, title="Other")  # noqa: E731 - one word for one deed
    scene.weather.before.append(("PATCH", "/check-runs/", edit))
    return pull


@situation("failure")
def _pushed_to_while_it_is_judged(scene):
    pull, clone = scene.pull(SIGNED)

    def push():
        clone.commit("Second", files={"second.txt": "x"})
        clone.push()

    scene.weather.before.append(("POST", "/check-runs$", push))
    return pull


@situation("success")
def _retargeted_while_it_is_judged(scene):
    """What was read of the old base does not count: there the pull request brings a commit without a sign-off."""
    pull = on_stable(scene)
    edit = lambda: scene.world.edit_pull(pull, scene.ada, base="stable")  # noqa: E731 - one word for one deed
    scene.weather.before.append(("POST", "/check-runs$", edit))
    return pull


@situation("failure")
def _closed_and_reopened_while_it_is_judged(scene):
    pull, _ = scene.pull("Fix it")

    def change():
        scene.world.close_pull(pull, scene.mia)
        scene.world.reopen_pull(pull, scene.mia)

    scene.weather.before.append(("POST", "/check-runs$", change))
    return pull


@situation("success")
def _whose_repository_is_renamed_while_it_is_judged(scene):
    pull, _ = scene.pull(SIGNED)
    rename = lambda: scene.world.rename(scene.ops, "operators", scene.ada)  # noqa: E731 - one word for one deed
    scene.weather.before.append(("POST", "/check-runs$", rename))
    scene.settle(delayed=True)  # a write is never sent on to another address: it is tried again at the new name
    return pull


@situation("success")
def _of_a_ghost(scene):
    """The opener's account is gone; a sign-off certifies the commits of any opener."""
    pull, _ = scene.pull(SIGNED)
    pull.opener = None
    return pull


@situation("action_required")
def _with_no_commits(scene):
    """Its branch was reset to the base: nothing is there to be judged, and nothing passes."""
    pull, clone = scene.pull(SIGNED)
    scene.settle()
    assert scene.conclusion(pull) == "success"
    clone.git("reset", "--quiet", "--hard", "origin/main")
    clone.push(force=True)
    return pull


@situation("success")
def _with_5000_commits(scene):
    return _very_long(scene, unsigned=None)


@situation("failure")
def _with_5000_commits_of_which_one_is_not_signed(scene):
    return _very_long(scene, unsigned=2_500)


def _very_long(scene, *, unsigned):
    """A pull request of 5,000 commits; the commit with the number `unsigned` has no sign-off."""
    fork = scene.world.fork(scene.ops, scene.mia)
    clone = ContributorClone(scene.world, fork, scene.mia, scene.folder / "long")
    base, at = clone.head, int(scene.world.now().timestamp())
    lines = []
    for number in range(5_000):
        message = f"{number}" if number == unsigned else f"{number}\n\n{SIGNED}"
        who = f"Mia <mia@home.example> {at} +0000"
        lines.append(f"commit refs/heads/topic\nauthor {who}\ncommitter {who}\ndata {len(message)}\n{message}\n")
        lines += [f"from {base}\n"] if number == 0 else []
    git = ["git", "fast-import", "--quiet"]
    subprocess.run(git, cwd=clone.folder, input="".join(lines).encode(), check=True)
    clone.git("checkout", "--quiet", "topic")
    clone.push()
    return scene.world.open_pull(scene.ops, scene.mia, "topic", source=fork)


@situation("success")
def _asleep_while_it_is_judged(scene):
    """GitHub refuses every call of a suspended installation; what waits is judged once it is awake again."""
    pull, _ = scene.pull(SIGNED)
    suspend = lambda: scene.world.suspend(scene.installation, scene.ada)  # noqa: E731 - one word for one deed
    scene.weather.before.append(("POST", "/check-runs$", suspend))
    scene.settle()
    assert scene.conclusion(pull) is None
    scene.world.suspend(scene.installation, scene.ada, again=False)
    scene.settle(delayed=True)
    return pull


@situation("success")
def _asleep_and_awake(scene):
    scene.world.suspend(scene.installation, scene.ada)
    pull, _ = scene.pull(SIGNED)
    scene.settle()
    assert scene.runs(pull) == []
    scene.world.suspend(scene.installation, scene.ada, again=False)
    return pull


@pytest.mark.parametrize("name", SITUATIONS)
def test_each_situation_ends_with_one_right_conclusion(staged, name):
    deed, conclusion = SITUATIONS[name]
    scene = staged(rulebook=book("dco"))
    pull = deed(scene)
    scene.settle()
    assert scene.conclusion(pull) == conclusion


@pytest.mark.slow
def test_our_label_set_by_another_bot_is_corrected(scene):
    robot = scene.world.user("robot[bot]", type="Bot")
    pull, _ = scene.pull()
    scene.settle()
    scene.world.add_labels(pull, ["cla-signed"], robot)
    scene.settle()
    assert scene.labels(pull) == ["cla-required"]

    scene.sign(scene.mia)
    scene.again(pull)
    scene.world.remove_label(pull, "cla-signed", robot)
    scene.settle()
    assert scene.labels(pull) == ["cla-signed"]


def test_our_label_is_created_again_after_its_deletion(scene):
    pull, _ = scene.pull()
    scene.settle()
    scene.ops.labels.clear()
    pull.labels.clear()
    scene.again(pull)
    assert scene.labels(pull) == ["cla-required"]
    assert all(isinstance(label, Label) for label in scene.ops.labels.values())


@pytest.mark.parametrize(
    ("missing", "conclusion", "call", "permission"),
    [
        (["checks"], None, "POST /repos/…/…/check-runs", "checks: write"),
        (["issues", "pull_requests"], "success", "/labels", "issues: write or pull_requests: write"),
    ],
)
def test_a_missing_permission_is_logged_with_the_call_that_needs_it(scene, missing, conclusion, call, permission):
    scene.sign(scene.mia)
    for name in missing:
        del scene.app.permissions[name]
    pull, _ = scene.pull()
    with capture_logs() as lines:
        scene.settle()

    assert (scene.conclusion(pull), scene.labels(pull)) == (conclusion, [])
    said = str([line.get("why") for line in lines])
    assert call in said
    assert permission in said


def test_a_run_of_a_fork_is_rerun_by_external_id_or_commit(scene):
    """GitHub names no pull request of a fork in such an event."""
    pull, _ = scene.pull()
    scene.settle()
    (run,) = scene.world.check_runs.values()
    for external_id in (run.external_id, "somebody-else's"):
        run.external_id, run.output = external_id, {**run.output, "title": "Somebody else's words"}
        scene.world.rerequest(run, scene.mia)
        scene.settle()
        assert run.output["title"] != "Somebody else's words"
    assert scene.conclusion(pull) == "failure"


def lab(scene, *, installed=True):
    """Another organisation, with our App on it unless said otherwise."""
    made = scene.world.organization("lab", admins=[scene.ada])
    if installed:
        scene.world.install(scene.app, made, scene.ada)
    return made


@pytest.mark.slow
def test_a_transferred_repository_is_judged_by_its_new_owners_rules(staged):
    scene = staged(accounts=("cann", "lab"))
    there = lab(scene)
    pull, clone = scene.pull(SIGNED)
    scene.settle()
    assert scene.conclusion(pull) == "failure", "no person signed the agreement that cann asks for"

    scene.world.transfer(scene.ops, there, scene.ada)
    scene.settle()
    assert scene.conclusion(pull) == "success", "lab has no rulebook: a sign-off is enough"

    clone.commit("Second", files={"more.txt": "x"})
    clone.push()
    scene.settle()
    assert scene.conclusion(pull) == "failure"


@pytest.mark.parametrize("installed", [True, False])
def test_nothing_is_written_in_a_repository_transferred_to_an_unserved_owner(scene, installed):
    there = lab(scene, installed=installed)
    pull, clone = scene.pull(SIGNED)
    scene.settle()
    before = scene.conclusion(pull)
    scene.world.transfer(scene.ops, there, scene.ada)
    scene.settle()
    scene.writes()

    clone.commit("Second", files={"more.txt": "x"})
    clone.push()
    scene.settle()
    with scene.sessions() as session:  # a signature, say, has all of mia's judged again
        scene.jobs.enqueue(session, Job("recheck", (scene.mia.id,)))
    scene.settle()

    assert (before, scene.runs(pull), scene.writes()) == ("failure", [], [])
