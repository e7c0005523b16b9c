"""A file that is not what it should be is one clear line."""

import pytest

from agreements.imports.entries import Unreadable
from agreements.imports.files import LARGEST, json_of, rows_of, text_of


def test_text():
    """A byte order mark and CRLF are no part of it."""
    assert text_of(b"\xef\xbb\xbfa\r\nb\rc\n") == "a\nb\nc\n"


@pytest.mark.parametrize(
    ("content", "line"),
    [
        (b"", "it is empty"),
        (b"\n \n", "it is empty"),
        ("a".encode("utf-16"), "it is UTF-16"),
        (b"a\nb\xff", "line 2: not UTF-8"),
        (b"a\nb\0", "line 2: a NUL byte"),
        (b" " * (LARGEST + 1), "more than 50 MB"),
    ],
    ids=lambda value: value[:12] if isinstance(value, str) else "",
)
def test_no_text(content, line):
    """Wrong encodings and sizes."""
    with pytest.raises(Unreadable, match=line):
        text_of(content)


@pytest.mark.parametrize(
    ("content", "line"),
    [
        (b'{"a": 1,\n "a": 2}', "'a' stands twice"),
        (b'{"a": NaN}', "NaN is no number"),
        (b'{"a": -Infinity}', "-Infinity is no number"),
        (b'{"a":\n}', "line 2: not JSON"),
        (b"[" * 100_000, "nested too deeply"),
        (b'{"a": ' + b"9" * 5000 + b"}", "a number that is none"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_no_json(content, line):
    """Twice the same key, numbers that are none, nesting without end."""
    with pytest.raises(Unreadable, match=line) as caught:
        json_of(content)
    assert "\n" not in str(caught.value)


def test_rows():
    """Any of three separators; names of columns in lower case; a column that stands twice keeps its first cells."""
    for separator in b",;\t":
        text = b'A,B,a\r\n1,"2\nx",3\r\n\r\n4,5,6\r\n'.replace(b",", bytes([separator]))
        head, rows = rows_of(text)
        assert head == ("a", "b", "a")
        assert [(row.line, row.cells) for row in rows] == [(3, {"a": "1", "b": "2\nx"}), (5, {"a": "4", "b": "5"})]


@pytest.mark.parametrize(
    ("content", "line"),
    [
        (b"a,b\n1\n", "line 2: 1 cells where the head has 2"),
        (b"a,b\n1,2,3\n", "line 2: 3 cells"),
        (b'a,b\n"1,2\n', "not CSV"),
        (b'a,b\n"1"x,2\n', "line 2: not CSV"),
        (b"a,b\n" + b"x" * 200_000 + b",1\n", "line 2: not CSV"),
    ],
)
def test_no_rows(content, line):
    """Cells that nobody could attribute."""
    with pytest.raises(Unreadable, match=line):
        list(rows_of(content)[1])
