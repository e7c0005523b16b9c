"""What a program gives to its names and keys, in whatever statement."""

import ast

import pytest

from audit.ecosystems.formats.python_program import MAX_CHARACTERS, parse

KEYS = frozenset({"needs"})


@pytest.mark.parametrize(
    ("content", "values"),
    [
        ("a = b", ["b"]), ("a: list = b", ["b"]), ("a += b", ["b"]), ("a -= b", [None]), ("(a := b)", ["b"]),
        ("for a in b: pass", ["b"]), ("for x, a in b.items(): pass", ["b.items()"]), ("for x, a in b: pass", [None]),
        ("a.append(b)", ["b"]), ("a.update(b)", ["b"]), ("a.sort()", None), ("c = a = b", ["c"]),
        ("fill(a)", [None]), ("print(a)", None), ("setup(x=a)", None), ("fill(needs=a)", None),
        ("import a", [None]), ("from x import y as a", [None]), ("def f(a): pass", [None]), ("f(**a)", [None]),
    ],
)  # fmt: skip
def test_all_that_a_name_is_bound_to_is_known(content, values):
    bound = parse(content, KEYS).bound.get("a")
    assert (bound and [value and ast.unparse(value) for value in bound]) == values


@pytest.mark.parametrize(
    "content",
    [
        "f(needs=b)", "a = {'needs': b}", "a['needs'] = b", "a['needs'] += b", "a['needs'].append(b)", "a.needs = b",
        "a.setdefault('needs', b)", "a.setdefault('needs', []).append(b)", "a.update(needs=b)", "x.y['needs'] = b",
    ],
)  # fmt: skip
def test_the_value_of_a_key_is_known_wherever_it_stands(content):
    assert "b" in map(ast.unparse, parse(content, KEYS).stated["needs"])


def test_a_function_is_bound_to_what_it_returns():
    bound = parse("def f():\n    if a:\n        return b\n    return c", KEYS).bound["f()"]
    assert {ast.unparse(value) for value in bound} == {"b", "c"}


@pytest.mark.parametrize(
    "content", ["print 'x'", "a = [", "\0", "a = " + "(" * 500, "a+" * 50_000 + "a", "a" * (MAX_CHARACTERS + 1)]
)
def test_what_is_no_program_or_too_much_of_one_is_none(content):
    assert parse(content, KEYS) is None


@pytest.mark.parametrize("content", ["\ufeffa = 1", r"a = '\d'", "", "a = 1\r\n"])
def test_any_other_program_is_read_without_a_warning(content, recwarn):
    assert parse(content, KEYS) is not None
    assert not recwarn.list
