"""The CSV files of docs/reference that are written by hand name what there is; the site shows short ones in their page."""

import csv
import re
from pathlib import Path
from types import SimpleNamespace

import pytest

from audit.facts import Usage
from bot.settings import NAMES
from docs import generate, site_links

TABLES = sorted(path for path in generate.REFERENCE.glob("*.csv") if path.name not in generate.FILES)


def rows(path):
    """All rows, the head first."""
    with path.open(encoding="utf-8", newline="") as lines:
        return list(csv.reader(lines))


@pytest.mark.parametrize("path", TABLES, ids=lambda path: path.name)
def test_each_row_is_as_long_as_the_head(path: Path):
    head, *body = rows(path)

    assert body
    assert {len(row) for row in body} == {len(head)}
    assert all(row[0] for row in body)


@pytest.mark.parametrize("path", TABLES, ids=lambda path: path.name)
def test_a_table_names_settings_that_there_are(path: Path):
    named = set(re.findall(r"COUNTERSIGN_[A-Z_]+[A-Z]", path.read_text(encoding="utf-8")))

    assert {name.removesuffix("_FILE") for name in named} - {name.removesuffix("_FILE") for name in NAMES} == set()


def test_the_table_of_usages_names_only_these():
    named = {part for row in rows(generate.REFERENCE / "usages.csv")[1:] for part in row[0].split(", ")}

    assert named - {"as they say"} <= set(Usage)


def shown(line):
    """That line of a page of the reference, as the site has it."""
    page = SimpleNamespace(file=SimpleNamespace(src_uri="reference/routes.md"))
    return site_links.on_page_markdown(line, page, {"repo_url": "https://github.com/acme/app"})


def test_the_site_shows_a_table_below_the_line_that_begins_with_its_link():
    table = shown("[routes.csv](routes.csv) has every address.").partition("\n\n")[2].splitlines()

    assert table[:3] == [
        "| address | method | who | limit |",
        "| --- | --- | --- | --- |",
        "| / | GET | everybody |  |",
    ]
    assert "| /badge/&lt;owner>/&lt;name>.svg | GET | everybody | 300 per minute |" in table


def test_the_site_links_the_headings_that_a_table_names():
    table = shown("[settings.csv](settings.csv) has each setting.")

    assert "are stored, but not sent. See [Send mail](../how-to/mail.md) |" in table


@pytest.mark.parametrize("line", ["See [routes.csv](routes.csv).", "[into-gpl.csv](into-gpl.csv) has all pairs."])
def test_a_long_table_and_one_that_is_mentioned_stay_links(line):
    assert shown(line) == line


def test_patterns_of_files_are_no_markdown():
    assert r"| native | \*.c \*.h a\_b |" == site_links._table(["native", "*.c *.h a_b"], []).splitlines()[0]
