"""Bytes become text, JSON and rows; every mistake of a file is named in one clear line."""

import csv
import io
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from agreements.imports.entries import RejectedEntry, UnreadableImport

MAX_FILE_BYTES = 50 * 1024 * 1024
"""The largest file that is read, in bytes."""

_MAX_ROWS = 1_000_000
_MAX_CELL_CHARACTERS = 131_072  # The limit of Python's `csv`, for both readers here.
_MAX_LINES_PER_ROW = 20
_MARK = "there is a quotation mark inside a cell, so the cells cannot be told apart"
_UTF16 = (b"\xff\xfe", b"\xfe\xff")


def text_of(content: bytes) -> str:
    """The text, without a byte order mark and with line feeds alone between its lines. Raises UnreadableImport."""
    if len(content) > MAX_FILE_BYTES:
        raise UnreadableImport(f"it has more than {MAX_FILE_BYTES // 1024**2} MB: split it")
    if content.startswith(_UTF16):  # as Excel's "Unicode text"
        raise UnreadableImport("it is UTF-16: save it as UTF-8")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise UnreadableImport(f"line {line}: not UTF-8: save it as UTF-8") from None
    if "\0" in text:
        raise UnreadableImport(
            f"line {text.count(chr(10), 0, text.index(chr(0))) + 1}: a NUL byte: the file is not text"
        )
    if not text.strip():
        raise UnreadableImport("it is empty")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def json_of(content: bytes) -> Any:
    """The value of a JSON file; a repeated key, NaN and Infinity are mistakes. Raises UnreadableImport."""
    try:
        # Python takes all three: RFC 8259 forbids NaN and Infinity (6), and warns of repeated keys (4).
        return json.loads(text_of(content), object_pairs_hook=_once, parse_constant=_no_number, parse_float=str)
    except json.JSONDecodeError as error:
        raise UnreadableImport(f"line {error.lineno}: not JSON: {error.msg}") from None
    except RecursionError:
        raise UnreadableImport("it is nested too deeply") from None
    except ValueError:  # A number of thousands of digits.
        raise UnreadableImport("it contains a number that cannot be read") from None


def listed(value: object, key: str) -> list[Any]:
    """The list under that key of an object. Raises UnreadableImport."""
    found = value.get(key) if isinstance(value, dict) else None
    if not isinstance(found, list):
        raise UnreadableImport(f"{key}: this list is missing")
    return found


def _once(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        twice = next(key for number, (key, _) in enumerate(pairs) if key in dict(pairs[:number]))
        raise UnreadableImport(f"the key {twice[:60]!r} appears twice in one object")
    return found


def _no_number(word: str) -> Any:
    raise UnreadableImport(f"{word} is not a number")


@dataclass(frozen=True, slots=True)
class TableRow:
    """One row of a table: the `line` where it ends, and its `cells` by the name of their column in lower case."""

    line: int
    cells: dict[str, str]

    def first(self, names: Sequence[str]) -> str:
        """The cell in the first of these columns that is filled; "" when none is."""
        return next((self.cells[name] for name in names if self.cells.get(name)), "")


def rows_of(content: bytes) -> tuple[tuple[str, ...], Iterator[TableRow]]:
    """The columns and rows of a CSV file with a head (commas, semicolons or tabs). Raises UnreadableImport."""
    text = text_of(content)
    reader = csv.reader(io.StringIO(text), delimiter=_separator(text), strict=True)
    head = tuple(cell.strip().lower() for cell in _next(reader) or ())
    return head, _rows(reader, head)


def unescaped_rows_of(content: bytes) -> tuple[tuple[str, ...], Iterator[TableRow | RejectedEntry]]:
    """The same of a program that puts cells between quotation marks and leaves those inside of them as they are.

    Raises UnreadableImport where a cell goes on in the next line and it can't be said how far.
    """
    text = text_of(content)
    records = _records(text.split("\n"), _separator(text))
    line, cells = next(records, (1, []))
    if cells is None:
        raise UnreadableImport(f"line {line}: {_MARK}")
    head = tuple(cell.lower() for cell in cells)
    return head, _told_apart(records, head)


def _separator(text: str) -> str:
    first = text.lstrip("\n").partition("\n")[0]
    return max(",;\t", key=first.count)  # Excel writes semicolons where the comma is the decimal sign.


def _told_apart(
    records: Iterator[tuple[int, list[str] | None]], head: Sequence[str]
) -> Iterator[TableRow | RejectedEntry]:
    for number, (line, cells) in enumerate(records):
        if number >= _MAX_ROWS:
            raise UnreadableImport(f"it has more than {_MAX_ROWS:,} rows: split it")
        if cells is None:
            yield RejectedEntry(f"line {line}", "", _MARK)  # With another mark inside it could be read in several ways.
        elif len(cells) != len(head):
            yield RejectedEntry(f"line {line}", "", f"{len(cells)} cells where the head has {len(head)}")
        else:
            # Reversed: a column that stands twice keeps its first cells.
            yield TableRow(line, dict(zip(reversed(head), reversed(cells), strict=True)))


def _records(lines: Sequence[str], separator: str) -> Iterator[tuple[int, list[str] | None]]:
    """The line where each row that is not empty ends, and its cells; None for a row with several readings."""
    cell = rf'(?:"[^"]*"|[^"\n{separator}]*)'
    whole, begun = re.compile(rf"{cell}(?:{separator}{cell})*"), re.compile(rf'(?:{cell}{separator})*"[^"]*')
    rest = iter(enumerate(lines, start=1))
    for first, start in rest:
        line, row, more = first, start, 0
        while begun.fullmatch(row):
            more += 1
            line, further = next(rest, (line, None))
            if further is None or more > _MAX_LINES_PER_ROW:  # An open mark must not swallow the rest of the file.
                raise UnreadableImport(f"line {first}: a quotation mark is not closed")
            row += f"\n{further}"
        if not whole.fullmatch(row):
            if more:
                raise UnreadableImport(f"line {first}: a cell continues on the next line, and it is not clear how far")
            yield line, None
            continue
        cells = [found.strip('"').strip() for found in re.findall(rf"(?:^|{separator})({cell})", row)]
        if any(len(cell) > _MAX_CELL_CHARACTERS for cell in cells):
            raise UnreadableImport(f"line {line}: a cell is longer than {_MAX_CELL_CHARACTERS:,} characters")
        if any(cells):
            yield line, cells


def _rows(reader: Any, head: Sequence[str]) -> Iterator[TableRow]:
    for number, cells in enumerate(iter(lambda: _next(reader), None)):
        if number >= _MAX_ROWS:
            raise UnreadableImport(f"it has more than {_MAX_ROWS:,} rows: split it")
        if len(cells) != len(head):  # Which cell is which could not be said.
            raise UnreadableImport(f"line {reader.line_num}: {len(cells)} cells where the head has {len(head)}")
        named = dict(zip(reversed(head), reversed([cell.strip() for cell in cells]), strict=True))
        yield TableRow(reader.line_num, named)


def _next(reader: Any) -> list[str] | None:
    """The next row that is not empty; None at the end."""
    try:
        row: list[str] | None = next((cells for cells in reader if any(cell.strip() for cell in cells)), None)
    except csv.Error as error:
        raise UnreadableImport(f"line {reader.line_num}: not CSV: {error}") from None
    if row is not None and any(len(cell) > _MAX_CELL_CHARACTERS for cell in row):
        raise UnreadableImport(f"line {reader.line_num}: a cell is longer than {_MAX_CELL_CHARACTERS:,} characters")
    return row
