"""The checks that let readers take whatever a stranger wrote."""

import re

from audit.ecosystems import parsed_file
from audit.ecosystems.parsed_file import AskedLibrary, BuildFile, dependency_at
from audit.facts import Dependency, Place, Usage


def test_shapes():
    """The wrong kind is an empty one."""
    assert [
        parsed_file.table(7),
        parsed_file.rows({}),
        parsed_file.text(None),
        parsed_file.texts("a"),
        parsed_file.texts(["a", 1]),
    ] == [
        {},
        [],
        "",
        ["a"],
        ["a"],
    ]


def test_text_can_be_written():
    """Half of a pair of surrogates can't."""
    assert parsed_file.text("é\ud800").encode() == "é?".encode()


def test_first_lines():
    """Of a text that stands on several lines the first counts; one line may have several."""
    lines = parsed_file.first_lines('"a" "b"\n\n"b" "c"', re.compile(r'"(\w)"'))
    assert lines == {"a": 1, "b": 1, "c": 3}


def test_said():
    """One line, not too long."""
    assert parsed_file.said(" a\n b ") == "a b"
    assert len(parsed_file.said("x" * 10_000)) == parsed_file.MAX_QUOTED_CHARACTERS


def test_a_dependency_at_a_place():
    """What is empty is no version; what a file does not say stays as it is by default."""
    place = Place("a.lock", 3, "a 1")
    assert dependency_at(place, "a", "", None, Usage.BUILD_TOOL, "a.lock") == Dependency(
        name="a", usage=Usage.BUILD_TOOL, why="a.lock", places=(place,)
    )
    assert dependency_at(place, "a", "1", "pkg:generic/a@1", Usage.UNKNOWN, "", direct=True).direct is True


def test_a_file_that_says_nothing():
    """Makes nothing and asks for nothing; what is asked for is looked for unless the linker names it."""
    empty = BuildFile()
    assert not any(
        (
            empty.asked,
            empty.libraries,
            empty.packages,
            empty.projects,
            empty.spaces,
            empty.commands,
            empty.wraps,
            empty.linkage,
        )
    )
    assert not AskedLibrary("tea", Dependency(name="tea")).is_linked
