"""Commits that a protected branch holds are looked for only where they decide, and what is not learned lets nobody pass."""

import pytest

from bot.demo.github.git import bare_repository
from tests.bot.flows.test_gather import gathered

BRANCHES = ("GET", "/repos/{owner}/{repo}/branches")
SIGNED = "Fix\n\nSigned-off-by: Mia <mia@home.example>"


def rules(dco):
    """A rulebook that requires sign-offs."""
    return f'version: 1\nrepositories: [{{match: ["*"], require: dco}}]\n{dco}'


def held(scene, sha):
    """A protected branch of the repository at that commit, which requires our check."""
    bare_repository.point(scene.ops.git, "refs/heads/release", sha)
    scene.ops.protected_branches["release"] = {"Countersign": scene.app.id}


def conclusion(scene, pull):
    """The one of the check at GitHub."""
    scene.settle()
    [(_, said, _)] = scene.runs(pull)
    return said


def test_merged_commits_pass_and_each_of_the_others_is_judged(staged):
    scene = staged(rulebook=rules("dco: {merged: exempt}\n"))
    pull, clone = scene.pull("Unsigned")
    held(scene, clone.head)
    assert conclusion(scene, pull) == "success"
    clone.commit("New", {"new": "x"})
    clone.push()
    assert conclusion(scene, pull) == "failure"


@pytest.mark.parametrize(("dco", "message"), [
    ("dco: {merged: exempt}\n", SIGNED), ("", "Unsigned"), ("dco: {merged: required}\n", "Unsigned"),
    ("dco: {merged: exempt, matching: exact}\n", "Unsigned"),
])  # fmt: skip
def test_branches_are_not_asked_for_where_nothing_depends_on_them(staged, dco, message):
    scene = staged(rulebook=rules(dco))
    pull, clone = scene.pull(message)
    held(scene, clone.head)
    assert [one.merged for one in gathered(scene, pull).commits] == [None]
    assert BRANCHES not in scene.calls()


def test_nothing_passes_while_github_does_not_answer_and_all_does_afterwards(staged):
    scene = staged(rulebook=rules("dco: {merged: exempt}\n"))
    scene.weather.faults.append(("GET", r"/branches$", 502))
    pull, clone = scene.pull("Unsigned")
    held(scene, clone.head)
    scene.settle()
    assert {said for _, said, _ in scene.runs(pull)} <= {None, "action_required"}
    scene.weather.faults.clear()
    scene.settle(delayed=True)
    assert conclusion(scene, pull) == "success"


@pytest.mark.parametrize("status", [404, 422])
def test_where_github_refuses_the_commits_need_a_sign_off(staged, status):
    scene = staged(rulebook=rules("dco: {merged: exempt}\n"))
    scene.weather.faults.append(("GET", r"/branches$", status))
    pull, clone = scene.pull("Unsigned")
    held(scene, clone.head)
    assert conclusion(scene, pull) == "failure"
