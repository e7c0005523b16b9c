"""What leaves open what is used: never a pass, on a pull request or in an audit."""

import pytest

from audit.facts import Finding, Place
from audit.verdict.unreadable_input import is_unreadable, nothing_found, unreadable


@pytest.mark.parametrize(
    ("code", "path", "expected"),
    [
        ("file/broken", "package-lock.json", True), ("file/refused", "pom.xml", True), ("file/too-large", "a/go.sum", True),
        ("file/unreadable", ".", True), ("file/outside", "requirements.txt", True), ("file/missing", "requirements.txt", True),
        ("dependency/unreadable", "requirements.txt", True), ("tree/cut-short", ".", True), ("file/broken", ".reuse/dep5", True), ("file/broken", ".reuse/x", False), ("file/broken", "a/REUSE.toml", True), ("scope/tags", ".", False), ("license/attribution", "a.py", False), ("tree/cut-short", "tests/x", True),
        ("file/broken", "tests/data/package.json", False), ("file/broken", "docs/requirements.txt", False),
        ("file/broken", "tests.json", True), ("file/encoding", "setup.cfg", False), ("file/cycle", "requirements.txt", False),
        ("license/nested", "a/LICENSE", False), ("license/not-asked", ".", False), ("license/mismatch", "LICENSE", False),
    ],
)  # fmt: skip
def test_what_leaves_it_open(code, path, expected):
    """By code; a broken fixture is no part of the work, a tree that was cut short is anywhere."""
    found = Finding(code, Place(path), "why")
    assert is_unreadable(found) is expected
    assert unreadable([found]) == ((found,) if expected else ())


def test_nothing_was_found():
    """Never plainly nothing while something was left open."""
    broken, nested = (
        Finding("file/broken", Place("go.sum"), "why"),
        Finding("license/nested", Place("a/LICENSE"), "why"),
    )
    assert nothing_found(iter([Finding("license/mismatch", Place("LICENSE"), "why")])) == "nothing is used"
    assert nothing_found(iter([nested])) == "only folders of unknown origin were found"
    weights = Finding("license/weights-unstated", Place("a.onnx"), "why")
    assert nothing_found(iter([weights])) == "only weights of unknown origin were found"
    assert nothing_found(iter([weights, nested])) == "only folders and weights of unknown origin were found"
    assert nothing_found(iter([nested, broken])) == "nothing was found in the files that could be read"
