"""What a script of Python says itself that it needs (PEP 723)."""

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


def test_dependencies():
    """Each with its line; what is no requirement is a finding."""
    found = read("a.py", SCRIPT)
    assert [(one.name, one.version, one.usage.value, one.places[0].line) for one in found.dependencies] == [
        ("requests", None, "runtime-import", 5),
        ("rich", "13.1", "runtime-import", 6),
    ]
    assert [(one.code, one.place.line) for one in found.findings] == [("dependency/unreadable", 7)]


@pytest.mark.parametrize(
    "content", ["", "import a\n", "# /// script\nx = 1\n", "# /// other\n# dependencies = ['a']\n# ///\n"]
)
def test_no_block(content):
    """Then nothing is said."""
    assert read("a.py", content).dependencies == ()


def test_a_broken_block():
    """Is a finding of the file."""
    (found,) = ecosystems.read_inline("a.py", "# /// script\n# dependencies = [\n# ///\n").findings
    assert found.code == "file/broken"
