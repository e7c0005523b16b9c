"""From the entries a way leads to every package, whoever brings whom."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audit.output.dependency_graph import entries


@pytest.mark.parametrize(
    ("needs", "asked", "found"),
    [
        ({}, (), set()),
        ({"a": ["b"], "b": []}, (), {"a"}),
        ({"a": ["b"], "b": []}, ("b",), {"a", "b"}),
        ({"a": ["b"], "b": ["a"]}, (), {"a"}),
        ({"a": [], "b": ["c"], "c": ["b"], "d": ["b"]}, (), {"a", "d"}),
        ({"a": ["a"]}, (), {"a"}),
        ({"a": ["gone"]}, (), {"a"}),
    ],
)
def test_entries(needs, asked, found):
    """What is asked for, what nothing brings, and one of a ring."""
    assert entries(needs, asked) == found


NAMES = st.sampled_from("abcdefgh")


@given(st.dictionaries(NAMES, st.sets(NAMES)), st.sets(NAMES))
def test_everything_is_reached(needs, asked):
    """Of every graph."""
    reached = set(entries(needs, asked))
    while more := {two for one in reached for two in needs.get(one, ())} - reached:
        reached |= more

    assert set(needs) <= reached
