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
    ],
)
def test_broken_deep_or_aliased_yaml_is_refused_with_its_line(content, code, line):
    with pytest.raises(ParseError) as caught:
        yaml_text.top(content)

    assert (caught.value.code, caught.value.line) == (code, line)
