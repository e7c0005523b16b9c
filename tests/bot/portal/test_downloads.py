"""Downloads are saved and not shown, and no spreadsheet calculates a cell of their tables."""

import csv
from io import StringIO

import pytest

from bot import spreadsheet
from bot.portal.downloads import download, named_download, table


@pytest.mark.parametrize("cell", ["=1+1", "+1", "-1", "@SUM(A1)", " =1", "\uff1d1", "x;=1", "x\n=1"])
def test_a_cell_that_a_spreadsheet_would_calculate_begins_with_an_apostrophe(cell):
    _, (found,), _ = csv.reader(StringIO(table(["a"], [[cell]]).removeprefix("\ufeff"), newline=""))
    assert found == spreadsheet.escape(cell) != cell


def test_a_table_quotes_cells_as_rfc_4180_and_ends_with_the_number_of_rows():
    assert table(["x", "y", "z"], [['a"b', "c,d", "e\nf"]]) == (
        '\ufeffx,y,z\r\n"a""b","c,d","e\nf"\r\n# complete: 1 row,,\r\n'
    )


def test_a_download_is_an_attachment_under_its_escaped_name():
    assert (
        download("[]", "application/json", "a.json").headers["Content-Disposition"] == 'attachment; filename="a.json"'
    )
    assert (
        named_download(b"", "text/plain", 'a"b.txt').headers["Content-Disposition"]
        == 'attachment; filename="a\\"b.txt"'
    )
