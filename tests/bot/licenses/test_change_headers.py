"""A pull request's new files are looked at for their header; those that were there before are left in peace."""

import pytest

from audit.headers.header_rule import HeaderRule
from bot.github.audit_ports import GitTree, TreeEntry
from bot.github.ports import Files
from bot.licenses.change_headers import lacking

TAG = HeaderRule(spdx="MIT")
GOOD = "# SPDX-License-Identifier: MIT\n"


def tree(files):
    """A tree whose blobs are called by what they say."""
    return GitTree("sha", tuple(TreeEntry(path, text, len(text)) for path, text in files.items()))


def told(added, before, after, *, complete=True, header=TAG, gone=()):
    """Code and path of each finding, and what was fetched."""
    fetched = []

    def fetch(sizes):
        fetched.extend(sizes)
        return {sha: sha.encode() for sha in sizes if sha not in gone}

    found = lacking(
        Files(tuple(added), complete=complete, added=tuple(added)), (tree(before), tree(after)), header, fetch
    )
    return [(one.code, one.place.path) for one in found], fetched


OLD = {"old.py": "old\n"}
NEW = {
    **OLD,
    "a.py": "x\n",
    "b.py": GOOD,
    "c.py": "# SPDX-License-Identifier: ISC\n",
    "d.md": "x",
    "vendor/e.py": "x",
    "f.py": "",
}


@pytest.mark.parametrize("complete", [True, False])
def test_new_files(complete):
    """Only those, and of them only source code; also where GitHub does not list them all."""
    found, fetched = told([path for path in NEW if path not in OLD] if complete else [], OLD, NEW, complete=complete)
    assert found == [("header/missing", "a.py"), ("header/other", "c.py")]
    assert sorted(fetched) == sorted([NEW["a.py"], NEW["b.py"], NEW["c.py"], ""])


def test_nothing_new():
    """What a change only edits or moves is not asked, and nothing is fetched."""
    assert told([], OLD, {"old.py": "edited\n", "moved.py": "x\n"}) == ([], [])


def test_a_link_and_a_large_file():
    """Are left out."""
    entries = (TreeEntry("a.py", "x", 1, link=True), TreeEntry("b.py", "y", 2_000_001))
    assert lacking(Files(added=("a.py", "b.py")), (tree({}), GitTree("sha", entries)), TAG, {}.__getitem__) == ()


def test_more_than_are_looked_at():
    """It is said, so that the change does not pass unseen; so is a file that is gone."""
    many = {f"{number:04}.py": GOOD for number in range(1_001)}
    assert told(many, {}, many)[0] == [("tree/cut-short", ".")]
    assert told(["a.py"], {}, {"a.py": "x\n"}, gone=["x\n"])[0] == [("file/unreadable", "a.py")]
