"""Uses of one package before and after a change are paired."""

from typing import NamedTuple

import pytest

from audit.verdict.pairing import pairs


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
def test_the_uses_most_alike_are_paired_first(old, new, expected):
    assert list(pairs(old, new)) == expected
