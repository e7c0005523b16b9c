"""docs/reference/codes.md explains exactly the codes that have words, each with what, why and how to fix."""

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
def test_each_code_says_its_meaning_reason_and_fix(code):
    lines = SECTIONS[code].partition("<!--")[0].strip().splitlines()
    has_fix = CODES[code].kind == "problem" or len(lines) > 2
    assert [line.split(":")[0] for line in lines] == ["- What", "- Why", *(["- Fix"] if has_fix else [])]
    assert all(len(line) > len("- What: x") for line in lines)


def test_no_documented_command_counts_commits_back_from_head():
    assert not re.search(r"HEAD[~^]", TEXT)
