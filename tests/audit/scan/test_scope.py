"""What there is to be read at all is said before anything is claimed of it."""

import pytest

from audit.scan.assembly import assemble
from audit.scan.scope import Scope
from audit.scan.walk import Limits, walk
from audit.verdict.unreadable_input import nothing_found
from tests.audit.scan.test_walk import Memory, unnamed

BARE = {
    "HEAD": b"ref: refs/heads/main",
    "config": b"[core]\n\tbare = true\n",
    "objects/a/b": b"x",
    "refs/heads/main": b"1",
}


def found(files, **more):
    """The repository of a tree."""
    return assemble(walk(Memory(files, **more), Limits()), "o/r", unnamed)


@pytest.mark.parametrize(
    ("files", "code", "said"),
    [
        (BARE, "scope/bare", "there is nothing to read"),
        ({"README.md": b"x"}, "scope/no-source", "no file there could name a dependency"),
        ({"LICENSE": b"x", "docs/a.md": b"x"}, "scope/no-source", "no file there could name a dependency"),
        ({"a.css": b"x", "b/c.html": b"x"}, "scope/no-source", "no file there could name a dependency"),
        ({"a.c": b"int a;"}, None, "nothing is used"),
        ({"package.json": b"{}"}, None, "nothing is used"),
        ({"a.py": b"import os\n"}, None, "nothing is used"),
        ({"a.R": b"library(x)\n"}, "scope/language", "nothing was found in the files that are read"),
    ],
)
def test_what_there_is(files, code, said):
    """A kind of input for each; an ordinary one says nothing."""
    findings = found(files).findings
    assert [one.code for one in findings] == ([code] if code else [])
    assert nothing_found(findings) == said


@pytest.mark.parametrize("entered", [[("", [])], [("", [".git"])], [("", []), ("a", []), ("a/b", [])]])
def test_nothing_at_all(entered):
    """No file, a work tree's `.git` alone, folders in folders."""
    scope = Scope()
    for folder, names in entered:
        scope.enter(folder, names)
    assert [one.code for one in scope.findings((), has_sources=False)] == ["scope/empty"]
    assert list(Scope().findings((), has_sources=False)) == []


def test_submodules():
    """One whose folder is empty or not there is told, by itself; those of tests are left out."""
    modules = b"".join(
        b'[submodule "%b"]\n\tpath = %b\n\turl = https://x.example/%b\n' % (one, one, one)
        for one in (b"a", b"b/c", b"tests/d")
    )
    there = found({".gitmodules": modules, "a/x.c": b"int a;", "e.c": b"int a;"}).findings
    assert [(one.code, one.place.said) for one in there] == [("scope/submodule", "b/c")]
