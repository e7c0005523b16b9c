"""RubyGems: a list whose relation is unspecified."""

import pytest

from audit.sources import rubygems


@pytest.mark.parametrize(
    ("answer", "licence"),
    [
        ({"licenses": ["MIT"]}, "MIT"),
        ({"licenses": ["Ruby", "BSD-2-Clause"]}, "Ruby AND BSD-2-Clause"),
        ({"licenses": []}, None),
        ({"licenses": None}, None),
        ({"licenses": "MIT"}, None),
        ({"licenses": [["MIT"]]}, None),
        ({}, None),
    ],
)
def test_forms(answer, licence):
    """Of several all count."""
    assert rubygems.read(answer).expression == licence


def test_path():
    """One version of a gem."""
    assert rubygems.path("rack", "3.1.0") == ("api", "v2", "rubygems", "rack", "versions", "3.1.0.json")
