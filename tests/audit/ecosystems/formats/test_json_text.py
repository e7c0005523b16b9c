"""JSON with the lines of its keys."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from audit.ecosystems.formats import json_text
from audit.ecosystems.parsed_file import ParseError

KEYS = st.text(st.sampled_from('ab"{}\\\n é'), max_size=3)
VALUES = st.recursive(
    st.integers(0, 9) | KEYS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=6,
)


@settings(max_examples=60)
@given(st.dictionaries(KEYS, VALUES, max_size=4))
def test_json_is_read_like_the_standard_library_with_the_line_of_every_key(value):
    content = json.dumps(value, indent=1)
    read = json_text.top(content)
    lines = content.split("\n")

    assert read == value
    for key, line in read.lines().items():
        assert json.dumps(key) in lines[line - 1]
        if isinstance(value[key], dict):
            assert read[key].line == line


def test_braces_inside_strings_do_not_count():
    read = json_text.top('{"a{\\"": "}",\n "b": {\n"c": [{"}": 1},\n{"d": 2}]}}')

    assert read.lines() == {'a{"': 1, "b": 2}
    assert [element.line for element in read["b"]["c"]] == [3, 4]


@pytest.mark.parametrize("content", ["", "{", "{]", "1" * 5000, "[" * 100_000, '{"a": NaN]', "\x00", "{}}"])
def test_broken_json_raises_only_a_parse_error(content):
    with pytest.raises(ParseError):
        json_text.load(content)
