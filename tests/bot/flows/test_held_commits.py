"""Clean reverts are looked for only where they decide; an unknown answer lets no person pass."""

import pytest

from tests.bot.flows.test_gather import gathered

EXEMPT = "dco: {reverts: exempt}\n"
COMMIT = ("GET", "/repos/{owner}/{repo}/git/commits/{commit_sha}")


def rules(dco):
    """A rulebook that requires sign-offs."""
    return f'version: 1\nrepositories: [{{match: ["*"], require: dco}}]\n{dco}'


@pytest.mark.parametrize(("dco", "beside", "conclusion"), [
    (EXEMPT, {}, "success"), (EXEMPT, {"more.txt": "x"}, "failure"), ("", {}, "failure"), ("dco: {merged: exempt}\n", {}, "failure"),
    ("dco: {reverts: exempt, merged: exempt}\n", {}, "success"),
])  # fmt: skip
def test_a_clean_revert_of_a_judged_commit_passes_where_the_rules_say_so(staged, dco, beside, conclusion):
    scene = staged(rulebook=rules(dco))
    pull = scene.reverting(**beside)
    scene.settle()
    assert scene.conclusion(pull) == conclusion


@pytest.mark.parametrize("checks", [None, {}, {"CI": None}])
def test_a_revert_of_a_commit_that_was_never_judged_needs_a_sign_off(staged, checks):
    scene = staged(rulebook=rules(EXEMPT))
    pull = scene.reverting()
    scene.ops.protected_branches = {} if checks is None else {"release": checks}
    scene.settle()
    assert scene.conclusion(pull) == "failure"


@pytest.mark.parametrize(("dco", "message"), [
    (EXEMPT, "Fix\n\nSigned-off-by: Mia <mia@home.example>"), (EXEMPT, "Revert x"), ("", f"This reverts commit {'d' * 40}."),
])  # fmt: skip
def test_commits_are_not_asked_for_where_nothing_depends_on_them(staged, dco, message):
    scene = staged(rulebook=rules(dco))
    pull, _ = scene.pull(message)
    assert [commit.reverts for commit in gathered(scene, pull).commits] == [None]
    assert COMMIT not in scene.calls()


@pytest.mark.parametrize("call", [r"/git/commits/", r"/git/trees/", r"/branches$", r"/compare/"])
def test_nothing_passes_while_github_does_not_answer_and_all_does_afterwards(staged, call):
    scene = staged(rulebook=rules(EXEMPT))
    pull = scene.reverting()
    scene.weather.faults.append(("GET", call, 502))
    scene.settle()
    assert scene.conclusion(pull) in (None, "action_required")
    scene.weather.faults.clear()
    scene.settle(delayed=True)
    assert scene.conclusion(pull) == "success"


@pytest.mark.parametrize("call", [r"/git/commits/", r"/git/trees/", r"/branches$"])
@pytest.mark.parametrize("status", [404, 422])
def test_where_github_refuses_the_commits_need_a_sign_off(staged, call, status):
    scene = staged(rulebook=rules(EXEMPT))
    pull = scene.reverting()
    scene.weather.faults.append(("GET", call, status))
    scene.settle()
    assert scene.conclusion(pull) == "failure"
