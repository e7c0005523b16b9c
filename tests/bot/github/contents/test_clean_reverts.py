"""The trees that GitHub shows prove a revert, as git in a clone does, and a branch that judges holds what was reverted."""

import pytest

from bot.github.contents import clean_reverts
from bot.github.ports import RevertClaim, Unreachable
from bot.github.reading import Garbled
from tests.bot.github.conftest import HERE
from tests.revert_cases import CHANGES, judged, revert, save, write

CHECK = "Countersign"
CLAIM = RevertClaim("a" * 40, "b" * 40, "c" * 40)
FOUND = {"sha": CLAIM.reverted, "parents": [{"sha": "d" * 40}]}


def hold(scene, clone, sha, name="release", **checks):
    """A protected branch of cann/ops at that commit, by default one that requires our check."""
    clone.git("push", "--quiet", "--force", str(scene.ops.git), f"{sha}:refs/heads/{name}")
    scene.ops.protected_branches[name] = checks or {CHECK: scene.app.id}


def asked(scene, clone, sha, reverted):
    """Whether GitHub proves that the one commit cleanly reverts the other."""
    claim = RevertClaim(sha, clone.git("rev-parse", f"{sha}^").strip(), reverted)
    clone.push(force=True)
    return scene.hub.reverts(scene.place, [claim], CHECK) == {sha}


@pytest.fixture(name="change")
def _change(scene):
    """A clone, and in it a commit that a protected branch holds."""
    _, clone = scene.pull("Begin")
    sha = judged(clone)
    hold(scene, clone, sha)
    return clone, sha


@pytest.mark.slow
@pytest.mark.parametrize("case", CHANGES)
def test_a_revert_is_clean_where_it_changes_exactly_what_was_changed(scene, change, case):
    (clone, sha), (beside, clean) = change, CHANGES[case]
    assert asked(scene, clone, revert(clone, sha, beside), sha) is clean


@pytest.mark.slow
@pytest.mark.parametrize("checks", [{"CI": None}, {CHECK: None}, {CHECK: 4711}])
def test_a_commit_that_only_a_branch_without_our_check_holds_was_never_judged(scene, change, checks):
    clone, sha = change
    hold(scene, clone, sha, **checks)
    assert not asked(scene, clone, revert(clone, sha), sha)


@pytest.mark.slow
def test_a_commit_that_no_protected_branch_holds_was_never_judged(scene, change):
    clone, _ = change
    write(clone, {"kept.txt": "mine"})
    mine = save(clone, "Mine")
    clone.git("push", "--quiet", str(scene.ops.git), f"{mine}:refs/tags/release")
    assert not asked(scene, clone, revert(clone, mine), mine)


@pytest.mark.slow
def test_a_revert_of_a_revert_is_clean_once_a_branch_holds_the_first(scene, change):
    clone, sha = change
    first = revert(clone, sha)
    again = revert(clone, first)
    assert not asked(scene, clone, again, first)
    hold(scene, clone, first)
    assert asked(scene, clone, again, first)


@pytest.mark.slow
def test_a_merge_is_reverted_against_what_its_branch_had_before(scene, change):
    clone, sha = change
    clone.git("switch", "--quiet", "--create", "side", f"{sha}^")
    write(clone, {"side.txt": "side"})
    save(clone, "Side")
    clone.git("switch", "--quiet", "topic")
    clone.git("-c", "user.name=Mia", "-c", "user.email=m@x.org", "merge", "--quiet", "--no-ff", "-m", "Merge", "side")
    merge = clone.git("rev-parse", "HEAD").strip()
    hold(scene, clone, merge)
    assert asked(scene, clone, revert(clone, merge, mainline=("-m", "1")), merge)


@pytest.mark.parametrize("said", ["0" * 40, "f" * 64])
def test_a_commit_that_is_not_there_proves_nothing(scene, change, said):
    clone, sha = change
    assert not asked(scene, clone, revert(clone, sha, said=said), said)


def test_the_first_commit_of_a_repository_has_nothing_to_go_back_to(scene, change):
    clone, sha = change
    first = clone.git("rev-list", "--max-parents=0", "HEAD").strip()
    assert not asked(scene, clone, revert(clone, sha), first)


@pytest.mark.slow
@pytest.mark.parametrize(("limit", "value"), [("MAX_REVERTS", 0), ("MAX_FOLDERS", 4)])
def test_nothing_is_proven_beyond_the_limits(scene, change, monkeypatch, limit, value):
    clone, sha = change
    made = revert(clone, sha)
    # Of three commits, as the change is the parent of the revert, and `folder` and `new`.
    monkeypatch.setattr(clean_reverts, "MAX_FOLDERS", 5)
    assert asked(scene, clone, made, sha)
    monkeypatch.setattr(clean_reverts, limit, value)
    assert not asked(scene, clone, made, sha)


def entry(name, sha):
    return {"path": name, "mode": "100644", "type": "blob", "sha": sha * 40}


@pytest.mark.parametrize(("before", "after", "more"), [
    ([entry("x", "1")], [entry("x", "2")], {"truncated": True}), ([entry("\ufffd", "1")], [entry("\ufffd", "2")], {}),
    ([entry("x", "1"), entry("x", "1")], [entry("x", "2"), entry("x", "2")], {}),
])  # fmt: skip
def test_a_folder_that_is_cut_short_or_has_unclear_names_proves_nothing(hub, github, before, after, more):
    root = "/repos/cann/ops/git"
    github.on("GET", f"{root}/commits/{CLAIM.reverted}", FOUND)
    trees = {"d" * 40: before, CLAIM.reverted: after, CLAIM.parent: after, CLAIM.sha: before}
    for sha, entries in trees.items():
        github.on("GET", f"{root}/trees/{sha}", {"sha": sha, "tree": entries, "truncated": False, **more})
    assert hub.reverts(HERE, [CLAIM], CHECK) == frozenset()


@pytest.mark.parametrize(("status", "answer", "error"), [
    (502, {"message": "bad"}, Unreachable), (200, {}, Garbled), (200, {"parents": [{}]}, Garbled), (200, {"parents": None}, Garbled),
])  # fmt: skip
def test_an_answer_that_says_nothing_is_an_error_and_no_proof(hub, github, status, answer, error):
    github.on("GET", f"/repos/cann/ops/git/commits/{CLAIM.reverted}", answer, status=status)
    with pytest.raises(error):
        hub.reverts(HERE, [CLAIM], CHECK)
