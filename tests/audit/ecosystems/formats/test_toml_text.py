"""TOML with the lines of its keys."""

import pytest

from audit.ecosystems.formats import toml_text
from audit.ecosystems.parsed_file import ParseError

CONTENT = """a = "x"
[t]
"b c" = ["x", 'y',
  "x"]
d.e = 1
[[p]]
n = 1
[t.u.'v']
[[p]]
"""


def test_tables_keys_dotted_keys_and_strings_have_their_lines():
    lines = toml_text.TomlLines(CONTENT)

    assert [
        lines.key("", "a"),
        lines.key("t", "bc"),
        lines.key("t", "d"),
        lines.key("t.d", "e"),
        lines.key("t.u", "v"),
    ] == [1, 3, 5, 5, 8]
    assert [lines.key("t", "none"), lines.key("none", "none")] == [2, None]
    assert [lines.string("x"), lines.string("x", "t", "d"), lines.string("y"), lines.string("z", "t", "d")] == [
        1,
        5,
        3,
        5,
    ]


def test_lists_of_archives_are_blanked_and_lines_stay():
    content = '[[package]]\nname = "a"\nsdist = { url = "x" }\nwheels = [\n  { url = "]" },\n]\n[[package]]\n'
    assert toml_text.without_files(content) == '[[package]]\nname = "a"\n\n\n\n\n[[package]]\n'


@pytest.mark.parametrize("content", ["[", "a = [" * 3000, "a." * 100 + "b = 1", "a = 1" + "0" * 5000, "\x00"])
def test_broken_toml_raises_only_a_parse_error(content):
    with pytest.raises(ParseError):
        toml_text.load(content)


@pytest.mark.parametrize(
    ("content", "found"),
    [
        ("x = 1\n[[p]]\na = 1\n[p.b]\nc = 2\n[[p]]\nd = 3\n[[p.e]]\nf = 4\n[m]\ng = 5\n",
         [(2, "a", "\na = 1\n[p.b]\nc = 2"), (6, "d", "\nd = 3\n[[p.e]]\nf = 4")]),
        ("[[p]]\na = 1\n", [(1, "a", "\na = 1\n")]),
        (CONTENT, [(6, "n", "\nn = 1\n[t.u.'v']"), (9, None, "\n")]),
        ('x = """\n[[p]]\n"""\n[[p]]\na = 1\n', [(None, "a", "")]),
        ("p = [{a = 1}]", [(None, "a", "")]),
        ("p = 1", []),
        ("", []),
    ],
)  # fmt: skip
def test_elements_have_their_lines_and_text_where_those_are_certain(content, found):
    elements = toml_text.elements(content, "p")
    assert [(line, next(iter(entry), None), text) for line, entry, text in elements] == found


def test_archives_of_a_lock_file_are_kept_as_text_only():
    """Parsing the lists of archives would take most of the time."""
    content = '[[p]]\nname = "a"\nfiles = [\n    {file = "a.whl"},\n]\n'
    assert toml_text.elements(content, "p") == [(1, {"name": "a"}, content.removeprefix("[[p]]"))]
