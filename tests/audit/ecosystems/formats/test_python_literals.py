"""Lists in a program's text: found by name, followed once, closed brackets or not."""

from audit.ecosystems.formats import python_literals


def test_lists():
    """Lists, tuples, lone texts, another name; the first of a name counts."""
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


def test_calls():
    """The first text and the words of arguments."""
    content = 'f("a", static = true)\ng("b")\nf(x)\nf("c",\n required = "no")'
    assert python_literals.calls(python_literals.tokens(content), "f") == [
        ("a", 1, {"static": "true"}),
        ("c", 4, {"required": '"no"'}),
    ]


def test_long_texts_are_left_out():
    """Three quotes hold what is not code, closed or not."""
    assert python_literals.lists(python_literals.tokens("'''a = ['x']'''\na = ['y']\n\"\"\""), frozenset("a")) == {
        "a": [("y", 2)]
    }


def test_texts_that_are_not_closed():
    """They end with their line; a backslash at its end takes the next one in."""
    said = python_literals.lists(python_literals.tokens('a = ["x\\\ny", "z]\nb = ["u"]'), frozenset("ab"))
    assert said == {"a": [("x\\\ny", 1), ("z]", 2), ("u", 3)], "b": [("u", 3)]}
