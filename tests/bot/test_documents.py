"""Foreign YAML becomes plain data with lines, or one sentence; nothing in it can cost much."""

import time

import pytest

from bot.documents import LARGEST, DocumentInvalid, read
from bot.hub.ports import UNREADABLE


def test_data_and_lines():
    """Every key and item knows its line; what is not there has the line of what it would stand in."""
    document = read("version: 1\npeople:\n  exempt:\n    - id: 7\n      login: x\n    - {id: 8}\n")
    assert document.data == {"version": 1, "people": {"exempt": [{"id": 7, "login": "x"}, {"id": 8}]}}
    assert document.line(("people",)) == 2
    assert document.line(("people", "exempt", 0, "login")) == 5
    assert document.line(("people", "exempt", 1)) == 6
    assert document.line(("people", "missing")) == 2
    assert document.error(("people",), "x") == "line 2: x"


@pytest.mark.parametrize("text", ["", "\n", "# only a comment\n"])
def test_empty(text):
    """An empty text is a document without data, not a mistake."""
    assert read(text).data is None


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("a: yes", "yes"),
        ("a: true", True),
        ("a: 2.0", 2.0),
        ('a: "2.0"', "2.0"),
        ("a: 2025-01-01", "2025-01-01"),
        ("a: 2025-01-01T00:00:00+08:00", "2025-01-01T00:00:00+08:00"),
        ("a: ~", None),
        ("a: [x, {b: c}]", ["x", {"b": "c"}]),
        ("b: &b [1]\na: *b", [1]),
    ],
)
def test_values(text, value):
    """YAML 1.2's plain types; dates stay as they were written, so that a zone is not lost."""
    assert read(text).data["a"] == value


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("a: 1\nb: 2\na: 3", "line 3: the key 'a' is here twice"),
        ("a: {b: 1,\n c: 1, b: 2}", "line 2: the key 'b' is here twice"),
        ("a: 1\n1: 2", "line 2: a key must be text, in quotes if need be"),
        ("? [a]\n: 2", "line 1: a key must be text, in quotes if need be"),
        (
            "a: !!python/object:os.system x",
            "line 1: the tag 'tag:yaml.org,2002:python/object:os.system' is not taken here",
        ),
        ("a: " + "9" * 5000, "line 1: no valid value"),
        ("a: [1, 2", "line 1: no valid YAML: expected ',' or ']', but got '<stream end>'"),
        ("a: *nothing", "line 1: no valid YAML: found undefined alias 'nothing'"),
        ("a: \x01", "line 1: no valid YAML: a character that YAML does not allow"),
        (UNREADABLE, "line 1: the file is too large, or is not UTF-8 text"),
        ("a: 1\n" * LARGEST, f"line 1: the file is larger than {LARGEST // 1024} KB"),
    ],
)
def test_mistakes(text, error):
    """Each mistake is one sentence with its line."""
    with pytest.raises(DocumentInvalid) as refused:
        read(text)
    assert refused.value.errors[0] == error


def test_all_mistakes_at_once():
    """One look shows every mistake."""
    with pytest.raises(DocumentInvalid) as refused:
        read("a: 1\na: 2\n3: x\n")
    assert len(refused.value.errors) == 2


@pytest.mark.parametrize(
    "text",
    [
        "a: " + "[" * 60_000,
        "{a: " * 20_000,
        "a: &a [*a]",
        "a0: &a0 [x,x,x,x,x,x,x,x]\n" + "".join(f"a{n}: &a{n} [{','.join([f'*a{n - 1}'] * 6)}]\n" for n in range(1, 9)),
        "a: &a x\nb: [" + "*a, " * 60 + "]",
    ],
    ids=["deep list", "deep mapping", "itself", "laughs", "aliases"],
)
def test_hostile_documents(text):
    """Depth, self-reference and expansion are refused quickly, never built."""
    before = time.monotonic()
    with pytest.raises(DocumentInvalid):
        read(text)
    assert time.monotonic() - before < 10
