"""Lists and tables of texts in a program: what is spelled out, and that the rest is computed."""

import pytest

from audit.ecosystems.formats.python_program import parse
from audit.ecosystems.formats.python_values import PythonValues

KEYS = frozenset({"needs"})


def spelled(content):
    """The texts of `needs`, `…` for what is computed."""
    program = parse(content, KEYS)
    texts = list(PythonValues(program).texts(program.stated["needs"], 1))
    return " ".join(text.words + ("" if text.whole else "…") for text in texts)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("['a', ('b',), {'c'}]", "a b c"), ("'a'", "a"), ("'a b'.split()", "a b"), ("'a\\nb'.splitlines()", "a b"),
        ("['a'] + ['b'] + x", "a b …"), ("['a'] if y else ['b']", "a b"), ("x or ['a']", "… a"), ("y > 1 and ['a']", "a"),
        ("[*['a'], *x]", "a …"), ("list(set(['a']))", "a"), ("sum([['a']], [])", "a"), ("chain(*[['a']])", "a"),
        ("[z for z in ['a'] if z]", "a"), ("[z for zs in [['a']] for z in zs]", "a"), ("[z + y for z in ['a']]", "…"),
        ("[k for k, v in {'a': 'b'}.items()]", "…"), ("[None, 'a', 1]", "a"), ("['a'][0]", "…"), ("{'a': 'b'}", "…"),
        ("f'a>={y}'", "a…"), ("'a[x]>=%s' % y", "a…"), ("'a~={}'.format(y)", "a…"), ("'a<' + y", "a…"),
        ("f'a{y}'", "…"), ("f'a'", "a"), ("f'{y}a'", "…"), ("'a-%s' % y", "…"), ("y + '>=1'", "…"), ("lambda: ['a']", "…"), ("a.b", "…"),
    ],
)  # fmt: skip
def test_values_are_spelled_out_or_computed(value, expected):
    assert spelled(f"f(needs={value})") == expected


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("a = ['x']\na = ['y']\nf(needs=a)", "x y"), ("a = b\nb = a\nf(needs=a)", ""),
        ("a = b = []\nb.append('x')\nf(needs=a)", "x"), ("a = []\na[0] = 'x'\nf(needs=a)", "x"),
        ("t = {'k': ['x'], 'l': ['y']}\nf(needs=t['k'])", "x"), ("t = {'k': ['x']}\nf(needs=t['z'])", "…"),
        ("t = {'k': ['x'], 'l': ['y']}\nf(needs=sum(t.values(), []))", "x y"), ("t = {}\nt[z] = ['x']\nf(needs=t['k'])", "x"),
        ("def g():\n    return ['x']\nf(needs=g())", "x"), ("def g(y):\n    return y\nf(needs=g(['x']))", "…"),
        ("def g():\n    return g()\nf(needs=g())", ""),
    ],
)  # fmt: skip
def test_a_name_stands_for_all_that_the_program_gives_it(content, expected):
    assert spelled(content) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("{'k': x, **{'l': x}}", ["k", "l"]), ("dict(k=x, **y)", ["k", None]), ("OrderedDict([('k', x)])", [None]),
        ("defaultdict(list)", []), ("{'k': x} if y else None", ["k"]), ("{'k': x} | {'l': x}", ["k", "l"]),
        ("{z: x}", [""]), ("load()", [None]), ("t.copy()", ["m"]), ("t", ["m"]), ("g()", ["n"]), ("{k: k for k in x}", [None]),
    ],
)  # fmt: skip
def test_the_keys_of_a_table_are_known_or_computed(value, expected):
    program = parse(f"t = {{}}\nt['m'] = x\ndef g():\n    return {{'n': x}}\nf(needs={value})", KEYS)
    assert [key for key, _ in PythonValues(program).table(program.stated["needs"][0])] == expected


def test_the_lines_of_texts_are_those_on_which_they_stand():
    program = parse('f(needs=["a",\n"""b\n c # why\n# d\n""", *x])', KEYS)
    found = PythonValues(program).texts(program.stated["needs"], 1)
    assert [(text.words, text.line) for text in found] == [("a", 1), ("b", 2), ("c", 3), ("", 5)]


def test_lists_that_hold_each_other_again_and_again_are_not_gone_through_for_ever():
    names = "\n".join(f"a{at} = a{at + 1} + ['x']\nb['k{at}'] = a{at}" for at in range(1_000))
    program = parse(f"b = {{}}\n{names}\nf(needs=b)", KEYS)
    values = PythonValues(program)
    found = [text for _, value in values.table(program.stated["needs"][0]) for text in values.texts([value], 1)]
    assert len(found) < 200_000
    assert not found[-1].whole


def test_a_text_of_many_lines_is_many_steps():
    lines = "\n".join(f"a{number}" for number in range(1_000))
    program = parse(f'x = """{lines}"""\nf(needs=x)', KEYS)
    values = PythonValues(program)
    found = [text for _extra in range(100) for text in values.texts(program.stated["needs"], 1)]
    assert 1_000 < len(found) < 20_000
    assert not found[-1].whole
