"""The changes that a merge brings beside its parents, as git itself merges them."""

import subprocess

import pytest

from agreements.clone.history import Clone
from tests.clones import Desk

BASE = {"shared": "1\n2\n3\n4\n5\n6\n7\n8\n9\n", "kept": "kept\n"}


@pytest.fixture(name="desk")
def _desk(tmp_path):
    """A work tree on `main` with two files, and a branch `side`."""
    return _made(tmp_path / "work: a\tb")


def _made(folder, *how):
    subprocess.run(["git", "init", "--quiet", "--initial-branch", "main", *how, folder], check=True)
    desk = Desk(folder)
    desk.commit("Base", **BASE)
    desk.git("branch", "side")
    return desk


def branches(desk, theirs, ours):
    """Commits one set of files on `side`, the other on `main`, and stands on `main`."""
    desk.git("checkout", "--quiet", "side")
    desk.commit("Theirs", **theirs)
    desk.git("checkout", "--quiet", "main")
    desk.commit("Ours", **ours)


def merged(desk, *, write=None, remove=(), how=(), message="Merge"):
    """Merges `side` by hand, with these files written or removed before the commit."""
    subprocess.run(
        ["git", "merge", "--quiet", "--no-commit", "--no-ff", *how, "side"],
        cwd=desk.folder,
        capture_output=True,
        check=False,
    )
    for path in remove:
        (desk.folder / path).unlink()
    desk.commit(message, **(write or {"unused": ""})) if write else desk.git("add", "--all")
    if not write:
        desk.git("commit", "--quiet", "--message", message)


def answer(desk, wanted="HEAD^1..HEAD"):
    """What is known of the one merge in the range."""
    clone = Clone(str(desk.folder))
    (found,) = [
        change
        for change in clone.with_merge_changes(tuple(clone.commits(clone.range(wanted))))
        if len(change.parents) > 1
    ]
    return found.merge_changes


TOP, END = BASE["shared"].replace("1", "one"), BASE["shared"].replace("9", "nine")
BOTH = TOP.replace("9", "nine")


@pytest.mark.parametrize(("theirs", "ours", "by_hand", "brings"), [
    ({"theirs": "t"}, {"ours": "o"}, {}, False),  # nothing in common
    ({"shared": TOP}, {"shared": END}, {}, False),  # one file, git merges both ends of it
    ({"theirs": "t"}, {"ours": "o"}, {"write": {"new": "evil\n"}}, True),  # a file of its own
    ({"theirs": "t"}, {"ours": "o"}, {"write": {"theirs": "changed"}}, True),  # another content than the side's
    ({"theirs": "t"}, {"ours": "o"}, {"remove": ["kept"]}, True),  # a file removed that both sides have
    ({"theirs": "t"}, {"ours": "o"}, {"remove": ["theirs"]}, False),  # a file left as our side has it
    ({"shared": TOP}, {"shared": END}, {"write": {"shared": END}}, False),  # our side's content alone
    ({"shared": TOP}, {"shared": END}, {"write": {"shared": BOTH + "more\n"}}, True),  # more than git makes of both
    ({"shared": "a\n"}, {"shared": "b\n"}, {"write": {"shared": "b\n"}}, False),  # a conflict, our side taken
    ({"shared": "a\n"}, {"shared": "b\n"}, {"write": {"shared": "a\n"}}, False),  # a conflict, their side taken
    ({"shared": "a\n"}, {"shared": "b\n"}, {"write": {"shared": "a\nb\n"}}, True),  # a conflict, resolved by hand
    ({"shared": "a\n"}, {"shared": "b\n"}, {"how": ["--strategy", "ours"]}, False),  # all of our side
])  # fmt: skip
def test_a_merge_brings_only_what_neither_git_nor_one_of_the_parents_has(desk, theirs, ours, by_hand, brings):
    branches(desk, theirs, ours)
    merged(desk, **by_hand)
    assert answer(desk) is brings


@pytest.mark.parametrize(("write", "brings"), [({}, False), ({"new": "evil"}, True)])
def test_a_file_that_differs_from_every_parent_of_an_octopus_merge_is_the_merge_s_own(desk, write, brings):
    for name in ("a", "b"):
        desk.git("checkout", "--quiet", "-b", name, "side")
        desk.commit(name, **{name: name})
    desk.git("checkout", "--quiet", "main")
    desk.commit("Ours", ours="o")
    desk.git("merge", "--quiet", "--no-edit", "a", "b")
    if write:
        desk.write("new", write["new"])
        desk.git("add", "new")
        desk.git("commit", "--quiet", "--amend", "--no-edit")
    assert answer(desk) is brings


@pytest.mark.parametrize(("write", "brings"), [(None, False), ({"new": "evil"}, True)])
def test_histories_without_a_common_commit_are_merged_all_the_same(desk, write, brings):
    desk.git("checkout", "--quiet", "--orphan", "other")
    desk.git("rm", "--quiet", "-rf", ".")
    desk.commit("Other", other="x")
    desk.git("branch", "--force", "side")
    desk.git("checkout", "--quiet", "main")
    merged(desk, write=write, how=["--allow-unrelated-histories"])
    assert answer(desk) is brings


def test_each_of_many_merges_has_its_own_answer(desk):
    for number in range(6):
        branches(desk, {f"theirs{number}": "t"}, {f"ours{number}": "o"})
        merged(desk, write={f"new{number}": "evil"} if number % 2 else None)
        desk.git("branch", "--force", "side")
    clone = Clone(str(desk.folder))
    found = clone.with_merge_changes(tuple(clone.commits(clone.range("HEAD~12..HEAD"))))
    assert [commit.merge_changes for commit in found if len(commit.parents) > 1] == [False, True] * 3
    assert {commit.merge_changes for commit in found if len(commit.parents) < 2} == {None}


def test_merges_in_sha256_repositories_are_read(tmp_path):
    desk = _made(tmp_path / "work", "--object-format=sha256")
    branches(desk, {"theirs": "t"}, {"ours": "o"})
    merged(desk, write={"new": "evil"})
    assert answer(desk) is True


def test_clones_that_borrow_objects_and_linked_work_trees_are_read(desk, tmp_path):
    branches(desk, {"theirs": "t"}, {"ours": "o"})
    merged(desk)
    subprocess.run(["git", "clone", "--quiet", "--shared", desk.folder, tmp_path / "copy"], check=True)
    assert answer(Desk(tmp_path / "copy")) is False
    desk.git("worktree", "add", "--quiet", "--detach", str(tmp_path / "linked"))
    assert answer(Desk(tmp_path / "linked", None)) is False


def test_no_merge_driver_of_the_clone_runs_and_nothing_is_written(desk, tmp_path):
    desk.write(".gitattributes", "* merge=evil diff=evil\n")
    desk.write(".git/info/attributes", "* merge=evil diff=evil\n")
    branches(desk, {"shared": TOP}, {"shared": END})
    merged(desk)
    ran = tmp_path / "ran"
    for name in ("merge.evil.driver", "diff.evil.command", "diff.evil.textconv"):
        desk.git("config", name, f"touch {ran}")
    before = sorted(path.name for path in (desk.folder / ".git" / "objects").rglob("*"))
    assert answer(desk) is False
    assert not ran.exists()
    assert sorted(path.name for path in (desk.folder / ".git" / "objects").rglob("*")) == before


def test_a_merge_with_missing_objects_stays_unknown(desk):
    branches(desk, {"theirs": "t"}, {"ours": "o"})
    merged(desk)
    blob = desk.git("rev-parse", "HEAD:kept")
    tree = desk.git("rev-parse", "HEAD^2^{tree}")
    for name in (blob, tree):
        (desk.folder / ".git" / "objects" / name[:2] / name[2:]).unlink()
    assert answer(desk) is None
