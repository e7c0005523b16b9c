"""The checks that let readers take whatever a stranger wrote."""

from audit.ecosystems import reading
from audit.ecosystems.reading import dependency_at
from audit.facts import Dependency, Place, Usage


def test_shapes():
    """The wrong kind is an empty one."""
    assert [reading.table(7), reading.rows({}), reading.text(None), reading.texts("a"), reading.texts(["a", 1])] == [
        {},
        [],
        "",
        ["a"],
        ["a"],
    ]


def test_text_can_be_written():
    """Half of a pair of surrogates can't."""
    assert reading.text("é\ud800").encode() == "é?".encode()


def test_said():
    """One line, not too long."""
    assert reading.said(" a\n b ") == "a b"
    assert len(reading.said("x" * 10_000)) == reading.SAID


def test_a_dependency_at_a_place():
    """What is empty is no version; what a file does not say stays as it is by default."""
    place = Place("a.lock", 3, "a 1")
    assert dependency_at(place, "a", "", None, Usage.BUILD_TOOL, "a.lock") == Dependency(
        name="a", usage=Usage.BUILD_TOOL, why="a.lock", places=(place,)
    )
    assert dependency_at(place, "a", "1", "pkg:generic/a@1", Usage.UNKNOWN, "", direct=True).direct is True
