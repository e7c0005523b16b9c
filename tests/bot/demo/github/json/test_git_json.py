"""git's objects in JSON; the routes' tests hold them against GitHub's description."""

import base64
from dataclasses import replace

from bot.demo.github.git import bare_repository, changed_files
from bot.demo.github.git.objects import TreeItem
from bot.demo.github.json import git_json


def test_a_submodule_has_no_address_and_no_size(place):
    items = [TreeItem("a", "100644", "blob", "1" * 40, 0), TreeItem("b", "040000", "tree", "2" * 40, None),
             TreeItem("c", "160000", "commit", "3" * 40, None)]  # fmt: skip
    file, folder, module = git_json.tree(place.world, place.runtime, "4" * 40, items)["tree"]
    assert (file["size"], file["url"].rpartition("/git/")[2]) == (0, "blobs/" + "1" * 40)
    assert ("size" in folder, folder["url"].rpartition("/git/")[2]) == (False, "trees/" + "2" * 40)
    assert not {"size", "url"} & set(module)


def test_long_contents_come_in_base64_lines(place):
    found = git_json.blob(place.world, place.runtime, "1" * 40, b"x" * 100)
    assert "\n" in found["content"].strip()
    assert base64.b64decode(found["content"]) == b"x" * 100


def test_a_commit_in_gits_form_has_no_account_and_equals_itself(place):
    tip = bare_repository.commit(place.runtime.git, bare_repository.resolve(place.runtime.git, "main"))
    found = git_json.git_commit(place.world, place.runtime, tip)
    assert set(found["author"]) == {"name", "email", "date"}
    assert git_json.reference(place.world, place.runtime, "refs/heads/main", tip.sha)["object"]["sha"] == tip.sha
    same = git_json.comparison(place.world, place.runtime, "main...main", (tip, tip), ((), ()))
    assert (same["status"], same["ahead_by"], same["behind_by"]) == ("identical", 0, 0)


def test_only_a_commit_that_github_signed_is_verified(place):
    sha = place.world.write(place.runtime, {"x": "x"})
    signed = git_json.commit(place.world, place.runtime, bare_repository.commit(place.runtime.git, sha))
    assert signed["commit"]["verification"]["verified"] is True
    pull, _ = place.pull()
    unsigned = git_json.commit(place.world, place.runtime, bare_repository.commit(place.runtime.git, pull.head_sha))
    assert unsigned["commit"]["verification"]["reason"] == "unsigned"
    assert unsigned["parents"][0]["sha"] == sha


def test_additions_and_deletions_of_files_add_up(place):
    pull, _ = place.pull()
    files = changed_files.between(place.runtime.git, pull.base_sha, pull.head_sha)
    body = git_json.file(place.world, pull.repository, pull.head_sha, files[0])
    assert (body["filename"], body["status"], body["changes"]) == ("work0.txt", "added", 1)
    assert "previous_filename" not in body
    moved = replace(files[0], status="renamed", previous="old.txt")
    assert git_json.file(place.world, pull.repository, pull.head_sha, moved)["previous_filename"] == "old.txt"
