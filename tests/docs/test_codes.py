"""docs/reference/codes.md explains exactly the codes that have words, each with what it means and how to fix it."""

import re
from pathlib import Path

import pytest

from bot import verdict_codes

TEXT = (Path(__file__).parents[2] / "docs" / "reference" / "codes.md").read_text(encoding="utf-8")
CODES = verdict_codes.declared()
SECTIONS = dict(re.findall(r"^### `([^`]+)`\n(.*?)(?=^#|\Z)", TEXT, re.MULTILINE | re.DOTALL))


def test_the_page_explains_exactly_the_codes_that_have_words():
    assert SECTIONS.keys() == CODES.keys()
    assert TEXT.count("\n### ") == len(CODES)


@pytest.mark.parametrize("code", CODES)
def test_each_code_says_its_meaning_and_each_problem_its_fix(code):
    what, *fix = SECTIONS[code].partition("<!--")[0].strip().split("\n\n")

    assert len(what) > len("It is.")
    assert [one.partition(" ")[0] for one in fix] == ["**Fix:**"] * len(fix)
    assert len(fix) == 1 or CODES[code].kind == "note"


def test_no_documented_command_counts_commits_back_from_head():
    assert not re.search(r"HEAD[~^]", TEXT)
