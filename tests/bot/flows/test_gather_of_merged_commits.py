"""Commits that a protected branch holds are looked up only where they decide; an unknown answer lets no person pass."""

import pytest

from tests.bot.flows.test_gather import gathered

BRANCHES = ("GET", "/repos/{owner}/{repo}/branches")
SIGNED = "Fix\n\nSigned-off-by: Mia <mia@home.example>"
EXEMPT = "dco: {merged: exempt}\n"


def rules(dco):
    """A rulebook that requires sign-offs."""
    return f'version: 1\nrepositories: [{{match: ["*"], require: dco}}]\n{dco}'


def test_merged_commits_pass_and_each_of_the_others_is_judged(staged):
    scene = staged(rulebook=rules(EXEMPT))
    pull, clone = scene.pull("Unsigned")
    scene.held(pull)
    scene.settle()
    assert scene.conclusion(pull) == "success"
    clone.commit("New", {"new": "x"})
    clone.push()
    scene.settle()
    assert scene.conclusion(pull) == "failure"
    clone.commit("Newer", {"newer": "x"})
    clone.push()
    assert [commit.merged for commit in gathered(scene, pull).commits] == [True, False, False]


def test_merges_are_asked_for_with_the_commits_that_would_fail(staged):
    scene = staged(rulebook=rules(EXEMPT))
    pull, clone = scene.pull("Unsigned")
    clone.git("switch", "--quiet", "--create", "side", "origin/main")
    clone.commit("Unsigned, too", {"side.txt": "x"})
    clone.git("switch", "--quiet", "topic")
    clone.git("-c", "user.name=Mia", "-c", "user.email=mia@home.example", "merge", "--quiet", "--no-edit", "side")
    clone.push()
    scene.held(pull)
    scene.settle()
    assert scene.conclusion(pull) == "success"


@pytest.mark.parametrize(("dco", "message"), [
    (EXEMPT, SIGNED), ("", "Unsigned"), ("dco: {merged: required}\n", "Unsigned"), ("dco: {merged: exempt, matching: exact}\n", "Unsigned"),
])  # fmt: skip
def test_branches_are_not_asked_for_where_nothing_depends_on_them(staged, dco, message):
    scene = staged(rulebook=rules(dco))
    pull = scene.held(scene.pull(message)[0])
    assert [commit.merged for commit in gathered(scene, pull).commits] == [None]
    assert BRANCHES not in scene.calls()


@pytest.mark.parametrize("call", [r"/branches$", r"/compare/", r"/branches/release$", r"/rules/branches/"])
def test_nothing_passes_while_github_does_not_answer_and_all_does_afterwards(staged, call):
    scene = staged(rulebook=rules(EXEMPT))
    scene.weather.faults.append(("GET", call, 502))
    pull = scene.held(scene.pull("Unsigned")[0])
    scene.settle()
    assert scene.conclusion(pull) in (None, "action_required")
    scene.weather.faults.clear()
    scene.settle(delayed=True)
    assert scene.conclusion(pull) == "success"


@pytest.mark.parametrize("status", [404, 422])
def test_where_github_refuses_the_commits_need_a_sign_off(staged, status):
    scene = staged(rulebook=rules(EXEMPT))
    scene.weather.faults.append(("GET", r"/branches$", status))
    pull = scene.held(scene.pull("Unsigned")[0])
    scene.settle()
    assert scene.conclusion(pull) == "failure"
