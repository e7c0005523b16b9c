"""npm's registry: a text, or one of the older forms, whatever is in them."""

import pytest

from audit.sources import npm


@pytest.mark.parametrize(
    ("answer", "licence"),
    [
        ({"license": "MIT"}, "MIT"),
        ({"license": "(MIT OR Apache-2.0)"}, "(MIT OR Apache-2.0)"),
        ({"licence": "ISC"}, "ISC"),
        ({"license": {"type": "ISC", "url": "https://x"}}, "ISC"),
        ({"license": ["MIT", "Apache-2.0"]}, "MIT OR Apache-2.0"),
        ({"licenses": [{"type": "MIT"}, {"type": "GPL-2.0 OR MPL-2.0"}]}, "MIT OR (GPL-2.0-only OR MPL-2.0)"),
        ({"licenses": [{"type": "BSD"}]}, "BSD"),
        ({"license": "UNLICENSED"}, "UNLICENSED"),
        ({"license": "SEE LICENSE IN LICENSE"}, None),
        ({"licenses": [{"type": "MIT"}, {"url": "https://x"}]}, None),
        ({"licenses": {"type": "MIT"}}, None),
        ({"license": {"type": ["MIT"]}}, None),
        ({"license": None, "licenses": None}, None),
        ({"license": 7}, None),
        ({}, None),
    ],
)
def test_forms(answer, licence):
    """Of a list npm's documentation makes a choice; one that can't be read leaves nothing."""
    assert npm.read(answer).expression == licence


def test_path():
    """A scope and its name are one part."""
    assert npm.path("@babel/core", "7.0.0") == ("@babel/core", "7.0.0")
