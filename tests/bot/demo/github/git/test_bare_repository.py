"""Bare repositories as git sees them."""

import pytest

from bot.demo.github.git import bare_repository, changed_files
from tests.bot.demo.github.git.conftest import BY


def test_written_files_and_commits_are_read_back(folder):
    message = "第二\n\nSigned-off-by: 林晓 <lin@example.org>"
    sha = bare_repository.write(folder, "refs/heads/main", {"b/ü.txt": "ü\n", "a.txt": "A\n"}, message=message, by=BY)
    commit = bare_repository.commit(folder, sha)
    assert (commit.message, commit.author, commit.committer) == (message, BY, BY)
    assert bare_repository.blob(folder, "main", "b/ü.txt")[1] == "ü\n".encode()
    assert [(file.path, file.status) for file in changed_files.between(folder, commit.parents[0], sha)] == [
        ("a.txt", "modified"),
        ("b/ü.txt", "added"),
    ]


def test_commits_between_two_are_oldest_first(folder):
    base = bare_repository.resolve(folder, "main")
    made = [bare_repository.write(folder, "refs/heads/work", {"x": str(n)}, message=f"{n}", by=BY) for n in range(3)]
    assert [commit.sha for commit in bare_repository.between(folder, base, made[-1])] == made
    assert bare_repository.between(folder, made[-1], base) == ()


def test_an_unknown_name_and_one_like_an_option_resolve_to_none(folder):
    assert bare_repository.resolve(folder, "nothing") is None
    assert bare_repository.resolve(folder, "--all") is None
    assert bare_repository.blob(folder, "main", "nothing") is None
    assert bare_repository.blob(folder, "main", "") is None
    assert bare_repository.blob(folder, "main", "no blob 1") is None
    assert bare_repository.blob(folder, "main", "a.txt\nb") is None
    assert bare_repository.blob(folder, "--textconv", "a.txt") is None


def test_merging_makes_a_commit_with_two_parents_and_a_conflict_fails(folder):
    base = bare_repository.resolve(folder, "main")
    side = bare_repository.write(folder, "refs/heads/side", {"s": "s"}, message="Side", by=BY)
    ours = bare_repository.write(folder, "refs/heads/main", {"m": "m"}, message="Main", by=BY)
    merged = bare_repository.merge_commit(folder, ours, side, message="Merge", by=BY)
    assert bare_repository.commit(folder, merged).parents == (ours, side)
    assert [bare_repository.blob(folder, merged, path)[1] for path in "sm"] == [b"s", b"m"]
    assert bare_repository.merge_base(folder, merged, base) == base
    assert bare_repository.resolve(folder, "main") == ours
    bare_repository.write(folder, "refs/heads/main", {"a.txt": "main\n"}, message="Ours", by=BY)
    bare_repository.run("update-ref", "refs/heads/clash", side, cwd=folder)
    clash = bare_repository.write(folder, "refs/heads/clash", {"a.txt": "clash\n"}, message="Theirs", by=BY)
    before = bare_repository.resolve(folder, "main")
    with pytest.raises(bare_repository.GitFailed):
        bare_repository.merge_commit(folder, before, clash, message="Merge", by=BY)


def test_an_error_holds_gits_own_words(folder):
    base = bare_repository.resolve(folder, "main")
    empty = bare_repository.run("hash-object", "-t", "tree", "-w", "--stdin", cwd=folder).decode().strip()
    who = {f"GIT_{role}_{part}": "x" for role in ("AUTHOR", "COMMITTER") for part in ("NAME", "EMAIL")}
    sha = bare_repository.run("commit-tree", empty, "-p", base, "-m", "Empty", cwd=folder, env=who).decode().strip()
    assert [(file.path, file.status, file.deletions) for file in changed_files.between(folder, base, sha)] == [
        ("a.txt", "removed", 1)
    ]
    with pytest.raises(bare_repository.GitFailed, match="nothing"):
        bare_repository.run("show", "nothing", cwd=folder)


def test_two_histories_without_a_common_past_have_no_merge_base(folder):
    base = bare_repository.resolve(folder, "main")
    who = {f"GIT_{role}_{part}": "x" for role in ("AUTHOR", "COMMITTER") for part in ("NAME", "EMAIL")}
    tree = bare_repository.commit(folder, base).tree
    alone = bare_repository.run("commit-tree", tree, "-m", "Alone", cwd=folder, env=who).decode().strip()
    assert bare_repository.merge_base(folder, base, alone) is None
    assert changed_files.between(folder, base, alone) == ()


def test_a_commit_with_a_time_beyond_the_calendar_is_read(folder):
    tree = bare_repository.commit(folder, bare_repository.resolve(folder, "main")).tree
    raw = f"tree {tree}\nauthor A <a@a> 99999999999999 +0000\ncommitter A <a@a> 1 +0000\n\nOdd\n".encode()
    sha = (
        bare_repository.run("hash-object", "-t", "commit", "-w", "--stdin", "--literally", cwd=folder, feed=raw)
        .decode()
        .strip()
    )
    assert bare_repository.commit(folder, sha).message == "Odd"


def test_references_are_read_packed_or_not_as_git_reads_them(folder):
    old = bare_repository.write(folder, "refs/heads/work", {"x": "1"}, message="1", by=BY)
    bare_repository.run("pack-refs", "--all", cwd=folder)
    bare_repository.run("update-ref", "refs/pull/1/head", old, cwd=folder)
    assert bare_repository.resolve(folder, "refs/heads/work") == old
    new = bare_repository.write(folder, "refs/heads/work", {"x": "2"}, message="2", by=BY)
    assert bare_repository.resolve(folder, "refs/heads/work") == new
    said = bare_repository.run("for-each-ref", "--format=%(refname) %(objectname)", cwd=folder).decode().splitlines()
    assert bare_repository.references(folder) == dict(line.split() for line in said)


def test_a_fork_and_its_source_find_each_others_commits(folder, tmp_path):
    bare_repository.fork(tmp_path / "fork.git", folder, "main")
    made = bare_repository.write(tmp_path / "fork.git", "refs/heads/work", {"x": "1"}, message="1", by=BY)
    assert bare_repository.resolve(folder, made) == made
    assert bare_repository.resolve(folder, "refs/heads/work") is None
    assert bare_repository.blob(folder, made, "a.txt")[1] == b"a\n"
    bare_repository.run("fsck", "--strict", cwd=folder)
