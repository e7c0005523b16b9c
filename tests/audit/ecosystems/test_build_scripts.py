"""Crates of build scripts: what finds, compiles or asks; nothing that brings code into the work."""

from audit.ecosystems.build_scripts import HELPERS, tools


def test_by_name():
    """Only what the table holds, with who needs it."""
    assert tools(["serde", "cc"]) == {"cc": "build scripts (cc)"}


def test_what_brings_code_is_not_among_them():
    """Sources that are linked, templates, macros."""
    assert not HELPERS.keys() & {"openssl-src", "prost-build", "cxx-build", "syn", "quote", "serde_derive", "libc"}
