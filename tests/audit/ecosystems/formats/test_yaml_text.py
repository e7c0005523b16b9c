"""YAML as texts with lines."""

import pytest

from audit.ecosystems.formats import yaml_text
from audit.ecosystems.parsed_file import ParseError


def test_yaml_values_stay_text_and_never_become_objects():
    read = yaml_text.top("a: 1.0\nb: {c: yes}\nd: [2020-01-01, ~]\n? [x]\n: !!python/object:os.system y\n")

    assert read == {"a": "1.0", "b": {"c": "yes"}, "d": ["2020-01-01", "~"], "": "y"}
    assert (read.lines["b"], read["b"].lines["c"], read["b"].line) == (2, 2, 2)


@pytest.mark.parametrize(
    ("content", "code", "line"),
    [
        ("a: &x [1]\nb: *x", "file/refused", 2),
        ("[" * 200, "file/refused", 1),
        ("a: [", "file/broken", 2),
        ("a: \x00", "file/broken", None),
        ("- a", "file/broken", 1),
        ("a: 1\n---\nb: 2\n", "file/broken", 2),
        ("a: 1\n...\n# more\n--- b\n", "file/broken", 4),
        ("a: 1\n---\nb: [", "file/broken", 4),
    ],
)
def test_broken_deep_or_aliased_yaml_is_refused_with_its_line(content, code, line):
    with pytest.raises(ParseError) as caught:
        yaml_text.top(content)

    assert (caught.value.code, caught.value.line) == (code, line)


@pytest.mark.parametrize(
    "content", ["---\na: 1\n---\n", "a: 1\n...\n", "---\n# said\n---\na: 1\n", "--- {a: 1}\n---\n---\n"]
)
def test_documents_that_hold_nothing_do_not_count(content):
    assert yaml_text.top(content) == {"a": "1"}


def test_the_mappings_of_several_documents_are_read_as_one_with_their_lines():
    read = yaml_text.merged("---\na: {b: 1, c: 2}\nd: 1\n---\na: {c: 3, e: 4}\nd: [2]\n")

    assert read == {"a": {"b": "1", "c": "3", "e": "4"}, "d": ["2"]}
    assert (read.lines, read["a"].lines) == ({"a": 5, "d": 6}, {"b": 2, "c": 5, "e": 5})


@pytest.mark.parametrize(("content", "line"), [("", 1), ("a: 1\n---\n- b\n", 2), ("a: 1\n---\nb: *c\n", 3)])
def test_each_of_several_documents_has_to_be_a_mapping_without_aliases(content, line):
    with pytest.raises(ParseError) as caught:
        yaml_text.merged(content)

    assert caught.value.line == line
