"""docs/reference/codes.md explains exactly the codes that have words, each with what, why and how to fix."""

import re
from pathlib import Path

import pytest

from bot import verdict_codes

TEXT = (Path(__file__).parents[2] / "docs" / "reference" / "codes.md").read_text(encoding="utf-8")
CODES = verdict_codes.declared()
SECTIONS = dict(re.findall(r"^### `([^`]+)`\n(.*?)(?=^#|\Z)", TEXT, re.MULTILINE | re.DOTALL))


def test_the_same_codes():
    """No code without a page, no page without a code."""
    assert SECTIONS.keys() == CODES.keys()
    assert TEXT.count("\n### ") == len(CODES)


@pytest.mark.parametrize("code", CODES)
def test_what_why_and_fix(code):
    """Each code says what it means and why it is so, one line each; a problem also how to fix it."""
    lines = SECTIONS[code].partition("<!--")[0].strip().splitlines()
    has_fix = CODES[code].kind == "problem" or len(lines) > 2
    assert [line.split(":")[0] for line in lines] == ["- What", "- Why", *(["- Fix"] if has_fix else [])]
    assert all(len(line) > len("- What: x") for line in lines)


def test_no_counting_back():
    """The documentation never shows a command that counts commits back from HEAD."""
    assert not re.search(r"HEAD[~^]", TEXT)
