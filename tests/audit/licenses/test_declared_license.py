"""Declared licences of untrusted packages: one, several, or none."""

import pytest

from audit.licenses.declared_license import (
    ALL_OF_THEM,
    NO_LICENSE_NAME,
    NOTHING_STATED,
    DeclaredLicense,
    known,
    single,
    together,
    words,
)


@pytest.mark.parametrize(
    ("value", "plain"),
    [
        ("MIT", "MIT"),
        ("  Apache-2.0\n OR\tMIT ", "Apache-2.0 OR MIT"),
        ("UNLICENSED", "UNLICENSED"),
        ("SEE LICENSE IN LICENSE.md", None),
        ("", None),
        ("NOASSERTION", None),
        (None, None),
        (7, None),
        ({"type": "MIT"}, None),
        ("MIT " * 300, None),
        ("MIT\x1b[31m", None),
        ("Foo\ud800", None),
        ("MIT\u202e", None),
    ],
)
def test_words_of_a_licence_are_one_line_without_control_characters(value, plain):
    assert words(value) == plain


def test_free_text_must_be_the_name_of_a_known_licence():
    """Any word could be an id."""
    assert known("Apache 2.0") == "Apache 2.0"
    assert known("BSD") == "BSD"
    assert known("Custom") is None
    assert known("MIT OR Custom") is None


def test_several_licences_without_a_relation_all_count():
    assert together(["MIT", "Apache-2.0 OR GPL-2.0-only", "MIT"]) == DeclaredLicense(
        "MIT AND (Apache-2.0 OR GPL-2.0-only)", ALL_OF_THEM
    )
    assert together(["MIT"]) == DeclaredLicense("MIT")
    assert together([]) == NOTHING_STATED
    assert together(["MIT", "SEE LICENSE IN X"]) == together(["MIT", None]) == NO_LICENSE_NAME
    assert together(f"LicenseRef-{number}" for number in range(21)) == NO_LICENSE_NAME


@pytest.mark.parametrize(
    ("value", "stated"),
    [
        ("MIT", DeclaredLicense("MIT")),
        (None, NOTHING_STATED),
        ("", NOTHING_STATED),
        ("SEE LICENSE IN X", NO_LICENSE_NAME),
        (7, NO_LICENSE_NAME),
    ],
)
def test_nothing_stated_and_nothing_readable_are_told_apart(value, stated):
    assert single(value) == stated
