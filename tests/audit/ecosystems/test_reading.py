"""The checks that let readers take whatever a stranger wrote."""

from audit.ecosystems import reading


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
