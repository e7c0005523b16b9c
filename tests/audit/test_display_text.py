"""Strangers' words come out without what cannot be seen."""

import pytest

from audit import display_text


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        ("a\r\nb\rc\x0bd\u2028e", "a\nb\nc\nd\ne"),
        ("a\x00b\x1b[31mc\x7f", "ab[31mc"),
        ("\u202eevil\u202c\u2066x\u2069\ufeff", "evilx"),
        ("half \ud83d of a letter", "half \ufffd of a letter"),
        ("中文 é 😀\tx", "中文 é 😀\tx"),
    ],
)
def test_control_signs_and_turned_directions_go(words, shown):
    """Letters of every language stay; what hides or turns text does not."""
    assert shown == display_text.text(words)


def test_one_and_many():
    """With the right word, and commas within large numbers."""
    assert display_text.count(1, "use", "uses") == "1 use"
    assert display_text.count(1200, "use", "uses") == "1,200 uses"


def test_one_line_of_so_many_characters():
    """Space of any kind is one blank; what is cut says so."""
    assert display_text.line("  a\n\n b\t c ") == "a b c"
    assert display_text.line("x" * 50, 10) == "x" * 9 + "…"
