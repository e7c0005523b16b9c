"""The dependencies and findings that a reader collects."""

import pytest

from audit.ecosystems.dependency_list import DependencyList
from audit.facts import Usage


def test_a_dependency_without_more_words_says_name_and_version_of_its_line():
    found = DependencyList("x/a.lock", own={"", "shop"})
    found.add(3, "a", "1", None, Usage.BUILD_TOOL, "a.lock")
    found.add(found.place(4, " b\n ~> 2 "), "b", "", None, Usage.BUILD_TOOL, "a.lock", direct=True)
    read = found.parsed()

    assert [str(dependency.places[0]) for dependency in read.dependencies] == [
        "x/a.lock:3 (a 1)",
        "x/a.lock:4 (b ~> 2)",
    ]
    assert [(dependency.version, dependency.direct) for dependency in read.dependencies] == [("1", None), (None, True)]
    assert (read.own, found.file) == ({"shop"}, "a.lock")


@pytest.mark.parametrize(
    ("report", "code"),
    [("broken", "file/broken"), ("unreadable", "dependency/unreadable"), ("undetermined", "dependency/undetermined")],
)
def test_findings_have_their_line(report, code):
    found = DependencyList("a.lock")
    getattr(found, report)(7, "why")

    assert [(finding.code, finding.place.line, finding.message) for finding in found.parsed().findings] == [
        (code, 7, "why")
    ]
