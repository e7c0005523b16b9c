"""Which commits a protected branch holds is told by real git, by SHA alone."""

import pytest

from agreements.facts import Commit
from bot.demo.github.git import bare_repository
from bot.github.ports import History, Missing, Unreachable
from bot.github.protected_branches import MAX_BRANCHES
from bot.github.reading import Garbled
from tests.bot.github.conftest import HERE

CHECK = "Countersign"
ONE = History("a" * 40, 1, (Commit(sha="a" * 40),))
LIST = "/repos/cann/ops/branches"


def asked(scene, pull):
    """The messages of those of the pull request's commits that are held."""
    snapshot = scene.hub.fetch_snapshot(scene.place, pull.number, ())
    history = scene.hub.history(snapshot)
    found = scene.hub.merged(scene.place, history, [commit.sha for commit in history.commits], CHECK)
    return [commit.message.strip() for commit in history.commits if commit.sha in found]


def hold(scene, sha, name="release", **checks):
    """A protected branch of cann/ops at that commit, which requires these checks."""
    bare_repository.point(scene.ops.git, f"refs/heads/{name}", sha)
    scene.ops.protected_branches[name] = checks


def test_the_commits_in_the_past_of_a_protected_branch_are_held_and_later_ones_are_not(scene):
    pull, clone = scene.pull("One", "Two", "Three")
    hold(scene, clone.git("rev-parse", "HEAD~1").strip(), Countersign=scene.app.id)
    assert asked(scene, pull) == ["One", "Two"]


@pytest.mark.slow
def test_all_commits_of_a_merge_of_the_branch_are_held_and_the_merge_is_not(scene):
    _, other = scene.pull("Of release", branch="other")
    pull, clone = scene.pull("Of topic")
    clone.git("fetch", "--quiet", str(other.folder), "HEAD")
    mia = ("-c", "user.name=Mia", "-c", "user.email=mia@home.example")
    clone.git(*mia, "merge", "--quiet", "--no-ff", "-m", "Merge", "FETCH_HEAD")
    clone.push()
    hold(scene, other.head, Countersign=scene.app.id)
    assert asked(scene, pull) == ["Of release"]


@pytest.mark.parametrize("checks", [{}, {"CI": None}, {"Countersign": None}, {"Countersign": 4711}])
def test_a_protected_branch_that_does_not_require_our_check_holds_nothing(scene, checks):
    pull, clone = scene.pull("One")
    hold(scene, clone.head, **checks)
    assert asked(scene, pull) == []


def test_neither_an_unprotected_branch_nor_a_protected_one_of_a_fork_nor_a_tag_holds_anything(scene):
    pull, clone = scene.pull("Merged into main already\n\nThis was merged by #1.")
    bare_repository.point(scene.ops.git, "refs/heads/open", clone.head)
    bare_repository.point(scene.ops.git, "refs/tags/release", clone.head)
    hold(scene, bare_repository.resolve(scene.ops.git, "refs/heads/main"), Countersign=scene.app.id)
    pull.head_repository.protected_branches["topic"] = {"Countersign": scene.app.id}
    assert asked(scene, pull) == []


def test_a_commit_that_a_forced_push_removed_is_no_longer_held(scene):
    pull, clone = scene.pull("One")
    hold(scene, clone.head, Countersign=scene.app.id)
    assert asked(scene, pull) == ["One"]
    bare_repository.point(
        scene.ops.git, "refs/heads/release", bare_repository.resolve(scene.ops.git, "refs/heads/main")
    )
    assert asked(scene, pull) == []


def test_a_branch_without_a_common_past_holds_nothing(scene):
    pull, clone = scene.pull("One")
    clone.git("switch", "--quiet", "--orphan", "alone")
    alone = clone.commit("Alone", {"a": "a"})
    clone.git("push", "--quiet", str(scene.ops.git), f"{alone}:refs/heads/release")
    scene.ops.protected_branches["release"] = {"Countersign": scene.app.id}
    assert asked(scene, pull) == []


def test_a_ruleset_that_requires_the_check_counts_as_much_as_classic_protection(scene):
    pull, clone = scene.pull("One")
    scene.ops.required_checks["Countersign"] = scene.app.id
    snapshot = scene.hub.fetch_snapshot(scene.place, pull.number, ())
    history = scene.hub.history(snapshot)
    bare_repository.point(scene.ops.git, "refs/heads/main", clone.head)
    assert scene.hub.merged(scene.place, history, [clone.head], CHECK) == {clone.head}


def test_the_heads_of_protected_branches_are_told_and_of_no_others(scene):
    _, clone = scene.pull("One")
    hold(scene, clone.head, CI=None)
    bare_repository.point(scene.ops.git, "refs/heads/free", clone.head)
    main = bare_repository.resolve(scene.ops.git, "refs/heads/main")
    assert scene.hub.protected_heads(scene.place) == {"release": clone.head}
    scene.ops.protected_checks["CI"] = None
    assert scene.hub.protected_heads(scene.place) == {"main": main, "release": clone.head}


@pytest.mark.slow
def test_no_more_branches_are_asked_for_than_the_limit(scene):
    pull, clone = scene.pull("One")
    main = bare_repository.resolve(scene.ops.git, "refs/heads/main")
    for number in range(MAX_BRANCHES):
        hold(scene, main, f"a{number:02}", Countersign=scene.app.id)
    hold(scene, clone.head, "b", Countersign=scene.app.id)
    before = len(scene.world.calls)
    assert asked(scene, pull) == []
    compared = [call for call in scene.world.calls[before:] if "/compare/" in call.template]
    assert len(compared) == MAX_BRANCHES


@pytest.mark.parametrize(("status", "answer", "error"), [
    (502, {"message": "bad"}, Unreachable), (404, {"message": "Not Found"}, Missing), (200, [{}], Garbled), (200, [None], Garbled),
    (200, [{"name": "x", "protected": True, "commit": None}], Garbled),
])  # fmt: skip
def test_an_answer_that_says_nothing_is_an_error_and_no_proof(hub, github, status, answer, error):
    github.on("GET", LIST, answer, status=status)
    with pytest.raises(error):
        hub.merged(HERE, ONE, [ONE.head_sha], CHECK)


def test_branches_that_a_server_lists_without_being_asked_for_are_not_protected(hub, github):
    github.on("GET", LIST, [{"name": "topic", "protected": False, "commit": {"sha": ONE.head_sha}}])
    assert hub.merged(HERE, ONE, [ONE.head_sha], CHECK) == frozenset()
