"""Uses of one package, before and after: which is which."""

from typing import NamedTuple

import pytest

from audit.verdict.pairing import package, pairs


class Use(NamedTuple):
    """A use as the pairing sees it."""

    version: str
    usage: str
    license: str = "MIT"
    component: str = ""


A1, A2 = Use("1", "vendored"), Use("2", "vendored")
B1, B2 = Use("1", "test-only"), Use("2", "test-only")
OTHER = Use("1", "vendored", "GPL-3.0-only")


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ([], [], []),
        ([A1], [], [(A1, None)]),
        ([], [A1], [(None, A1)]),
        ([A1, B1], [B1, A1], [(A1, A1), (B1, B1)]),
        ([A1], [OTHER], [(A1, OTHER)]),
        ([A1, OTHER], [OTHER], [(OTHER, OTHER), (A1, None)]),
        ([A1], [A2], [(A1, A2)]),
        ([A1, B1], [A2, B1], [(B1, B1), (A1, A2)]),
        ([A1], [B2, B1], [(A1, B1), (None, B2)]),
        ([A1], [B2], [(A1, B2)]),
        ([A1, A1], [A1], [(A1, A1), (A1, None)]),
    ],
)
def test_the_most_alike_are_paired_first(old, new, expected):
    """The same in all, then version and usage, then the version, then the usage, then whatever is left."""
    assert list(pairs(old, new)) == expected


@pytest.mark.parametrize(
    ("purl", "expected"),
    [
        ("pkg:npm/%40a/b@1.0", "pkg:npm/%40a/b"),
        ("pkg:npm/b", "pkg:npm/b"),
        ("pkg:maven/a/b@1?type=jar#x@2", "pkg:maven/a/b"),
        ("pkg:npm/b@1#x@2", "pkg:npm/b"),
        ("pkg:npm/b@1?x=y@2", "pkg:npm/b"),
        ("pkg:npm/@a/b@1", "pkg:npm/@a/b"),
        ("", ""),
    ],
)
def test_the_package_without_its_version(purl, expected):
    """Version, qualifiers and subpath are left out."""
    assert package(purl) == expected
