"""docs/reference/asvs.csv has every requirement of the levels 1 and 2 once, and what it names exists; the pages count them."""

import csv
import re
from collections import Counter
from hashlib import sha256
from pathlib import Path

import pytest

from tests.test_docs import anchors

ROOT = Path(__file__).parents[2]
LIST = ROOT / "tests/cases/asvs-5.0.0.csv"
SHA256 = "87669487caed69e51502fed6b1399bb808366112723ad995e82af74d87d64234"
SECURITY = (ROOT / "docs/explanation/security.md").read_text(encoding="utf-8")
VERDICTS = ("met", "not met", "not applicable")
REFERENCE = ROOT / "docs/reference"
with (REFERENCE / "asvs.csv").open(encoding="utf-8", newline="") as lines:
    ROWS = list(csv.reader(lines))[1:]


def wanted():
    """Level by number, of all requirements."""
    lines = [line.split(",") for line in LIST.read_text(encoding="utf-8").splitlines() if line[:1].isdigit()]
    return {number: int(level) for number, level in lines}


def test_the_list_is_the_standards():
    assert sha256(LIST.read_bytes()).hexdigest() == SHA256
    assert Counter(wanted().values()) == {1: 70, 2: 183, 3: 92}


def test_every_requirement_stands_once_in_order():
    assert [(name.removeprefix("v5.0.0-"), int(level)) for name, level, *_ in ROWS] == [
        (number, level) for number, level in wanted().items() if level < 3
    ]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_each_row_has_a_place_and_a_test_or_a_reason(row):
    _, _, asks, verdict, told = row
    files = re.findall(r"`([a-z][\w.-]*/[\w./-]+|pyproject\.toml|app\.yaml)`", told)
    pages = re.findall(r"\(([\w./-]+\.md)(?:#([\w-]+))?\)", told)

    assert asks
    assert verdict in VERDICTS
    assert [name for name in files if not (ROOT / name).exists()] == []
    assert [(name, part) for name, part in pages if part not in {"", *anchors(REFERENCE / name)}] == []
    if verdict == "met":
        assert [name for name in files if name.startswith("tests/")], "no test"
        assert [name for name in files if not name.startswith("tests/")], "no place"
    elif verdict == "not met":
        assert re.fullmatch(r"\S.+\. Operator: \S.+\.", told)
    else:
        assert told


def test_the_explanation_of_security_has_the_same_counts():
    counted = Counter(row[3] for row in ROWS)
    met, not_met, not_applicable = (counted[verdict] for verdict in VERDICTS)

    assert f"{met} are met, {not_met} are not met and {not_applicable} do not apply" in SECURITY
