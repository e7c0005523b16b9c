"""docs/reference/codes.md explains exactly the codes that have words, each with what, why and how to fix."""

import re
from pathlib import Path

import pytest

from bot.report.words import CODES

TEXT = (Path(__file__).parents[2] / "docs" / "reference" / "codes.md").read_text(encoding="utf-8")
SECTIONS = dict(re.findall(r"^### `([^`]+)`\n(.*?)(?=^#|\Z)", TEXT, re.MULTILINE | re.DOTALL))


def test_the_same_codes():
    """No code without a page, no page without a code."""
    assert SECTIONS.keys() == CODES
    assert TEXT.count("\n### ") == len(CODES)


@pytest.mark.parametrize("code", sorted(CODES))
def test_what_why_and_fix(code):
    """Each code says what it means, why it is so and how to fix it, one line each."""
    lines = SECTIONS[code].strip().splitlines()
    assert [line.split(":")[0] for line in lines] == ["- What", "- Why", "- Fix"]
    assert all(len(line) > len("- What: x") for line in lines)


def test_no_counting_back():
    """The documentation never shows a command that counts commits back from HEAD."""
    assert not re.search(r"HEAD[~^]", TEXT)
