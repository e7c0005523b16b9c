"""Import files: text, JSON and tables are read, or refused in one line."""

import pytest

from agreements.imports import files
from agreements.imports.entries import UnreadableImport
from agreements.imports.files import MAX_FILE_BYTES, TableRow, json_of, rows_of, text_of, unescaped_rows_of


def test_a_byte_order_mark_and_crlf_are_no_part_of_the_text():
    assert text_of(b"\xef\xbb\xbfa\r\nb\rc\n") == "a\nb\nc\n"


@pytest.mark.parametrize(
    ("content", "line"),
    [
        (b"", "it is empty"),
        (b"\n \n", "it is empty"),
        ("a".encode("utf-16"), "it is UTF-16"),
        (b"a\nb\xff", "line 2: not UTF-8"),
        (b"a\nb\0", "line 2: a NUL byte"),
        (b" " * (MAX_FILE_BYTES + 1), "more than 50 MB"),
    ],
    ids=lambda value: value[:12] if isinstance(value, str) else "",
)
def test_files_of_wrong_encoding_or_size_are_refused(content, line):
    with pytest.raises(UnreadableImport, match=line):
        text_of(content)


@pytest.mark.parametrize(
    ("content", "line"),
    [
        (b'{"a": 1,\n "a": 2}', "'a' appears twice"),
        (b'{"a": NaN}', "NaN is not a number"),
        (b'{"a": -Infinity}', "-Infinity is not a number"),
        (b'{"a":\n}', "line 2: not JSON"),
        (b"[" * 100_000, "nested too deeply"),
        (b'{"a": ' + b"9" * 5000 + b"}", "a number that cannot be read"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_json_with_doubled_keys_bad_numbers_or_endless_nesting_is_refused(content, line):
    with pytest.raises(UnreadableImport, match=line) as caught:
        json_of(content)
    assert "\n" not in str(caught.value)


def test_rows_are_read_with_any_separator_and_lower_case_column_names():
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
def test_rows_with_the_wrong_number_of_cells_are_refused(content, line):
    with pytest.raises(UnreadableImport, match=line):
        list(rows_of(content)[1])


def test_unescaped_rows_are_read_unless_they_could_be_read_in_two_ways():
    for separator in b",;\t":
        text = b'A,B,a\r\n"1","2,\nx, y",3\r\n\r\n,,\n4,5"6,7\n8,"9""0",\n1,2\n" 3 ",,""\n'
        head, rows = unescaped_rows_of(text.replace(b",", bytes([separator])))
        assert head == ("a", "b", "a")
        read = [
            (row.line, row.cells["a"]) if isinstance(row, TableRow) else (row.where, row.reason[:11]) for row in rows
        ]
        assert read == [
            (3, "1"),
            ("line 6", "there is a "),
            ("line 7", "there is a "),
            ("line 8", "2 cells whe"),
            (9, "3"),
        ]


def test_the_most_rows_are_read_and_one_more_is_refused(monkeypatch):
    monkeypatch.setattr(files, "_MAX_ROWS", 1_000)
    content = b"a\n" + b"1\n" * 1_000
    assert sum(1 for _ in rows_of(content)[1]) == 1_000
    with pytest.raises(UnreadableImport, match="more than 1,000 rows: split it"):
        sum(1 for _ in rows_of(content + b"1\n")[1])


@pytest.mark.parametrize(
    ("content", "line"),
    [
        (b'a,"b\n', "line 1: a quotation mark is not closed"),
        (b'a,b"\n1,2\n', "line 1: there is a quotation mark inside"),
        (b'a,b\n1,"2\n3,4\n', "line 2: a quotation mark is not closed"),
        (b'a,b\n1,"2' + b"\nx" * 30 + b'"\n', "line 2: a quotation mark is not closed"),
        (b'a,b\n"1\nx" y,"2"\n3,4\n', "line 2: a cell continues on the next line"),
        (b"a,b\n" + b"x" * 200_000 + b",1\n", "line 2: a cell is longer"),
    ],
)
def test_a_table_with_an_unclosed_or_doubtful_cell_is_refused(content, line):
    """Otherwise text inside a cell could be taken for a row."""
    with pytest.raises(UnreadableImport, match=line):
        list(unescaped_rows_of(content)[1])


def test_a_line_inside_a_cell_is_not_taken_for_a_row():
    head, rows = unescaped_rows_of(b'a,b\n"x\nevil,true\ny",true\n')
    assert [row.cells["a"] for row in rows] == ["x\nevil,true\ny"]
    head, rows = unescaped_rows_of(b",,\n")
    assert (head, list(rows)) == ((), [])
