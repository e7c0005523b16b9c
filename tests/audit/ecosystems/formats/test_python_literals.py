"""Lists in a program's text: found by name, followed once, closed brackets or not."""

from audit.ecosystems.formats import python_literals


def test_lists_tuples_and_lone_strings_are_found_by_their_name():
    content = "a = ['x', ('y',), # 'no'\n 'z']\nb = a\nc = 'one'\na = ['later']\nd = f(x, 'no')\ne = ["
    names = frozenset("abcdef")
    assert python_literals.lists(python_literals.tokens(content), names) == {
        "a": [("x", 1), ("y", 1), ("z", 2)],
        "b": [("x", 1), ("y", 1), ("z", 2)],
        "c": [("one", 4)],
        "d": [],
        "e": [],
        "f": [],
    }


def test_a_call_gives_its_first_string_and_its_keyword_arguments():
    content = 'f("a", static = true)\ng("b")\nf(x)\nf("c",\n required = "no")'
    assert python_literals.calls(python_literals.tokens(content), "f") == [
        ("a", 1, {"static": "true"}),
        ("c", 4, {"required": '"no"'}),
    ]


def test_triple_quoted_strings_are_left_out_even_if_unclosed():
    assert python_literals.lists(python_literals.tokens("'''a = ['x']'''\na = ['y']\n\"\"\""), frozenset("a")) == {
        "a": [("y", 2)]
    }


def test_an_unclosed_string_ends_with_its_line_unless_a_backslash_continues_it():
    said = python_literals.lists(python_literals.tokens('a = ["x\\\ny", "z]\nb = ["u"]'), frozenset("ab"))
    assert said == {"a": [("x\\\ny", 1), ("z]", 2), ("u", 3)], "b": [("u", 3)]}
