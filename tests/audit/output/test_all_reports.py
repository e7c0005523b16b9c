"""All files of an audit, each where it belongs."""

from datetime import timedelta
from pathlib import PurePosixPath

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from audit.facts import Usage
from audit.output.all_reports import each
from audit.output.audit_run import build
from bot.spreadsheet import escape
from tests.audit.runs import ALL, AT, audited, organisation, used

EACH = {
    "NOTICE", "THIRD-PARTY-LICENSES", "sbom.spdx.json", "bom.cdx.json", "dependency-licenses.json", "dependencies.csv",
    "licenses.sarif",
}  # fmt: skip
TOP = {"LICENSE-COMPATIBILITY.md", "report.json", "report.html"}


def files(audited, at=AT):
    """All files of an audit by their paths."""
    return dict(each(build(audited, at), escape))


def test_all_of_them():
    """Three on top, seven in a folder for each repository."""
    assert set(files(organisation())) == TOP | {
        f"org/{name}/{one}" for name in ("work", "free", "empty") for one in EACH
    }


def test_only_the_moment_differs():
    """Of each file that says when it was made, one line; of the others none."""
    later = files(tuple(reversed(organisation())), AT + timedelta(days=1))

    for path, content in files(organisation()).items():
        different = [one for one, two in zip(content.splitlines(), later[path].splitlines(), strict=True) if one != two]
        assert len(different) <= 1, path
        assert all(b"2026-11-22T01:02:03Z" in line for line in different)


@pytest.mark.parametrize(
    "names",
    [
        ["../../etc", "/etc", "..", ".", "", "a/../b", ".git", "a\\b", "a b", "é"],
        ["org/a", "org/A", "ORG/a"],
        ["report.json", "org", "org/NOTICE", "org/con", "x/nul.txt"],
        ["a" * 300, "a" * 301, "x\x00y", "\ud83d"],
        ["same", "same", "same"],
    ],
)
def test_folders_lead_nowhere_else(names):
    """Whatever a repository is called, it has a folder of its own below the audit's, also where case does not count."""
    found = files([audited(name=name) for name in names])
    paths = [path.casefold() for path in found]

    assert len(found) == len(names) * len(EACH) + 3
    assert len(paths) == len(set(paths))
    assert not {parent.as_posix() for path in paths for parent in PurePosixPath(path).parents} & set(paths)
    for path in found:
        assert not path.startswith("/")
        assert not {"..", ".", "", ".git"} & set(path.split("/"))
        assert path.isascii()


@settings(max_examples=25, deadline=None)
@given(st.permutations(ALL), st.text(max_size=20))
def test_same_input_same_bytes(order, word):
    """Whatever the order of dependencies, and whatever a stranger's words."""
    strange = used(word, word, Usage.BUNDLED, version=word, why=word)

    assert files([audited(*order, strange)]) == files([audited(strange, *ALL)])
