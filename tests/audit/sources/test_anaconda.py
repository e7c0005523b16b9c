"""anaconda.org: the licences of a version's archives."""

import pytest

from audit.sources import anaconda


def archives(*licences):
    """An answer with archives of these licences."""
    return {"distributions": [{"attrs": {"license": one}} for one in licences]}


@pytest.mark.parametrize(
    ("answer", "licence"),
    [
        (archives("MIT", "MIT"), "MIT"),
        (archives("MIT", "Apache-2.0"), "MIT AND Apache-2.0"),
        (archives("MIT", None, ""), "MIT"),
        (archives(None), None),
        ({"distributions": [7, {"attrs": 7}, {}]}, None),
        ({"distributions": {}}, None),
        ({}, None),
    ],
)
def test_forms(answer, licence):
    """Where archives differ all count."""
    assert anaconda.read(answer).expression == licence


def test_path():
    """A version in a channel."""
    assert anaconda.path("conda-forge/numpy", "1.26.4") == ("release", "conda-forge", "numpy", "1.26.4")
