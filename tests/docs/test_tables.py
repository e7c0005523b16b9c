"""The CSV files of docs/reference that are written by hand have whole rows, and name usages and settings that there are."""

import csv
import re
from pathlib import Path

import pytest

from audit.facts import Usage
from bot.settings import NAMES
from docs import generate

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
    named = {one for row in rows(generate.REFERENCE / "usages.csv")[1:] for one in row[0].split(", ")}

    assert named - {"as they say"} <= set(Usage)
