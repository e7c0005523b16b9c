"""A revert is proven by what changed; its message only says where to look."""

import pytest

from agreements.dco.reverts import PathChange, changes, named, undoes

SHA, LONG = "a" * 40, "b" * 64
OLD, NEW = ("100644", "1"), ("100644", "2")
RUN, FOLDER = ("100755", "2"), "040000"


@pytest.mark.parametrize(("message", "sha"), [
    (f"Revert x\n\nThis reverts commit {SHA}.", SHA), (f"Revert x\n\nThis reverts commit {LONG}.\n\nWhy", LONG),
    (f"Revert x\n\nThis reverts commit {SHA}, reversing\nchanges made to {LONG}.", SHA), (f"This reverts commit {SHA}\r\n", SHA),
    (f"Revert x\n\nThis reverts commit {SHA[:12]}.", None), (f"Revert x\n\nThis reverts commit {SHA}0.", None),
    (f"Revert x\n\n> This reverts commit {SHA}.", None), ("Revert x", None), ("", None),
])  # fmt: skip
def test_a_message_names_a_commit_as_git_writes_it(message, sha):
    assert named(message) == sha


@pytest.mark.parametrize(("back", "clean"), [
    ([("a", NEW, OLD), ("b", NEW, None)], True), ([("a", NEW, OLD)], False), ([("a", NEW, OLD), ("b", NEW, OLD)], False),
    ([("a", NEW, OLD), ("b", NEW, None), ("c", None, NEW)], False), ([("a", RUN, OLD), ("b", NEW, None)], False),
    ([("a", OLD, NEW), ("b", None, NEW)], False), ([], False),
])  # fmt: skip
def test_every_path_goes_back_and_no_other_path_changes(back, clean):
    changed = [PathChange("a", OLD, NEW), PathChange("b", None, NEW)]
    assert undoes([PathChange(*change) for change in back], changed) is clean


def test_nothing_undoes_nothing():
    assert not undoes([], [])


def test_folders_that_stay_are_not_read_and_a_file_may_become_a_folder():
    folders = {
        "before": {"same": (FOLDER, "never read"), "deep": (FOLDER, "d1"), "file": OLD},
        "after": {"same": (FOLDER, "never read"), "deep": (FOLDER, "d2"), "file": (FOLDER, "f2")},
        "d1": {"x": OLD, "gone": OLD}, "d2": {"x": RUN}, "f2": {"y": NEW},
    }  # fmt: skip
    assert set(changes("before", "after", folders.__getitem__)) == {
        PathChange("deep/x", OLD, RUN), PathChange("deep/gone", OLD, None), PathChange("file", OLD, None), PathChange("file/y", None, NEW),
    }  # fmt: skip
