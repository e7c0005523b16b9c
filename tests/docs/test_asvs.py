"""docs/reference/asvs.md has every requirement of the levels 1 and 2 once, and what it names exists; its summary counts them."""

import re
from collections import Counter
from hashlib import sha256
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LIST = ROOT / "tests/cases/asvs-5.0.0.csv"
SHA256 = "87669487caed69e51502fed6b1399bb808366112723ad995e82af74d87d64234"
PAGE = (ROOT / "docs/reference/asvs.md").read_text(encoding="utf-8")
SECURITY = (ROOT / "docs/explanation/security.md").read_text(encoding="utf-8")
SUMMARY = PAGE.partition("\n## Summary\n")[2].partition("\n## ")[0]
VERDICTS = ("met", "not met", "not applicable")
ROWS = [
    tuple(cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1])
    for line in PAGE.splitlines()
    if line.startswith("| v5.0.0-")
]
"""Requirement, level, what it asks, verdict, where or why."""


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
    below = re.findall(r"^## (\d+)\.|^\| v5\.0\.0-(\d+)\.", PAGE, re.MULTILINE)
    chapter = ""
    for heading, number in below:
        chapter = heading or chapter
        assert number in ("", chapter)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_each_row_has_a_place_and_a_test_or_a_reason(row):
    _, _, asks, verdict, told = row
    files = re.findall(r"`([a-z][\w.-]*/[\w./-]+|pyproject\.toml|app\.yaml)`", told)

    assert asks
    assert verdict in VERDICTS
    assert [name for name in files if not (ROOT / name).exists()] == []
    if verdict == "met":
        assert [name for name in files if name.startswith("tests/")], "no test"
        assert [name for name in files if not name.startswith("tests/")], "no place"
    elif verdict == "not met":
        assert re.fullmatch(r"\S.+\. Operator: \S.+\.", told)
    else:
        assert told


def test_the_counts_are_those_of_the_rows():
    counted = Counter((name.split("-")[1].split(".")[0], verdict) for name, _, _, verdict, _ in ROWS)
    titles = re.findall(r"^## ((\d+)\. .+)$", PAGE, re.MULTILINE)
    expected = [(title, [counted[number, verdict] for verdict in VERDICTS]) for title, number in titles]
    expected.append(("all", [sum(numbers) for numbers in zip(*(numbers for _, numbers in expected), strict=True)]))
    shown = re.findall(r"^\| (\d+\. [^|]+|all) \| (\d+) \| (\d+) \| (\d+) \| (\d+) \|$", SUMMARY, re.MULTILINE)

    assert [(title, [int(one) for one in numbers]) for title, *numbers in shown] == [
        (title, [*numbers, sum(numbers)]) for title, numbers in expected
    ]
    met, not_met, not_applicable = expected[-1][1]
    assert f"{met} are met, {not_met} are not met and {not_applicable} do not apply" in SECURITY
