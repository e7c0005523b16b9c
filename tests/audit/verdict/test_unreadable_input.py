"""Unread input is never a pass, on a pull request or in an audit."""

from dataclasses import replace

import pytest

from audit.facts import Finding, Place, Usage
from audit.verdict.unreadable_input import is_not_read, is_unreadable, not_read, nothing_found, unjudged, unreadable
from tests.audit.runs import audited, used


@pytest.mark.parametrize(
    ("code", "path", "expected"),
    [
        ("file/broken", "package-lock.json", True), ("file/refused", "pom.xml", True), ("file/too-large", "a/go.sum", True),
        ("file/unreadable", ".", True), ("file/outside", "requirements.txt", True), ("file/missing", "requirements.txt", True),
        ("dependency/unreadable", "requirements.txt", True), ("tree/cut-short", ".", True), ("tree/cut-short", "tests/x", True), ("scope/empty", ".", True), ("scope/bare", ".", True), ("scope/sparse", "tests/x", True),
        ("scope/no-source", ".", False), ("scope/language", "a.R", False), ("scope/submodule", ".gitmodules", False), ("scope/checkout", "a", False), ("file/unsupported", "x", False), ("file/broken", ".reuse/dep5", True), ("file/broken", ".reuse/x", False), ("file/broken", "a/REUSE.toml", True), ("scope/tags", ".", False), ("license/attribution", "a.py", False),
        ("file/broken", "tests/data/package.json", False), ("file/broken", "docs/requirements.txt", False), ("file/broken", "src/templates/x/pom.xml", False), ("file/broken", "template.json", True),
        ("file/broken", "tests.json", True), ("file/encoding", "setup.cfg", False), ("file/cycle", "requirements.txt", False),
        ("license/nested", "a/LICENSE", False), ("license/not-asked", ".", False), ("license/mismatch", "LICENSE", False),
    ],
)  # fmt: skip
def test_a_broken_file_outside_of_fixtures_leaves_the_use_open(code, path, expected):
    found = Finding(code, Place(path), "why")
    assert is_unreadable(found) is expected
    assert unreadable([found]) == ((found,) if expected else ())


def test_nothing_is_said_to_be_used_only_if_nothing_is_open():
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


def test_unread_files_are_counted_once_for_each_kind():
    findings = (
        Finding("file/unsupported", Place("build.sbt", 3), "why"),
        Finding("file/unsupported", Place("build.sbt", 9), "another"),
        Finding("scope/language", Place("a.R"), "R (12 files)", 12),
        Finding("scope/submodule", Place(".gitmodules", None, "x"), "why"),
        Finding("license/source", Place("a.c"), "why", 5),
        Finding("scope/checkout", Place("b"), "why"),
    )
    assert (not_read(findings), str(not_read(findings))) == (
        (13, 1, 1),
        "13 files, 1 submodule and 1 checkout not read",
    )
    assert str(not_read(findings[2:4])) == "12 files and 1 submodule not read"
    assert (str(not_read(findings[:1])), str(not_read(()))) == ("1 file not read", "")
    assert not_read(findings).plus(not_read(findings[:1])) == (14, 1, 1)
    assert [is_not_read(finding) for finding in findings] == [True, True, True, True, False, True]
    assert nothing_found(findings[:1]) == "nothing was found in the files that are read"
    assert nothing_found([Finding("scope/empty", Place("."), "x")]) == "there is nothing to read"
    assert (
        nothing_found([Finding("scope/no-source", Place("."), "x")]) == "no file that is read could name a dependency"
    )


def test_an_audit_has_no_answer_if_nothing_was_read_or_a_file_was_unreadable():
    findings = (
        Finding("file/unsupported", Place("build.sbt"), "x"),
        Finding("file/broken", Place("go.sum"), "x"),
        Finding("license/nested", Place("a"), "x"),
    )
    nothing, something = (
        replace(audited(*uses), findings=findings) for uses in ((), (used("a", "MIT", Usage.VENDORED),))
    )
    assert unjudged(nothing) == findings[:2]
    assert unjudged(something) == findings[1:2]
