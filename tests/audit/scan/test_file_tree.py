"""What a tree says of links that are not followed, in the words that every kind of tree uses."""

import pytest

from audit.scan.checkout import scan
from audit.scan.file_tree import CIRCULAR_LINK, OUTSIDE_LINK, UnreadableFile


def test_what_is_amiss():
    """The finding's code, and words for people."""
    amiss = UnreadableFile("file/outside", OUTSIDE_LINK)
    assert (amiss.code, amiss.message, str(amiss)) == ("file/outside", OUTSIDE_LINK, OUTSIDE_LINK)


@pytest.mark.parametrize(
    ("target", "expected"),
    [("../elsewhere", ("file/outside", OUTSIDE_LINK)), ("package.json", ("file/unreadable", CIRCULAR_LINK))],
)
def test_links(tmp_path, target, expected):
    """Of a manifest that leads out of the tree, or to itself."""
    root = tmp_path / "repo"
    root.mkdir()
    (tmp_path / "elsewhere").write_text("{}")
    (root / "package.json").symlink_to(target)
    found = scan(root, name="x", detect=lambda _text, _path: None).findings
    assert [(one.code, one.message) for one in found] == [expected]
