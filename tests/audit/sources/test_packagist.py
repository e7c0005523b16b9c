"""Packagist: versions in short and in long form, lists to choose from."""

import pytest

from audit.sources import packagist

VERSIONS = [
    {"version": "3.0.0", "license": ["MIT", "GPL-2.0-or-later"]},
    {"version": "v2.0.0"},
    {"version": "1.0.0", "license": "__unset"},
    {"version": "0.9.0", "license": ["BSD-3-Clause"]},
    {"version": "0.8.0", "license": ["MIT", None]},
    {"version": 7, "license": ["MIT"]},
]


@pytest.mark.parametrize(
    ("version", "short", "long"),
    [
        ("3.0.0", "MIT OR GPL-2.0-or-later", "MIT OR GPL-2.0-or-later"),
        ("2.0.0", "MIT OR GPL-2.0-or-later", None),
        ("1.0.0", None, None),
        ("v0.9.0", "BSD-3-Clause", "BSD-3-Clause"),
        ("0.8.0", None, None),
        ("0.1.0", None, None),
    ],
)
def test_versions(version, short, long):
    """In the short form what does not differ is left out."""
    packages = {"packages": {"a/b": VERSIONS}}
    assert packagist.read({"minified": "composer/2.0", **packages}, version).expression == short
    assert packagist.read(packages, version).expression == long


@pytest.mark.parametrize("answer", [{}, {"packages": []}, {"packages": {"a/b": {"1": {}}}}, {"packages": {"a/b": [7]}}])
def test_other_shapes(answer):
    """Nothing is stated."""
    assert packagist.read(answer, "1").expression is None


def test_path():
    """Branches stand in a file of their own."""
    assert packagist.path("a/b", "1.0") == ("p2", "a", "b.json")
    assert packagist.path("a/b", "dev-main") == packagist.path("a/b", "1.x-dev") == ("p2", "a", "b~dev.json")
