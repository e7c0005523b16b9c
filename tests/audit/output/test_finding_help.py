"""Every finding that is documented has a sentence, and no sentence is for one that is not."""

import re
from pathlib import Path

from audit.output.finding_help import BY_CODE, DOCUMENT, help_of

CODES = re.compile(r"^\| `([a-z]+/[a-z-]+)` \|", re.MULTILINE)


def test_as_documented():
    """The page and the sentences name the same codes."""
    page = (Path(__file__).parents[3] / DOCUMENT).read_text()
    assert set(CODES.findall(page)) == set(BY_CODE)


def test_help():
    """Of a code without one: where it is described."""
    assert help_of("file/outside") == "Keep it inside the repository."
    assert DOCUMENT in help_of("noun/what")
