"""Foreign YAML becomes plain data with lines, or one sentence; nothing in it can cost much."""

import re
import time

import pytest

from bot.github.ports import UNREADABLE
from bot.rulebook.yaml_document import MAX_DOCUMENT_CHARACTERS, DocumentInvalid, read


def test_every_key_and_item_knows_its_line():
    document = read("version: 1\npeople:\n  exempt:\n    - id: 7\n      login: x\n    - {id: 8}\n")
    assert document.data == {"version": 1, "people": {"exempt": [{"id": 7, "login": "x"}, {"id": 8}]}}
    assert document.line(("people",)) == 2
    assert document.line(("people", "exempt", 0, "login")) == 5
    assert document.line(("people", "exempt", 1)) == 6
    assert document.line(("people", "missing")) == 2
    assert document.error(("people",), "x") == "line 2: x"


@pytest.mark.parametrize("text", ["", "\n", "# only a comment\n"])
def test_an_empty_text_is_a_document_without_data(text):
    assert read(text).data is None


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("a: yes", "yes"),
        ("a: true", True),
        ("a: 2.0", 2.0),
        ("a: 0", 0),
        ("a: -12", -12),
        ('a: "0x10"', "0x10"),
        ('a: "2.0"', "2.0"),
        ("a: 2025-01-01", "2025-01-01"),
        ("a: 2025-01-01T00:00:00+08:00", "2025-01-01T00:00:00+08:00"),
        ("a: ~", None),
        ("a: [x, {b: c}]", ["x", {"b": "c"}]),
        ("b: &b [1]\na: *b", [1]),
        ("b: &b key\n*b : 1\na: 2", 2),
        ("a: no", "no"),
        ("a: 12:30:00", "12:30:00"),
        ("\ufeffa: 1", 1),
        ("---\na: 1\n...\n", 1),
        ("a: !!str 2.0", "2.0"),
        ("a: 2025-13-45", "2025-13-45"),
        ("a: 2025-01-01T00:00:00", "2025-01-01T00:00:00"),
    ],
)
def test_plain_values_are_those_of_yaml_1_2_and_dates_stay_text(text, value):
    """A date that is read as one would lose its zone."""
    assert read(text).data["a"] == value


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("a: 1\nb: 2\na: 3", "line 3: the key 'a' appears twice"),
        ("a: {b: 1,\n c: 1, b: 2}", "line 2: the key 'b' appears twice"),
        ("a: 1\n1: 2", "line 2: a key must be text; put it in quotes"),
        ("? [a]\n: 2", "line 1: a key must be text; put it in quotes"),
        (
            "a: !!python/object:os.system x",
            "line 1: the tag 'tag:yaml.org,2002:python/object:os.system' is not allowed",
        ),
        ("a: " + "9" * 5000, "line 1: not a valid value"),
        ("a: 0x" + "f" * 5000, "line 1: not a valid value: the number is too large"),
        *(
            (f"a: {digits}", f"line 1: {digits}: write a number in decimal digits alone, or text in quotes")
            for digits in ("0x10", "010", "1_000", "0o17", "0b11", "+5", "-05", "1_0_0")
        ),
        ("a: !!int 010", "line 1: 010: write a number in decimal digits alone, or text in quotes"),
        ("a: &x 1\nb: &x 2", "line 2: the anchor 'x' appears twice"),
        ("a: 1\n---\nb: 2", "line 2: a second document begins here; a file can contain only one"),
        ("%YAML 1.1\n---\na: no", "line 2: lines that begin with %YAML or %TAG are not allowed"),
        ("%TAG ! tag:yaml.org,2002:\n---\na: 1", "line 2: lines that begin with %YAML or %TAG are not allowed"),
        ("%YAML " + "1" * 5000, "line 1: lines that begin with %YAML or %TAG are not allowed"),
        ("%YAML 1.3\n---\na: 1", "line 1: lines that begin with %YAML or %TAG are not allowed"),
        ("a: !!bool maybe", "line 1: not a valid value"),
        ("a: !!int", "line 1: not a valid value"),
        ("a: !!float ''", "line 1: not a valid value"),
        ("b: &b {x: 1}\na:\n  <<: *b", "line 3: merging with << is not allowed; write the keys out"),
        ("true: 1", "line 1: a key must be text; put it in quotes"),
        ("2025-01-01: 1", "line 1: a key must be text; put it in quotes"),
        (": 1", "line 1: a key must be text; put it in quotes"),
        ("a: !!set {x}", "line 1: the tag 'tag:yaml.org,2002:set' is not allowed"),
        ("a: !!binary aGk=", "line 1: the tag 'tag:yaml.org,2002:binary' is not allowed"),
        ("a: !x [1]", "line 1: the tag '!x' is not allowed; text that begins with ! must be in quotes"),
        ("a: [!x , y]", "line 1: the tag '!x' is not allowed; text that begins with ! must be in quotes"),
        (
            "a: x\n\tb: 1",
            "line 2: not valid YAML: found character '\\t' that cannot start any token, write spaces, not tabs",
        ),
        ("a: [1, 2", "line 1: not valid YAML: expected ',' or ']', but got '<stream end>'"),
        (
            "a: *nothing",
            "line 1: not valid YAML: found undefined alias 'nothing', text that begins with * must be in quotes",
        ),
        ("ann@mail.example: 1\nann@mail.example: 2", "line 2: the key 'a…n@mail.example' appears twice"),
        ("x: &ann@mail.example 1\ny: &ann@mail.example 2", "line 2: the anchor 'a…n@mail.example' appears twice"),
        ("a: \ud800", "line 1: not valid YAML: a character that YAML does not allow"),
        ("a: \x01", "line 1: not valid YAML: a character that YAML does not allow"),
        (UNREADABLE, "line 1: the file is too large, or is not UTF-8 text"),
        ("a: 1\n" * MAX_DOCUMENT_CHARACTERS, f"line 1: the file is larger than {MAX_DOCUMENT_CHARACTERS // 1024} KB"),
    ],
)
def test_each_mistake_is_one_sentence_with_its_line(text, error):
    with pytest.raises(DocumentInvalid) as refused:
        read(text)
    assert refused.value.errors[0] == error


@pytest.mark.parametrize(
    ("value", "hint"),
    [
        ("[*]", "text that begins with * must be in quotes"),
        ("[*ops, x]", "text that begins with * must be in quotes"),
        ("[[a-z]*]", "text that begins with * must be in quotes"),
        ("& x", "text that begins with & must be in quotes"),
        ("@x", "text that begins with this character must be in quotes"),
        ("`x`", "text that begins with this character must be in quotes"),
    ],
)
def test_a_missing_quote_is_named_with_its_line(value, hint):
    with pytest.raises(DocumentInvalid) as refused:
        read(f"match:\n  {value}\n")
    (error,) = refused.value.errors
    assert error.startswith("line 2: not valid YAML: ")
    assert error.endswith(hint)


def test_every_mistake_is_told_at_once():
    with pytest.raises(DocumentInvalid) as refused:
        read("a: 1\na: 2\n3: x\n")
    assert len(refused.value.errors) == 2


@pytest.mark.parametrize(
    "text",
    [
        "a: " + "[" * 60_000,
        "{a: " * 20_000,
        "a: &a [*a]",
        "a: &a {b: *a}",
        "a:\n" + "- x\n" * 30_000,
        "a: [" + "[]," * 20_000 + "]",
        "?\n" * 20_000,
        "\n".join(f"a{n}: &a{n} {n}" for n in range(5000)),
        "a: *" + "x" * 120_000,
        "a0: &a0 [x,x,x,x,x,x,x,x]\n" + "".join(f"a{n}: &a{n} [{','.join([f'*a{n - 1}'] * 6)}]\n" for n in range(1, 9)),
        "a: &a x\nb: [" + "*a, " * 60 + "]",
    ],
    ids=[
        "deep list",
        "deep mapping",
        "itself",
        "itself by key",
        "items",
        "flow",
        "keys",
        "anchors",
        "name",
        "laughs",
        "aliases",
    ],
)
def test_hostile_documents_are_refused_quickly_in_one_line(text):
    before = time.monotonic()
    with pytest.raises(DocumentInvalid) as refused:
        read(text)
    (error,) = refused.value.errors
    assert re.fullmatch("line [0-9]+: .{10,200}", error)
    assert time.monotonic() - before < 10
