"""SPDX accepts the written expression of any licence."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audit.licenses.expression import Atom, read
from audit.output.license_references import entries, valid
from tests.audit.runs import text


@pytest.mark.parametrize(
    ("said", "written", "referred"),
    [
        ("mit or apache-2.0", "MIT OR Apache-2.0", []),
        ("MIT AND (ISC OR Zlib)", "MIT AND (ISC OR Zlib)", []),
        ("LicenseRef-own", "LicenseRef-own", ["LicenseRef-own"]),
        (None, "NOASSERTION", []),
    ],
)
def test_a_licence_unknown_to_spdx_becomes_a_reference_with_its_text(said, written, referred):
    extracted: dict[str, set[str]] = {}
    assert valid(read(said), (text("TERMS", "Be kind."),), extracted) == written
    assert extracted == {name: {"Be kind."} for name in referred}


def test_a_reference_without_a_text_says_so():
    extracted: dict[str, set[str]] = {}
    name = valid(Atom("LicenseRef-a_b"), (), extracted)
    assert name.startswith("LicenseRef-a-b-")
    assert extracted == {name: {"LicenseRef-a_b: its text was not found."}}


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
def test_entries_are_the_direct_packages_and_those_that_no_other_package_brings(needs, asked, found):
    assert entries(needs, asked) == found


NAMES = st.sampled_from("abcdefgh")


@given(st.dictionaries(NAMES, st.sets(NAMES)), st.sets(NAMES))
def test_every_package_of_a_graph_is_reached_from_the_entries(needs, asked):
    reached = set(entries(needs, asked))
    while more := {need for package in reached for need in needs.get(package, ())} - reached:
        reached |= more

    assert set(needs) <= reached
