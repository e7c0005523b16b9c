"""Listing, heads, trees and merge bases, by the small GitHub and by answers that it never gives."""

import pytest

from bot.github.client.graphql_errors import Unavailable
from bot.github.contents import trees
from bot.github.contents.trees import GitHubTrees
from bot.github.ports import GitTree, Missing, Moved, RepositoryPlace, TreeEntry, Unreachable
from bot.github.reading import Garbled
from bot.github.renames import root
from tests.bot.github.shapes import SLOW_DOWN, next_page, rest_repository

HERE = RepositoryPlace(77, "cann", "ops", 900)


def test_all_repositories_of_an_installation_are_listed(scene):
    bare_repo = scene.world.repository(scene.cann, "bare", files={})
    scene.ops.archived, scene.ops.private = True, True

    ops, rules, bare = scene.hub.listed(scene.installation.id)

    assert (ops.place, ops.node, ops.branch) == (scene.place, f"R_{scene.ops.id}", "main")
    assert (ops.private, ops.archived, ops.fork) == (True, True, False)
    assert ops.pushed_at == scene.ops.pushed_at
    assert (rules.place.name, rules.private, bare.pushed_at) == (".github", False, bare_repo.created_at)


def test_repositories_of_all_pages_are_listed_with_their_last_push(hub, github):
    path, more = (
        "/installation/repositories",
        {"node_id": "R", "default_branch": "main", "archived": False, "fork": False},
    )
    for number, headers in ((900, {"Link": next_page("/installation/repositories")}), (901, {})):
        items = [{**rest_repository(number), **more}]
        github.on("GET", path, {"total_count": 2, "repositories": items}, headers=headers)

    found = hub.listed(77)

    assert [repository.place for repository in found] == [HERE, RepositoryPlace(77, "cann", "ops", 901)]
    assert found[0].pushed_at is None


def test_newest_commits_are_asked_for_by_the_hundred(scene):
    bare = scene.world.repository(scene.cann, "bare", files={})
    lost = scene.world.repository(scene.cann, "lost")
    lost.default_branch = "gone"
    nodes = [f"R_{bare.id}", "R_1", f"R_{scene.ops.id}", f"R_{lost.id}", *[f"R_{number}" for number in range(2, 99)]]
    before = len(scene.world.calls)

    found = scene.hub.heads(scene.installation.id, nodes)

    tip = scene.hub.tree(scene.place, found[f"R_{scene.ops.id}"]).commit
    assert set(found) == set(nodes)
    assert [node for node, sha in found.items() if sha] == [f"R_{scene.ops.id}"]
    assert len(tip) == 40
    assert [call.template for call in scene.world.calls[before:]].count("/graphql") == 2
    assert scene.hub.heads(scene.installation.id, []) == {}


def test_heads_are_worth_another_try_while_graphql_is_down(scene):
    scene.down.append(1)

    with pytest.raises(Unavailable):
        scene.hub.heads(scene.installation.id, [f"R_{scene.ops.id}"])


def test_a_tree_that_is_cut_short_is_walked_folder_by_folder(scene):
    files = {f"{folder}/{deeper}{number}.txt": "x" for folder in "abc" for deeper in ("", "d/") for number in range(4)}
    sha = scene.world.write(scene.ops, files)
    whole = scene.hub.tree(scene.place, sha)

    scene.world.tree_limit = 9
    walked = scene.hub.tree(scene.place, sha)
    scene.world.tree_limit = 3
    further = scene.hub.tree(scene.place, sha)

    assert whole.complete
    assert {entry.path for entry in whole.entries} >= set(files)
    assert (sorted(walked.entries, key=str), walked.complete) == (sorted(whole.entries, key=str), True)
    assert sorted(further.entries, key=str) == sorted(whole.entries, key=str)


def test_a_walk_through_endless_folders_ends_incomplete():
    class Line:
        asked = 0

        def installation(self, number):
            return self

        def read(self, path, parameters=None):
            self.asked += 1
            below = {"path": "d", "mode": "040000", "type": "tree", "sha": "5" * 40}
            file = {"path": "f", "mode": "100644", "type": "blob", "sha": "6" * 40, "size": 1}
            return {"tree": [below, file], "truncated": parameters is not None}

    line = Line()
    found = GitHubTrees(line).tree(HERE, "4" * 40)

    assert not found.complete
    assert [entry.path for entry in found.entries[:3]] == ["f", "d/f", "d/d/f"]
    assert (line.asked, len(found.entries)) == (trees.MAX_TREE_REQUESTS, trees.MAX_TREE_REQUESTS // 2)


def test_a_renamed_repository_is_read_under_its_new_name(scene):
    old, sha = scene.place, scene.world.write(scene.ops, {"a": "1"})
    later = scene.world.write(scene.ops, {"a": "2"})
    scene.world.rename(scene.ops, "kernels", scene.ada)

    assert [entry.path for entry in scene.hub.tree(old, sha).entries] == [".github/dco.yml", ".mailmap", "a"]
    assert scene.hub.merge_base(old, later, sha) == sha
    [blob] = [entry for entry in scene.hub.tree(old, sha).entries if entry.path == "a"]
    assert scene.hub.blobs(old, {blob.sha: 1}) == {blob.sha: b"1"}
    scene.world.delete(scene.ops)
    for ask in (lambda: scene.hub.tree(old, sha), lambda: scene.hub.merge_base(old, later, sha),
                lambda: scene.hub.blobs(old, {blob.sha: 1})):  # fmt: skip
        with pytest.raises(Missing):
            ask()


def test_a_repository_without_commits_has_no_tree(scene):
    bare = scene.world.repository(scene.cann, "bare", files={})
    for place, sha in (
        (RepositoryPlace(scene.installation.id, "cann", "bare", bare.id), "main"),
        (scene.place, "0" * 40),
    ):
        with pytest.raises(Missing):
            scene.hub.tree(place, sha)


def test_two_branches_part_at_a_commit(scene):
    pull, _ = scene.pull("One")
    scene.world.write(scene.ops, {"b": "2"})

    assert scene.hub.merge_base(scene.place, "main", pull.head_sha) == pull.base_sha
    with pytest.raises(Missing):
        scene.hub.merge_base(scene.place, "main", "0" * 40)


def listing(*paths, truncated=False):
    """A tree of REST's."""
    items = [{"path": path, "mode": "100644", "type": "blob", "sha": "1" * 40, "size": 5} for path in paths]
    more = [{"path": "sub", "mode": "160000", "type": "commit", "sha": "2" * 40},
            {"path": "link", "mode": "120000", "type": "blob", "sha": "3" * 40, "size": 4}]  # fmt: skip
    return {"sha": "4" * 40, "tree": [*items, *more], "truncated": truncated}


def test_links_and_submodules_are_told_from_files(github, hub):
    github.on("GET", f"{root(HERE)}/git/trees/{'4' * 40}", listing("a"))

    found = hub.tree(HERE, "4" * 40)

    assert found == GitTree("4" * 40, (TreeEntry("a", "1" * 40, 5), TreeEntry("link", "3" * 40, 4, link=True)))


def test_a_folder_that_is_too_large_by_itself_is_not_complete(github, hub):
    github.on("GET", f"{root(HERE)}/git/trees/{'4' * 40}", listing("a", truncated=True))

    assert not hub.tree(HERE, "4" * 40).complete


@pytest.mark.parametrize("body", [[], {}, {"tree": {}, "truncated": False}, {"tree": [{}], "truncated": False}])
def test_an_answer_of_another_shape_is_garbled(github, hub, body):
    github.on("GET", f"{root(HERE)}/git/trees/{'4' * 40}", body)

    with pytest.raises(Garbled):
        hub.tree(HERE, "4" * 40)


@pytest.mark.parametrize(
    ("status", "message"), [(500, "Oops"), (502, ""), (403, SLOW_DOWN["message"]), (429, SLOW_DOWN["message"])]
)
def test_githubs_bad_moments_are_worth_another_try(github, hub, status, message):
    github.on("GET", f"{root(HERE)}/git/trees/{'4' * 40}", {"message": message}, status=status)
    github.on("POST", "/graphql", {"message": message}, status=status)

    with pytest.raises(Unreachable):
        hub.tree(HERE, "4" * 40)
    with pytest.raises(Unreachable):
        hub.heads(77, ["R_1"])


@pytest.mark.parametrize("nodes", [[], [None, None], "ab", None])
def test_another_number_of_heads_is_garbled(github, hub, nodes):
    """Heads are told apart by their place in the list: GitHub may give a node another id than was asked for."""
    github.graphql({"nodes": nodes})

    with pytest.raises(Garbled):
        hub.heads(77, ["R_1"])


def test_a_redirect_is_followed_by_the_repositorys_id():
    class Line:
        def read(self, path, parameters=None):
            if path == "/repositories/900":
                return {"owner": {"login": "cann"}, "name": "new", "id": 900}
            if path.startswith("/repos/cann/ops/"):
                raise Moved("renamed")
            return {"merge_base_commit": {"sha": path}}

    class Board:
        def installation(self, number):
            return Line()

    assert GitHubTrees(Board()).merge_base(HERE, "a", "b") == "/repos/cann/new/compare/a...b"
