"""Tokens of Ruby, Elixir and Swift: what is literal, at its line, in one pass."""

import pytest

from audit.ecosystems.formats.tokenizer import TokenKind, closing, closings, tokens, value

STRING, SYMBOL, LABEL, WORD, MARK = TokenKind.STRING, TokenKind.SYMBOL, TokenKind.LABEL, TokenKind.WORD, TokenKind.MARK


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("gem \"a\", 'b' # c", [(WORD, "gem"), (STRING, "a"), (MARK, ","), (STRING, "b")]),
        ("group :x, y: 1", [(WORD, "group"), (SYMBOL, "x"), (MARK, ","), (LABEL, "y"), (MARK, "1")]),
        ('"a": :"b.c"', [(LABEL, "a"), (SYMBOL, "b.c")]),
        ("A::B", [(WORD, "A"), (MARK, ":"), (SYMBOL, "B")]),
        ("%q<rake>.freeze", [(STRING, "rake"), (MARK, "."), (WORD, "freeze")]),
        ('"a \\" b"', [(STRING, 'a \\" b')]),
        ('"open\nx', [(STRING, "open"), (WORD, "x")]),
        ('"""\ngem "a"\n""" b', [(WORD, "b")]),
        ("=begin\ngem 'a'\n=end\nb", [(WORD, "b")]),
        ("/* a\n */ b // c", [(WORD, "b")]),
    ],
)
def test_kinds(content, expected):
    """Each piece is what it is in these languages."""
    assert [(one.kind, one.text) for one in tokens(content) if one.kind is not TokenKind.LINE] == expected


def test_lines():
    """Counted over texts of several lines, too."""
    assert [(one.text, one.line) for one in tokens('a\n"""\n\n"""\nb') if one.text] == [("a", 1), ("b", 5)]


def test_brackets():
    """The value behind a place: alone, or in brackets; one that is not closed goes on to the end."""
    read = tokens("[:a, [:b], c] :d {:e")
    assert [one.text for one in value(read, 0)[0]] == ["a", "b"]
    assert [one.text for one in value(read, closing(read, 0) + 1)[0]] == ["d"]
    assert [one.text for one in value(read, closing(read, 0) + 2)[0]] == ["e"]
    assert value(read, 99)[0] == []


def test_all_closings_at_once():
    """What `closing` says of each place, also where nothing closes, and behind a bracket that nothing opened."""
    for source in ("a(b[c]{d}) e", "((", "))((a)", "", "f(g(h), [i]) ) j("):
        read = tokens(source)
        assert closings(read) == [closing(read, at) if one.is_opening else at for at, one in enumerate(read)]


def test_where_a_value_ends():
    """What stands within it is no option beside it."""
    read = tokens("a: [:b, c: :d], e: :f")
    named, end = value(read, 1)
    assert [one.text for one in named] == ["b", "d"]
    assert [one.text for one in read[end + 1 :]] == [",", "e", "f"]
