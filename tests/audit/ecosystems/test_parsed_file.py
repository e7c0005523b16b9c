"""Checks of values from untrusted files."""

import re

from audit.ecosystems import parsed_file
from audit.ecosystems.parsed_file import AskedLibrary, BuildFile, dependency_at
from audit.facts import Dependency, Place, Usage


def test_a_value_of_the_wrong_kind_becomes_an_empty_one():
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


def test_lone_surrogates_are_replaced():
    """They cannot be written as UTF-8."""
    assert parsed_file.text("é\ud800").encode() == "é?".encode()


def test_the_first_line_of_each_match_counts():
    lines = parsed_file.first_lines('"a" "b"\n\n"b" "c"', re.compile(r'"(\w)"'))
    assert lines == {"a": 1, "b": 1, "c": 3}


def test_quoted_text_is_one_line_of_limited_length():
    assert parsed_file.said(" a\n b ") == "a b"
    assert len(parsed_file.said("x" * 10_000)) == parsed_file.MAX_QUOTED_CHARACTERS


def test_a_dependency_at_a_place_has_an_empty_version_as_none():
    place = Place("a.lock", 3, "a 1")
    assert dependency_at(place, "a", "", None, Usage.BUILD_TOOL, "a.lock") == Dependency(
        name="a", usage=Usage.BUILD_TOOL, why="a.lock", places=(place,)
    )
    assert dependency_at(place, "a", "1", "pkg:generic/a@1", Usage.UNKNOWN, "", direct=True).direct is True


def test_an_empty_build_file_makes_and_asks_for_nothing():
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
