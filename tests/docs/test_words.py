"""The documentation stays short: no kind of pages has more words than its limit, which only ever falls."""

from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
LIMITS = {"reference": 14_750, "how-to": 13_310, "decisions": 3355, "explanation": 4_510, "tutorial": 300}
"""Words as `wc -w` counts them, by folder."""


@pytest.mark.parametrize(("folder", "most"), LIMITS.items())
def test_a_kind_of_pages_keeps_within_its_words(folder, most):
    pages = (DOCS / folder).rglob("*.md")

    assert sum(len(page.read_text(encoding="utf-8").split()) for page in pages) <= most


def test_every_kind_of_pages_has_a_limit():
    kinds = {page.relative_to(DOCS).parts[0] for page in DOCS.rglob("*/*.md")}

    assert kinds - {"changes"} == LIMITS.keys()
