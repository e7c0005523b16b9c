"""Links that are not followed are told in the same words by every kind of tree."""

import pytest

from audit.scan.checkout import scan
from audit.scan.file_tree import CIRCULAR_LINK, OUTSIDE_LINK, UnreadableFile


def test_an_unreadable_file_has_a_code_and_words():
    amiss = UnreadableFile("file/outside", OUTSIDE_LINK)
    assert (amiss.code, amiss.message, str(amiss)) == ("file/outside", OUTSIDE_LINK, OUTSIDE_LINK)


@pytest.mark.parametrize(
    ("target", "expected"),
    [("../elsewhere", ("file/outside", OUTSIDE_LINK)), ("package.json", ("file/unreadable", CIRCULAR_LINK))],
)
def test_a_link_that_leads_out_or_to_itself_is_a_finding(tmp_path, target, expected):
    root = tmp_path / "repo"
    root.mkdir()
    (tmp_path / "elsewhere").write_text("{}")
    (root / "package.json").symlink_to(target)
    found = scan(root, name="x", detect=lambda _text, _path: None).findings
    assert [(finding.code, finding.message) for finding in found] == [expected]
