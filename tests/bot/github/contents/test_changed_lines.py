"""The lines of a pull request's files, and whether these are plain text, are told by real git, and of one head alone."""

from types import SimpleNamespace

import pytest

from agreements.facts import FileDiff
from bot.github.contents.changed_lines import MAX_FOLDERS, MAX_LINE_CHARACTERS
from bot.github.ports import Unreachable
from bot.github.reading import Garbled
from tests.bot.github.conftest import HERE

TEXT = "one\ntwo\nthree\n"
BETWEEN = "/repos/cann/ops/compare/base...head"
SNAPSHOT = SimpleNamespace(place=HERE, base_sha="base", head_sha="head")
ENTRY = {"filename": "a.md", "status": "modified", "additions": 1, "deletions": 1, "patch": "@@ -1 +1 @@\n-x\n+y"}
TREE = {"truncated": False, "tree": [{"path": "a.md", "mode": "100644", "type": "blob", "sha": "b"}]}


@pytest.fixture(name="changes")
def _changes(scene):
    """The changes, by path, of a pull request whose newest commit has what that function adds to a clone's index."""

    def read(change):
        pull, clone = scene.pull("One")
        change(clone)
        clone.git("-c", "user.name=Mia", "-c", "user.email=mia@home.example", "commit", "--quiet", "--message=x")
        clone.push()
        snapshot = scene.hub.fetch_snapshot(scene.place, pull.number, ())
        return {file.path: file for file in scene.hub.changes(snapshot)}

    return read


def added(path, text):
    """A function that adds a file to a clone."""

    def change(clone):
        file = clone.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text if isinstance(text, bytes) else text.encode())
        clone.git("add", "--all")

    return change


def test_added_lines_of_a_file_in_a_folder_are_counted(changes):
    found = changes(added("docs/deep/a.md", TEXT))
    assert found["docs/deep/a.md"] == FileDiff(path="docs/deep/a.md", additions=3, text=True)


@pytest.mark.parametrize("content", [b"\0\1\2", b"", b"x" * (MAX_LINE_CHARACTERS + 1)])
def test_a_binary_an_empty_file_and_an_endless_line_are_no_text(changes, content):
    assert changes(added("a.md", content))["a.md"].text is False


def test_the_longest_line_that_counts_does(changes):
    assert changes(added("a.md", "x" * MAX_LINE_CHARACTERS))["a.md"].text


def test_a_link_a_program_and_a_submodule_are_no_text(changes):
    def change(clone):
        (clone.folder / "link.md").symlink_to("../../etc/passwd")
        added("run.md", TEXT)(clone)
        clone.git("update-index", "--chmod=+x", "run.md")
        clone.git("update-index", "--add", "--cacheinfo", f"160000,{'a' * 40},mod.md")

    found = changes(change)
    assert [found[path].text for path in ("link.md", "run.md", "mod.md")] == [False, False, False]


@pytest.mark.slow
def test_a_file_deeper_than_github_is_asked_for_is_not_known_to_be_text(changes):
    path = "/".join(["d"] * (MAX_FOLDERS + 2)) + "/a.md"
    assert changes(added(path, TEXT))[path].text is False


def test_what_was_pushed_since_the_snapshot_is_not_seen(scene):
    pull, clone = scene.pull("One")
    snapshot = scene.hub.fetch_snapshot(scene.place, pull.number, ())
    clone.commit("More", files={"b.md": TEXT})
    clone.push()
    assert "b.md" not in {change.path for change in scene.hub.changes(snapshot)}


@pytest.mark.parametrize(("entry", "text"), [
    ({}, True), ({"status": "renamed", "previous_filename": "b.md"}, True), ({"status": "copied", "previous_filename": "b.md"}, False),
    ({"status": "changed"}, False), ({"status": "unchanged"}, False), ({"patch": "@@ -1 +1 @@\n+y"}, False), ({"patch": None}, False),
    ({"additions": 2}, False), ({"status": "renamed", "previous_filename": "b.md", "additions": 0, "deletions": 0, "patch": None}, False),
    ({"status": "removed", "additions": 0, "patch": "@@ -1 +0,0 @@\n-x", "filename": "gone.md"}, True), ({"filename": "b.md"}, False),
])  # fmt: skip
def test_what_github_says_of_a_file_is_text_only_with_all_its_lines(hub, github, entry, text):
    github.on("GET", BETWEEN, {"files": [{**ENTRY, **entry}]})
    github.on("GET", "/repos/cann/ops/git/trees/head", TREE)
    (found,) = hub.changes(SNAPSHOT)
    assert (found.text, found.previous_path) == (text, entry.get("previous_filename", ""))


@pytest.mark.parametrize(("compared", "tree", "error"), [
    ((502, {"message": "bad"}), (200, TREE), Unreachable), ((200, {"files": [ENTRY]}), (502, {"message": "bad"}), Unreachable),
    ((200, {"files": [{}]}), (200, TREE), Garbled), ((200, {"files": [ENTRY]}), (200, {}), Garbled), ((200, {"files": None}), (200, TREE), None),
])  # fmt: skip
def test_an_answer_that_says_nothing_is_an_error_or_no_change(hub, github, compared, tree, error):
    for path, (status, answer) in ((BETWEEN, compared), ("/repos/cann/ops/git/trees/head", tree)):
        github.on("GET", path, answer, status=status)
    if error is None:
        assert hub.changes(SNAPSHOT) == ()
        return
    with pytest.raises(error):
        hub.changes(SNAPSHOT)
