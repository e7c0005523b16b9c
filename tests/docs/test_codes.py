"""docs/reference/codes.md explains exactly the problems that there are, codes.csv also the notes."""

import re
from pathlib import Path

import pytest

from bot import verdict_codes

TEXT = (Path(__file__).parents[2] / "docs" / "reference" / "codes.md").read_text(encoding="utf-8")
CODES = verdict_codes.declared()
SECTIONS = dict(re.findall(r"^### `([^`]+)`\n(.*?)(?=^#|\Z)", TEXT, re.MULTILINE | re.DOTALL))


def test_the_page_explains_exactly_the_problems():
    assert SECTIONS.keys() == {code for code, declaration in CODES.items() if declaration.kind == "problem"}
    assert TEXT.count("\n### ") == len(SECTIONS)


@pytest.mark.parametrize("code", CODES)
def test_each_code_says_its_meaning_and_each_problem_its_fix(code):
    said = CODES[code].docs

    assert (
        said.keys() == {"what", "fix"} if CODES[code].kind == "problem" else {"what"} <= said.keys() <= {"what", "fix"}
    )
    assert all(re.fullmatch(r"(?s)[A-Z`].{5,}\.", value) for value in said.values())


def test_no_documented_command_counts_commits_back_from_head():
    assert not re.search(r"HEAD[~^]", TEXT)
