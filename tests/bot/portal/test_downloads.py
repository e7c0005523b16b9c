"""Files that pages hand out: tables that every spreadsheet reads and none calculates, saved and never shown."""

import csv
from io import StringIO

import pytest

from bot import spreadsheet
from bot.portal.downloads import download, named_download, table


@pytest.mark.parametrize("cell", ["=1+1", "+1", "-1", "@SUM(A1)", " =1", "\uff1d1", "x;=1", "x\n=1"])
def test_no_cell_is_a_formula(cell):
    """What a spreadsheet would calculate begins with an apostrophe; tests/bot/test_spreadsheet.py has every way."""
    _, (found,), _ = csv.reader(StringIO(table(["a"], [[cell]]).removeprefix("\ufeff"), newline=""))
    assert found == spreadsheet.escape(cell) != cell


def test_quotes_line_ends_and_the_end():
    """RFC 4180; the last line is as wide as the others."""
    assert table(["x", "y", "z"], [['a"b', "c,d", "e\nf"]]) == (
        '\ufeffx,y,z\r\n"a""b","c,d","e\nf"\r\n# complete: 1 row,,\r\n'
    )


def test_a_file_is_saved_and_not_shown():
    """Under its name; one that came from somewhere else is escaped."""
    assert (
        download("[]", "application/json", "a.json").headers["Content-Disposition"] == 'attachment; filename="a.json"'
    )
    assert (
        named_download(b"", "text/plain", 'a"b.txt').headers["Content-Disposition"]
        == 'attachment; filename="a\\"b.txt"'
    )
