"""Versions are numbers, part by part."""

import pytest

from agreements import versions


@pytest.mark.parametrize(("pattern", "version", "admitted"), [
    (">=2.0", "2.0", True), (">=2.0", "10.0", True), (">=2.0", "1.9", False), (">=1.9", "1.10", True), (">=2", "2.0", True),
    ("1.x", "1.0", True), ("1.x", "1.99", True), ("1.x", "10.0", False), ("1.x", "2.0", False), ("1.x", "1", True), ("1.0.x", "1", True),
    ("1.*", "1.5", True), ("2.0", "2.0", True), ("2.0", "2", True), ("2.0", "2.0.1", False), ("==2.0", "2.0", True), (">1.0", "1.0", False),
    ("<2.0", "1.99", True), ("<=2.0", "2.0", True), (">=1.0, <2.0", "1.5", True), (">=1.0, <2.0", "2.0", False),
    (">=1.0", "1.0-beta", False), (">=1.0", "", False), (">=1.0", "１.0", False), (">=1.0", "9" * 5000, False), ("", "1.0", False),
    ("*", "1.0", False), (">=1.0,", "1.0", False), (">=1.0", "2.0\n", False), (">=1.0", "-2.0", False),
])  # fmt: skip
def test_a_pattern_admits_by_comparing_numbers_and_never_admits_other_text(pattern, version, admitted):
    assert versions.admits(pattern, version) is admitted


@pytest.mark.parametrize(("pattern", "empty"), [
    (">=2.0", False), ("1.x", False), (">2.0, <1.0", True), (">2.0, <2.0.1", False), (">2.0, <=2.0", True), (">=2.0, <=2", False),
    ("1.x, >=2.0", True), ("1.x, >1.999999999", False), ("<0", True), ("<0.0.1", False), ("<=0", False), ("2.0, 3.0", True), ("2.x, 2.1.x", False),
])  # fmt: skip
def test_a_pattern_that_no_version_matches_is_empty(pattern, empty):
    assert versions.is_empty(pattern) is empty


@pytest.mark.parametrize(("left", "right", "order"), [("1.10", "1.9", 1), ("2", "2.0.0", 0), ("1.0", "1.0.1", -1), ("x", "0.1", -1)])  # fmt: skip
def test_versions_sort_part_by_part_as_numbers(left, right, order):
    left, right = versions.sort_key(left), versions.sort_key(right)
    assert (left > right) - (left < right) == order
