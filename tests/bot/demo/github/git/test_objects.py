"""Objects of a bare repository, one by one."""

from datetime import UTC, datetime

import pytest

from bot.demo.github.git import bare_repository, loose_objects, objects

BY = bare_repository.GitIdentity("GitHub", "noreply@github.com", datetime(2026, 11, 21, 9, 0, tzinfo=UTC))


@pytest.fixture(name="folder")
def _folder(tmp_path):
    bare_repository.initialise(tmp_path / "a.git", "main")
    bare_repository.write(tmp_path / "a.git", "refs/heads/main", {"a.txt": "a\n", "b/c": "c"}, message="First", by=BY)
    return tmp_path / "a.git"


def test_a_tree_is_the_same_by_branch_commit_or_tree_hash(folder):
    tip = bare_repository.resolve(folder, "main")
    names = ("main", tip, bare_repository.commit(folder, tip).tree)
    [sha] = {objects.tree_sha(folder, name) for name in names}
    assert [(tree_item.path, tree_item.kind, tree_item.size) for tree_item in objects.tree(folder, sha, recursive=True)] == [
        ("a.txt", "blob", 2), ("b", "tree", None), ("b/c", "blob", 1)]  # fmt: skip
    assert [tree_item.path for tree_item in objects.tree(folder, sha, recursive=False)] == ["a.txt", "b"]
    assert objects.tree_sha(folder, "nothing") is None
    assert objects.tree_sha(folder, "--all") is None


def test_kept_objects_are_read_back(folder):
    tip = bare_repository.resolve(folder, "main")
    blob = loose_objects.write(folder, "blob", b"\0\xff")
    assert objects.content(folder, blob) == b"\0\xff"
    files = {"b/\u00fc".encode(): (b"100644", blob), b"a.txt": (b"120000", blob)}
    tree = bare_repository.tree_with(folder, bare_repository.commit(folder, tip).tree, files)
    found = [
        (tree_item.path, tree_item.sha)
        for tree_item in objects.tree(folder, tree, recursive=True)
        if tree_item.kind == "blob"
    ]
    assert [path for path, _ in found] == ["a.txt", "b/c", "b/\u00fc"]
    assert (found[0][1], found[2][1]) == (blob, blob)
    first = bare_repository.commit_tree(folder, "One\n", tree, [], author=BY, committer=BY)
    second = bare_repository.commit_tree(folder, "Two\n", tree, [tip, first], author=BY, committer=BY)
    assert bare_repository.commit(folder, second).parents == (tip, first)
    bare_repository.run("fsck", "--strict", cwd=folder)


@pytest.mark.parametrize("name", ["0" * 40, "main:a.txt", "--batch", ""])
def test_only_the_hash_of_a_blob_has_content(folder, name):
    assert objects.content(folder, name) is None


def test_references_move_forward_and_bad_names_are_refused(folder):
    tip = bare_repository.resolve(folder, "main")
    later = bare_repository.write(folder, "refs/heads/main", {"a.txt": "b"}, message="Second", by=BY)
    objects.point(folder, "refs/heads/ours", tip, None)
    assert bare_repository.resolve(folder, "refs/heads/ours") == tip
    objects.point(folder, "refs/heads/ours", later, tip)
    for name, before in (("refs/heads/ours", tip), ("refs/heads/ours", None), ("refs/heads/a..b", None)):
        with pytest.raises(bare_repository.GitFailed):
            objects.point(folder, name, tip, before)


def test_a_reference_is_removed_only_where_it_was_seen(folder):
    tip = bare_repository.resolve(folder, "main")
    objects.point(folder, "refs/heads/ours", tip, None)
    with pytest.raises(bare_repository.GitFailed):
        objects.delete(folder, "refs/heads/ours", "1" * 40)
    objects.delete(folder, "refs/heads/ours", tip)
    assert bare_repository.resolve(folder, "refs/heads/ours") is None
