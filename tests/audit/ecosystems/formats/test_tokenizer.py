"""Tokens of Ruby, Elixir and Swift: literals with their lines, in one pass."""

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
        ("/* a *//// c\nb", [(WORD, "b")]),
        ("'''it's\n{ a''' b", [(WORD, "b")]),
        ('""""$a"""" b', [(WORD, "b")]),
    ],
)
def test_each_token_has_its_kind(content, expected):
    assert [(token.kind, token.text) for token in tokens(content) if token.kind is not TokenKind.LINE] == expected


def test_lines_are_counted_across_strings_of_several_lines():
    assert [(token.text, token.line) for token in tokens('a\n"""\n\n"""\nb') if token.text] == [("a", 1), ("b", 5)]


def test_a_value_is_one_token_or_a_bracket_with_its_content():
    read = tokens("[:a, [:b], c] :d {:e")
    assert [token.text for token in value(read, 0)[0]] == ["a", "b"]
    assert [token.text for token in value(read, closing(read, 0) + 1)[0]] == ["d"]
    assert [token.text for token in value(read, closing(read, 0) + 2)[0]] == ["e"]
    assert value(read, 99)[0] == []


def test_all_closings_at_once_equal_the_closing_of_each_bracket():
    for source in ("a(b[c]{d}) e", "((", "))((a)", "", "f(g(h), [i]) ) j("):
        read = tokens(source)
        assert closings(read) == [closing(read, at) if token.is_opening else at for at, token in enumerate(read)]


def test_options_inside_a_value_do_not_belong_to_its_neighbour():
    read = tokens("a: [:b, c: :d], e: :f")
    named, end = value(read, 1)
    assert [token.text for token in named] == ["b", "d"]
    assert [token.text for token in read[end + 1 :]] == [",", "e", "f"]
