"""git's objects in JSON; the routes' tests hold them against GitHub's description."""

import base64

from bot.demo.github.answers import git_answers
from bot.demo.github.git import bare_repository
from bot.demo.github.git.objects import TreeItem


def test_a_submodule_has_no_address_and_no_size(place):
    """A file has both, a folder an address alone."""
    items = [TreeItem("a", "100644", "blob", "1" * 40, 0), TreeItem("b", "040000", "tree", "2" * 40, None),
             TreeItem("c", "160000", "commit", "3" * 40, None)]  # fmt: skip
    file, folder, module = git_answers.tree(place.world, place.runtime, "4" * 40, items)["tree"]
    assert (file["size"], file["url"].rpartition("/git/")[2]) == (0, "blobs/" + "1" * 40)
    assert ("size" in folder, folder["url"].rpartition("/git/")[2]) == (False, "trees/" + "2" * 40)
    assert not {"size", "url"} & set(module)


def test_long_contents_come_in_lines(place):
    """As GitHub writes Base64."""
    told = git_answers.blob(place.world, place.runtime, "1" * 40, b"x" * 100)
    assert "\n" in told["content"].strip()
    assert base64.b64decode(told["content"]) == b"x" * 100


def test_a_commit_a_reference_and_two_equal_ends(place):
    """No accounts in git's own form of a commit; nothing between a commit and itself."""
    tip = bare_repository.commit(place.runtime.git, bare_repository.resolve(place.runtime.git, "main"))
    told = git_answers.commit(place.world, place.runtime, tip)
    assert set(told["author"]) == {"name", "email", "date"}
    assert git_answers.reference(place.world, place.runtime, "refs/heads/main", tip.sha)["object"]["sha"] == tip.sha
    same = git_answers.comparison(place.world, place.runtime, "main...main", (tip, tip), ((), ()))
    assert (same["status"], same["ahead_by"], same["behind_by"]) == ("identical", 0, 0)
