"""Inline metadata of Python scripts (PEP 723)."""

import pytest

from audit import ecosystems
from audit.ecosystems.python.inline_metadata import read

SCRIPT = """#!/usr/bin/env -S uv run
# /// script
# requires-python = ">=3.11"
# dependencies = [
#   "requests<3",
#   "rich==13.1",
#   "not a requirement!",
# ]
# ///

import requests
"""


def test_each_dependency_of_a_script_has_its_line():
    found = read("a.py", SCRIPT)
    assert [
        (dependency.name, dependency.version, dependency.usage.value, dependency.places[0].line)
        for dependency in found.dependencies
    ] == [
        ("requests", None, "runtime-import", 5),
        ("rich", "13.1", "runtime-import", 6),
    ]
    assert [(finding.code, finding.place.line) for finding in found.findings] == [("dependency/unreadable", 7)]


@pytest.mark.parametrize(
    "content", ["", "import a\n", "# /// script\nx = 1\n", "# /// other\n# dependencies = ['a']\n# ///\n"]
)
def test_a_script_without_a_metadata_block_has_no_dependencies(content):
    assert read("a.py", content).dependencies == ()


def test_a_broken_metadata_block_is_a_finding_at_its_line():
    (found,) = ecosystems.read_inline("a.py", "\n# /// script\n# dependencies = 7 7\n# ///\n").findings
    assert (found.code, found.place.line) == ("file/broken", 3)


def test_a_source_that_the_block_gives_is_that_of_the_package():
    content = "# /// script\n# dependencies = ['a', 'b']\n# [tool.uv.sources]\n# a = {git = 'https://github.com/o/a'}\n# ///\n"
    assert [dependency.purl for dependency in read("a.py", content).dependencies] == ["pkg:github/o/a", "pkg:pypi/b"]
