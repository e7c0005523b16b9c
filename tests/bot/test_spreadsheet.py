"""No cell is a formula, however the file is taken apart; and every value comes back."""

import csv
import re
import time
import unicodedata
from io import StringIO
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bot.spreadsheet import escape, unescape

DOCUMENT = Path(__file__).parents[2] / "docs" / "reference" / "exports.md"
SIGNS = "=+-@\uff1d\uff0b\uff0d\uff20\u2212\ufe63\u207a"
VALUES = st.one_of(
    st.text(),
    st.text(alphabet=f"{SIGNS};,\t\r\n\v\x85\u2028 \xa0\u3000\ufeff\u200b\x00\"'a1", max_size=12),
)
ROWS = st.lists(st.lists(VALUES, min_size=1, max_size=4), min_size=1, max_size=4)


def written(rows):
    lines = StringIO()
    csv.writer(lines).writerows([escape(value) for value in row] for row in rows)
    return lines.getvalue()


def documented(cell):
    """What the lines of Python in the documentation make of a cell."""
    (code,) = re.findall(r"```python\n(.*?)```", DOCUMENT.read_text(encoding="utf-8"), re.DOTALL)
    names = {"cell": cell}
    exec(code, names)  # our own documentation
    return names["value"]


def cells(text):
    """Every cell that a spreadsheet may make of this, with and without a sign for quotation."""
    for separator in ",;\t":
        for row in csv.reader(StringIO(text, newline=""), delimiter=separator):
            yield from row
    for separator in ";\t":
        for line in text.splitlines():
            yield from (cell.strip('"') for cell in line.split(separator))


def is_formula(cell):
    """By the rule that stands in the documentation, spelled otherwise than in the product."""
    rest = cell
    while rest and (rest[0].isspace() or unicodedata.category(rest[0]) in {"Cc", "Cf", "Zs", "Zl", "Zp"}):
        rest = rest[1:]
    return rest[:1] != "" and unicodedata.normalize("NFKC", rest[0])[0] in "=+-@\u2212"


@pytest.mark.slow
@given(ROWS)
@example([["a;=1+1", "b"]])
@example([["x", "y;=1+1"]])
@example([['";=1']])
@example([['a;"=1', "b\t-2"]])
@example([["1;", "=1"], ["\n", "@x"]])
@example([['{"name": "x;=1+1"}']])
def test_no_cell_is_a_formula(rows):
    assert [cell for cell in cells(written(rows)) if is_formula(cell)] == []


@given(ROWS)
def test_each_value_comes_back_from_its_cell(rows):
    found = list(csv.reader(StringIO(written(rows), newline="")))
    assert [[unescape(cell) for cell in row] for row in found] == rows


@pytest.mark.parametrize(
    ("value", "cell"),
    [
        ("=1+1", "'=1+1"),
        ("\uff1d1+1", "'\uff1d1+1"),
        ("  @SUM(A1)", "'  @SUM(A1)"),
        ("\n=1", "'\n'=1"),
        ("a;=1;b;c", "a;'=1;b;c"),
        ("a\n- b", "a\n'- b"),
        ("'quoted'", "''quoted'"),
        ("ada@example.org", "ada@example.org"),
        ("2026-11-21", "2026-11-21"),
        ("Zhang, San", "Zhang, San"),
        ('{"name": "=1"}', '{"name": "=1"}'),
    ],
)
def test_the_documented_examples_hold(value, cell):
    assert escape(value) == cell
    assert unescape(cell) == value
    assert documented(cell) == value


@pytest.mark.slow
def test_every_sign_that_folds_into_one_of_a_formula_counts():
    """A spreadsheet of East Asia takes full width for the plain sign."""
    every = (chr(code) for code in range(0x110000) if not 0xD800 <= code < 0xE000)
    folding = [sign for sign in every if re.match("[=+\\-@]", unicodedata.normalize("NFKC", sign))]
    assert [sign for sign in folding if escape(sign) == sign] == []


@pytest.mark.parametrize("piece", [" ", ";", "; ", "\n", "'", '"', "=", "\n ", "\t"])
def test_a_long_value_takes_linear_time(piece):
    started = time.process_time()
    escape(piece * (1_000_000 // len(piece)))
    assert time.process_time() - started < 3
