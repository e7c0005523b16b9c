"""crates.io: the version's licence, a stroke being a choice."""

import pytest

from audit.sources import crates


@pytest.mark.parametrize(
    ("answer", "licence"),
    [
        ({"version": {"license": "MIT OR Apache-2.0"}}, "MIT OR Apache-2.0"),
        ({"version": {"license": "MIT/Apache-2.0"}}, "MIT OR Apache-2.0"),
        ({"version": {"license": "non-standard"}}, None),
        ({"version": {"license": None}}, None),
        ({"version": {"license": ["MIT"]}}, None),
        ({"version": "MIT"}, None),
        ({"errors": [{"detail": "x"}]}, None),
    ],
)
def test_forms(answer, licence):
    """`non-standard` is what crates.io says of a crate with a file of its own."""
    assert crates.read(answer).expression == licence


def test_path():
    """One version of a crate."""
    assert crates.path("serde", "1.0.0") == ("api", "v1", "crates", "serde", "1.0.0")
