"""Statements and calls of build scripts: where they end, and what stands in them."""

import pytest

from audit.ecosystems.formats import gradle_calls
from audit.ecosystems.formats.tokenizer import tokens


def words(read):
    """The tokens as one text."""
    return " ".join(token.text for token in read)


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("a(1)\nb 2; c", ["a ( 1 )", "b 2", "c"]),
        ("a(\n  1\n)\nb 1,\n  2", ["a ( 1 )", "b 1 , 2"]),
        ("a(b { c\n d })", ["a ( b { c d } )"]),
        ("a\n  .b()", ["a . b ( )"]),
        ("x =\n  1", ["x = 1"]),
        ("a { b }\nelse c", ["a {", "b }", "c"]),
        ("a(\nb", ["a ( b ("]),
    ],
)
def test_a_statement_ends_with_its_line_a_brace_or_a_semicolon(content, expected):
    found = [(words(statement), end) for statement, end in gradle_calls.statements(tokens(content))]
    assert [f"{text} {end}".strip() for text, end in found if text] == expected


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ('if (a) if (b) c("d")', "c ( d )"),
        ("for (a in b) c(a)", "c ( a )"),
        ("a, b -> c(a)", "c ( a )"),
        ("if (a)", ""),
        ("iffy (a)", "iffy ( a )"),
    ],
)
def test_conditions_and_parameters_are_taken_off(content, expected):
    assert words(gradle_calls.without_condition(tokens(content))) == expected


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("a('b')", ("a", "( b )")),
        ('"a"("b")', ("a", "( b )")),
        ("add('a', 'b')", ("a", "( b )")),
        ("project.dependencies.add('a', 'b')", ("a", "( b )")),
        ("tasks.add('a', 'b')", ("tasks.add", "( a , b )")),
        ("a b: 'c'", ("a", "b c")),
        ("a", ("", "")),
        ("a - b", ("", "")),
        ("'a' - b", ("", "")),
    ],
)
def test_a_call_has_a_name_and_arguments(content, expected):
    name, arguments = gradle_calls.call(tokens(content))
    assert (name, words(arguments)) == expected


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("('a', b(c, d))", ["a", "b ( c , d )"]),
        ("['a', ['b', 'c'],]", ["a", "b", "c"]),
        ("'a', { b, c }", ["a", "{ b , c }"]),
        ("a: 'b', c: 'd'", ["a b", "c d"]),
        ("()", []),
        ("", []),
    ],
)
def test_arguments_are_told_apart_and_lists_taken_apart(content, expected):
    assert [words(argument) for argument in gradle_calls.arguments(tokens(content))] == expected
